/* The tokens of the scanner, put into a tree. */
#include <string.h>

#include "text/json_scan.h"

struct builder {
    struct json_scanner scanner;
    struct parsed *parsed;
    struct untorn_node *inside; /* the innermost open container; NULL around the root */
    const char *key;            /* of the value that comes next, decoded; NULL in arrays */
    size_t key_size;
    const char *key_raw;
    size_t key_raw_size;
};

/* What the key or string says, terminated. NULL: no memory. */
static const char *decoded_text(struct builder *builder, const char *raw, size_t size,
                                size_t *ret_size)
{
    struct arena *arena = &builder->parsed->arena;
    *ret_size = size - 2;
    if (!builder->scanner.escaped)
        return arena_copy(arena, raw + 1, size - 2);
    char *text = arena_take(arena, size);
    if (!text)
        return NULL;
    *ret_size = json_decode(raw, size, text);
    text[*ret_size] = '\0';
    return text;
}

static bool take_key(struct builder *builder, const char *raw, size_t size)
{
    builder->key = decoded_text(builder, raw, size, &builder->key_size);
    builder->key_raw = raw;
    builder->key_raw_size = size;
    return builder->key != NULL;
}

/* A node for the value at hand, with all but its text. NULL: no memory. */
static struct untorn_node *add(struct builder *builder, enum untorn_kind kind, const char *raw,
                               size_t size)
{
    struct untorn_node *parent = builder->inside;
    struct untorn_node *node =
        node_add(&builder->parsed->arena, parent, builder->key, builder->key_size, kind);
    if (!node)
        return NULL;
    node->raw = raw;
    node->raw_size = size;
    node->raw_format = builder->parsed->format;
    node->key_raw = builder->key_raw;
    node->key_raw_size = builder->key_raw_size;
    builder->key = builder->key_raw = NULL;
    builder->key_size = builder->key_raw_size = 0;
    if (!parent)
        builder->parsed->root = node;
    return node;
}

static bool begin_container(struct builder *builder, enum untorn_kind kind, const char *raw)
{
    struct untorn_node *node = add(builder, kind, raw, 1);
    if (node)
        builder->inside = node;
    return node != NULL;
}

static void end_container(struct builder *builder, const char *raw)
{
    struct untorn_node *node = builder->inside;
    node->raw_size = (size_t)(raw + 1 - node->raw);
    builder->inside = node->parent;
}

static bool add_string(struct builder *builder, const char *raw, size_t size)
{
    struct untorn_node *node = add(builder, UNTORN_STRING, raw, size);
    if (node)
        node->text = decoded_text(builder, raw, size, &node->size);
    return node && node->text;
}

static bool add_number(struct builder *builder, const char *raw, size_t size)
{
    bool integer = builder->scanner.integer;
    struct untorn_node *node = add(builder, integer ? UNTORN_INTEGER : UNTORN_FLOAT, raw, size);
    if (!node)
        return false;
    node->text = arena_copy(&builder->parsed->arena, raw, size);
    node->size = size;
    return node->text != NULL;
}

static bool add_word(struct builder *builder, const char *word, const char *raw)
{
    size_t size = strlen(word);
    struct untorn_node *node =
        add(builder, word[0] == 'n' ? UNTORN_NULL : UNTORN_BOOLEAN, raw, size);
    if (!node)
        return false;
    node->text = word;
    node->size = size;
    return true;
}

/* false: no memory. */
static bool take(struct builder *builder, enum json_token token)
{
    const char *raw = builder->parsed->text + builder->scanner.start;
    size_t size = (size_t)(builder->scanner.end - builder->scanner.start);
    switch (token) {
    case JSON_OBJECT_BEGIN:
        return begin_container(builder, UNTORN_OBJECT, raw);
    case JSON_ARRAY_BEGIN:
        return begin_container(builder, UNTORN_ARRAY, raw);
    case JSON_KEY:
        return take_key(builder, raw, size);
    case JSON_STRING:
        return add_string(builder, raw, size);
    case JSON_NUMBER:
        return add_number(builder, raw, size);
    case JSON_TRUE:
        return add_word(builder, "true", raw);
    case JSON_FALSE:
        return add_word(builder, "false", raw);
    case JSON_NULL:
        return add_word(builder, "null", raw);
    default:
        end_container(builder, raw);
        return true;
    }
}

int parse_json(const char *text, size_t size, enum untorn_format format, struct parsed *ret_parsed,
               struct flaw *ret_flaw)
{
    struct builder builder = {.parsed = ret_parsed};
    enum json_token token;
    *ret_parsed = (struct parsed){.format = format, .text = text, .size = size};
    *ret_flaw = (struct flaw){0};
    json_scan_begin(&builder.scanner, format);
    json_scan_feed(&builder.scanner, text, size, true);
    while ((token = json_scan_next(&builder.scanner)) < JSON_DONE) {
        if (take(&builder, token))
            continue;
        *ret_flaw = (struct flaw){
            .position = builder.scanner.start, .what = "not enough memory", .out_of_memory = true};
        parsed_free(ret_parsed);
        return -1;
    }
    if (token == JSON_DONE)
        return 0;
    *ret_flaw = builder.scanner.flaw;
    parsed_free(ret_parsed);
    return -1;
}
