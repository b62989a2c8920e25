/* untorn/document.h: documents in memory, and their values. */
#include "text/api.h"

#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "text/document.h"
#include "text/format.h"
#include "text/number.h"
#include "text/value.h"
#include "text/write.h"

struct untorn_document {
    char *text; /* terminated; NULL while it is being made and nobody has asked for its text */
    size_t size;
    struct parsed parsed; /* of that text; of one that is being made, only root and arena */
    bool is_being_made;
    bool has_root; /* given by the caller */
};

/* ---- opening and closing ---- */

/* The root has no key: what would be its spelling says where the text begins. */
static void mark_text(struct untorn_document *document)
{
    document->parsed.root->key_raw = document->text;
}

int api_document_open(char *text, size_t size, enum untorn_format format,
                      struct untorn_document **ret_document, struct untorn_error *error)
{
    struct untorn_document *document = calloc(1, sizeof *document);
    *ret_document = NULL;
    if (!document) {
        free(text);
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    }
    document->text = text;
    document->size = size;
    int rc = document_parse(text, size, format, &document->parsed, error);
    if (rc != 0) {
        untorn_document_free(document);
        return rc;
    }
    mark_text(document);
    *ret_document = document;
    return 0;
}

int untorn_document_parse(const void *data, size_t size, enum untorn_format format,
                          struct untorn_document **ret_document, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    char *copy = size < SIZE_MAX ? pages_malloc(size + 1) : NULL;
    *ret_document = NULL;
    if (!copy)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    if (size > 0)
        memcpy(copy, data, size);
    copy[size] = '\0';
    return api_document_open(copy, size, format, ret_document, error);
}

int untorn_document_new(enum untorn_format format, struct untorn_document **ret_document,
                        struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    *ret_document = NULL;
    if (!format_is_known(format))
        return error_fail(error, UNTORN_UNKNOWN_FORMAT, NULL);
    struct untorn_document *document = calloc(1, sizeof *document);
    if (!document)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    document->is_being_made = true;
    document->parsed.format = format;
    document->parsed.root = node_add(&document->parsed.arena, NULL, NULL, 0, UNTORN_OBJECT);
    if (!document->parsed.root) {
        untorn_document_free(document);
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    }
    *ret_document = document;
    return 0;
}

void untorn_document_free(struct untorn_document *document)
{
    if (!document)
        return;
    parsed_free(&document->parsed);
    free(document->text);
    free(document);
}

enum untorn_format untorn_document_format(const struct untorn_document *document)
{
    return document->parsed.format;
}

/* ---- text ---- */

static int write_node(const struct untorn_node *node, enum untorn_format format,
                      const struct untorn_style *style, struct buffer *buffer,
                      struct untorn_error *error)
{
    if (format_is_toml(format)) {
        int rc = value_fits(node, format, 0, error);
        if (rc != 0)
            return rc;
        if (node->kind != UNTORN_OBJECT) {
            error_detail(error, "a TOML document is an object, never %s",
                         value_kind_words(node->kind));
            return error_fail(error, UNTORN_TYPE, NULL);
        }
        if (!write_toml(buffer, node, style))
            return error_fail(error, buffer->failed ? UNTORN_NO_MEMORY : UNTORN_TYPE, NULL);
    } else {
        write_json(buffer, node, style, 0);
    }
    buffer_add(buffer, "", 0); /* also an empty text has an end */
    return buffer->failed ? error_fail(error, UNTORN_NO_MEMORY, NULL) : 0;
}

int untorn_node_write(const struct untorn_node *node, enum untorn_format format,
                      const struct untorn_style *style, char **ret_text, size_t *ret_size,
                      struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct untorn_style defaults = {0};
    struct buffer buffer = {0};
    *ret_text = NULL;
    if (ret_size)
        *ret_size = 0;
    if (!format_is_known(format))
        return error_fail(error, UNTORN_UNKNOWN_FORMAT, NULL);
    int rc = write_node(node, format, style ? style : &defaults, &buffer, error);
    if (rc != 0) {
        buffer_free(&buffer);
        return rc;
    }
    *ret_text = buffer.data;
    if (ret_size)
        *ret_size = buffer.size;
    return 0;
}

