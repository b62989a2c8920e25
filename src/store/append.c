/* untorn/append.h: what a record is, by the kind of file; then the file layer's append. */
#include <untorn/append.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pathtext.h"
#include "file/append.h"
#include "text/json.h"

static bool is_json(const char *path, enum untorn_records records)
{
    if (records != UNTORN_RECORDS_BY_NAME)
        return records == UNTORN_RECORDS_JSON;
    return path_ends_with(path, ".jsonl") || path_ends_with(path, ".ndjson");
}

static bool is_json_record(const char *line, size_t size)
{
    return json_is_valid(line, size, NULL);
}

/* Every line must be a JSON value; empty lines are let through, as readers of such files do. */
static int check_json_lines(const char *data, size_t size, struct untorn_error *error)
{
    size_t line_number = 1;
    for (size_t start = 0; start < size; line_number++) {
        const char *end = memchr(data + start, '\n', size - start);
        size_t length = end ? (size_t)(end - (data + start)) : size - start;
        size_t wrong;
        if (length > 0 && !json_is_valid(data + start, length, &wrong)) {
            error_detail(error, "line %zu of what is to be added is not JSON", line_number);
            error_fail(error, UNTORN_DAMAGED, NULL);
            error->position = start + wrong;
            return -UNTORN_DAMAGED;
        }
        start += length + 1;
    }
    return 0;
}

int untorn_append(const char *path, const void *data, size_t size, enum untorn_records records,
                  const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct untorn_options defaults = {0};
    bool json = is_json(path, records);
    char *ended = NULL;
    if (size == 0)
        return 0;
    int rc = json ? check_json_lines(data, size, error) : 0;
    if (rc != 0)
        return rc;
    if (((const char *)data)[size - 1] != '\n') {
        ended = malloc(size + 1);
        if (!ended)
            return error_fail(error, UNTORN_NO_MEMORY, NULL);
        memcpy(ended, data, size);
        ended[size++] = '\n';
    }
    rc = append_records(path, ended ? ended : data, size, json ? is_json_record : NULL,
                        options ? options : &defaults, error);
    free(ended);
    return rc;
}
