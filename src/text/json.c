#include "text/json.h"

#include <string.h>

bool json_is_valid(const char *text, size_t size, size_t *ret_position)
{
    struct json_scanner scanner;
    json_scan_begin(&scanner, UNTORN_JSON);
    json_scan_feed(&scanner, text, size, true);
    bool marked = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    bool valid = !marked && json_scan_rest(&scanner) == JSON_DONE;
    if (ret_position)
        *ret_position = valid ? size : (size_t)scanner.flaw.position;
    return valid;
}
