#include "text/single.h"

#include <string.h>

#include "text/api.h"
#include "text/format.h"
#include "text/value.h"
#include "text/write.h"

#define TOML_KEY "value"

bool single_write(const struct untorn_node *node, enum untorn_format format, char **ret_text,
                  size_t *ret_size)
{
    struct untorn_style style = {.compact = true, .tight = true};
    struct buffer buffer = {0};
    bool written = true;
    if (format_is_toml(format)) {
        buffer_text(&buffer, TOML_KEY " = ");
        written = write_toml_value(&buffer, node);
    } else {
        write_json(&buffer, node, &style, 0);
    }
    written = written && !buffer.failed;
    if (!written)
        buffer_free(&buffer);
    *ret_text = buffer.data;
    *ret_size = buffer.size;
    return written;
}

int single_of_edit(const struct untorn_edit *edit, enum untorn_format format, char **ret_text,
                   size_t *ret_size, struct untorn_error *error)
{
    struct value value = {0};
    *ret_text = NULL;
    *ret_size = 0;
    int rc = value_read(edit, NULL, "", format, &value, error);
    if (rc == 0)
        rc = value_fits(value.node, format, 1, error);
    if (rc == 0 && !single_write(value.node, format, ret_text, ret_size))
        rc = error_fail(error, UNTORN_NO_MEMORY, NULL);
    value_free(&value);
    return rc;
}

int single_open(char *text, size_t size, enum untorn_format format,
                struct untorn_document **ret_document, const struct untorn_node **ret_node,
                struct untorn_error *error)
{
    *ret_node = NULL;
    int rc = api_document_open(text, size, format, ret_document, error);
    if (rc != 0)
        return rc;
    const struct untorn_node *root = untorn_document_root(*ret_document);
    *ret_node = format_is_toml(format) ? node_member(root, TOML_KEY, strlen(TOML_KEY)) : root;
    if (*ret_node)
        return 0;
    untorn_document_free(*ret_document);
    *ret_document = NULL;
    return error_fail(error, UNTORN_NO_KEY, NULL);
}