/* Of a document that is being made. */
static int write_text(struct untorn_document *document, struct untorn_error *error)
{
    struct untorn_style style = {.newline = true};
    if (document->text)
        return 0;
    return untorn_node_write(document->parsed.root, document->parsed.format, &style,
                             &document->text, &document->size, error);
}

const char *untorn_document_text(const struct untorn_document *document, size_t *ret_size)
{
    /* Only remembers what it is asked for: the document is the same before and after. */
    struct untorn_document *remembering = (struct untorn_document *)document;
    (void)write_text(remembering, NULL); /* a failure shows as NULL */
    if (ret_size)
        *ret_size = document->text ? document->size : 0;
    return document->text;
}

static void replace(struct untorn_document *document, char *text, struct parsed parsed)
{
    parsed_free(&document->parsed);
    free(document->text);
    document->parsed = parsed;
    document->text = text;
    document->size = parsed.size;
    document->is_being_made = false;
}

int untorn_document_edit(struct untorn_document *document, const struct untorn_edit *edits,
                         size_t count, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct parsed made = {0}, parsed, *old = &document->parsed;
    char *text = NULL;
    int rc = write_text(document, error);
    if (rc == 0 && document->is_being_made) {
        rc = document_parse(document->text, document->size, old->format, &made, error);
        old = &made;
    }
    if (rc == 0) {
        document->parsed.root->key_raw = NULL; /* as the planners expect it */
        rc = document_edit_parsed(old, edits, count, &text, &parsed, error);
    }
    if (rc == 0 && text)
        replace(document, text, parsed);
    if (!document->is_being_made)
        mark_text(document);
    parsed_free(&made);
    return rc;
}

/* ---- looking ---- */

const struct untorn_node *untorn_document_root(const struct untorn_document *document)
{
    return document->parsed.root;
}

const struct untorn_node *api_find(const struct untorn_node *root, const struct keypath *path,
                                   struct untorn_error *error)
{
    struct found found;
    if (keypath_find(path, root, &found, error) != 0)
        return NULL;
    if (!found.node) {
        if (path->text)
            error_detail(error, "%s", path->text);
        error_fail(error, UNTORN_NO_KEY, NULL);
    }
    return found.node;
}

const struct untorn_node *untorn_document_find(const struct untorn_document *document,
                                               const char *key, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct arena arena = {0};
    struct keypath path;
    const struct untorn_node *node = NULL;
    if (keypath_parse(key, &arena, &path, error) == 0)
        node = api_find(document->parsed.root, &path, error);
    arena_free(&arena);
    return node;
}

const struct untorn_node *untorn_document_find_segments(const struct untorn_document *document,
                                                        const char *const *segments, size_t count,
                                                        struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    struct arena arena = {0};
    struct keypath path;
    const struct untorn_node *node = NULL;
    if (keypath_segments(segments, count, &arena, &path, error) == 0)
        node = api_find(document->parsed.root, &path, error);
    arena_free(&arena);
    return node;
}

/* ---- values ---- */

enum untorn_kind untorn_node_kind(const struct untorn_node *node)
{
    return node->kind;
}

bool untorn_node_boolean(const struct untorn_node *node, bool *ret_value)
{
    if (node->kind != UNTORN_BOOLEAN)
        return false;
    *ret_value = node->text[0] == 't';
    return true;
}

bool untorn_node_integer(const struct untorn_node *node, int64_t *ret_value)
{
    return node->kind == UNTORN_INTEGER && number_integer(node->text, node->size, ret_value);
}

bool untorn_node_double(const struct untorn_node *node, double *ret_value)
{
    return (node->kind == UNTORN_INTEGER || node->kind == UNTORN_FLOAT) &&
           number_double(node->text, node->size, ret_value);
}

const char *untorn_node_text(const struct untorn_node *node, size_t *ret_size)
{
    bool has_text = !node_is_container(node);
    if (ret_size)
        *ret_size = has_text ? node->size : 0;
    return has_text ? node->text : NULL;
}

size_t untorn_node_count(const struct untorn_node *node)
{
    return node->count;
}

const struct untorn_node *untorn_node_first(const struct untorn_node *node)
{
    return node->first;
}

const struct untorn_node *untorn_node_next(const struct untorn_node *node)
{
    return node->next;
}

