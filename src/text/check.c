/* Whether a text is a document, without making a tree of it where that is not needed. */
#include "text/document.h"
#include "text/json_scan.h"

static bool is_json(const char *text, size_t size, enum untorn_format format)
{
    struct json_scanner scanner;
    json_scan_begin(&scanner, format);
    json_scan_feed(&scanner, text, size, true);
    return json_scan_rest(&scanner) == JSON_DONE;
}

int untorn_document_check(const void *data, size_t size, enum untorn_format format,
                          struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct parsed parsed;
    bool json = format == UNTORN_JSON || format == UNTORN_JSONC;
    bool toml = format == UNTORN_TOML || format == UNTORN_TOML_1_0;
    if ((json && is_json(data, size, format)) || (toml && toml_is_valid(data, size, format)))
        return 0;
    int rc = document_parse(data, size, format, &parsed, error); /* knows the words for a flaw */
    parsed_free(&parsed);
    return rc;
}
