/* Any bytes as edits that another process is to make: refused, or what would be written again. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "combine/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct request request;
    struct fuzz_text text = fuzz_copy(data, size); /* of exactly its size */
    int rc = request_read(&request, text.data, text.size);
    if (rc == 0) {
        char *again = malloc(size + 1);
        REQUIRE(again);
        size_t written = request_write(&request, again, size);
        REQUIRE(written == size && memcmp(again, data, size) == 0);
        free(again);
    }
    request_free(&request);
    free(text.data);
    return 0;
}