const char *untorn_node_key(const struct untorn_node *node, size_t *ret_size)
{
    if (ret_size)
        *ret_size = node->key_size;
    return node->key;
}

const struct untorn_node *untorn_node_member(const struct untorn_node *node, const char *key,
                                             size_t key_size)
{
    return node_member(node, key, key_size);
}

bool untorn_node_span(const struct untorn_node *node, uint64_t *ret_offset, uint64_t *ret_size)
{
    const struct untorn_node *root = node;
    while (root->parent)
        root = root->parent;
    if (!node->raw || !root->key_raw)
        return false;
    *ret_offset = (uint64_t)(node->raw - root->key_raw);
    *ret_size = node->raw_size;
    return true;
}

/* ---- making ---- */

static size_t depth_of(const struct untorn_node *node)
{
    size_t depth = 0;
    while ((node = node->parent) != NULL)
        depth++;
    return depth;
}

static bool fits_there(const struct untorn_document *document, const struct untorn_node *parent,
                       const char *key, size_t key_size, enum untorn_kind kind)
{
    enum untorn_format format = document->parsed.format;
    if (!document->is_being_made || kind < UNTORN_NULL || kind > UNTORN_OBJECT)
        return false;
    if (!parent)
        return !document->has_root && !document->parsed.root->first &&
               (kind == UNTORN_OBJECT || !format_is_toml(format));
    if (depth_of(parent) + 2 > value_depth(format))
        return false;
    if (parent->kind == UNTORN_OBJECT)
        return key && value_is_utf8(key, key_size) && !node_member(parent, key, key_size);
    return parent->kind == UNTORN_ARRAY && !key;
}

/* Linked already, but what belongs to it could not be made. */
static struct untorn_node *take_back(struct untorn_node *parent, size_t count)
{
    if (parent && parent->count > count)
        node_remove(parent->last);
    return NULL;
}

static struct untorn_node *add_node(struct arena *arena, struct untorn_node *parent,
                                    const char *key, size_t key_size, enum untorn_kind kind,
                                    const char *text, size_t size)
{
    const char *key_copy = key ? arena_copy(arena, key, key_size) : NULL;
    const char *text_copy = text ? arena_copy(arena, text, size) : NULL;
    size_t count = parent ? parent->count : 0;
    if ((key && !key_copy) || (text && !text_copy))
        return NULL;
    struct untorn_node *node = node_add(arena, parent, key_copy, key_copy ? key_size : 0, kind);
    if (!node)
        return take_back(parent, count);
    node->text = text_copy;
    node->size = text_copy ? size : 0;
    return node;
}

struct untorn_node *untorn_document_add(struct untorn_document *document,
                                        struct untorn_node *parent, const char *key,
                                        size_t key_size, enum untorn_kind kind, const char *text,
                                        size_t size)
{
    bool scalar = kind != UNTORN_ARRAY && kind != UNTORN_OBJECT;
    enum untorn_format format = document->parsed.format;
    if (!text) {
        text = kind == UNTORN_NULL ? "null" : "";
        size = strlen(text);
    }
    if (!fits_there(document, parent, key, key_size, kind) ||
        (scalar && !value_is_spelled(kind, text, size, format)))
        return NULL;
    struct untorn_node *node = add_node(&document->parsed.arena, parent, parent ? key : NULL,
                                        key_size, kind, scalar ? text : NULL, size);
    if (!node)
        return NULL;
    if (scalar && kind != UNTORN_STRING)
        node_spell(node, node->text, node->size, format); /* to be written as given */
    if (!parent) {
        document->parsed.root = node;
        document->has_root = true;
    }
    free(document->text);
    document->text = NULL;
    return node;
}

struct untorn_node *api_document_add_copy(struct untorn_document *document,
                                          struct untorn_node *parent, const char *key,
                                          size_t key_size, const struct untorn_node *value)
{
    struct arena *arena = &document->parsed.arena;
    const char *name = arena_copy(arena, key, key_size);
    struct untorn_node *copy = name ? node_copy(arena, value) : NULL;
    free(document->text);
    document->text = NULL;
    return copy && node_put_member(arena, parent, name, key_size, copy) ? copy : NULL;
}
