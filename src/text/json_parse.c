/* The tokens of the scanner, put into a tree. */
#include <string.h>

#include "text/json_scan.h"

struct builder {
    struct json_scanner scanner;
    struct parsed *parsed;
    struct untorn_node *linked; /* the latest, not entered yet */
    struct untorn_node *inside; /* the innermost open container; NULL around the root */
    const char *key;            /* of the value that comes next, decoded; NULL in arrays */
    size_t key_size;
    const char *key_raw;
};

/* What the key or string says, terminated. NULL: no memory. */
static const char *decoded_text(struct builder *builder, size_t *ret_size)
{
    const struct json_scanner *scanner = &builder->scanner;
    const char *raw = builder->parsed->text + scanner->start;
    size_t size = (size_t)(scanner->end - scanner->start);
    *ret_size = size - 2;
    char *text = arena_copy(&builder->parsed->arena, raw + 1, size - 2);
    if (text && scanner->escaped) {
        *ret_size = json_decode(raw, size, text);
        text[*ret_size] = '\0';
    }
    return text;
}

/* A node for the value at hand, with all but its text. NULL: no memory. */
static struct untorn_node *add(struct builder *builder, enum untorn_kind kind)
{
    const struct json_scanner *scanner = &builder->scanner;
    struct parsed *parsed = builder->parsed;
    struct untorn_node *parent = builder->inside;
    if (builder->linked && !node_enter(&parsed->arena, builder->linked))
        return NULL;
    struct untorn_node *node =
        node_link(&parsed->arena, parent, builder->key, builder->key_size, kind);
    builder->linked = node;
    if (!node)
        return NULL;
    node_spell(node, parsed->text + scanner->start, (size_t)(scanner->end - scanner->start),
               parsed->format);
    node->key_raw = builder->key_raw;
    builder->key = builder->key_raw = NULL;
    builder->key_size = 0;
    if (!parent)
        parsed->root = node;
    return node;
}

static bool take_key(struct builder *builder)
{
    builder->key = decoded_text(builder, &builder->key_size);
    builder->key_raw = builder->parsed->text + builder->scanner.start;
    return builder->key != NULL;
}

static bool begin_container(struct builder *builder, enum untorn_kind kind)
{
    struct untorn_node *node = add(builder, kind);
    if (node)
        builder->inside = node;
    return node != NULL;
}

static bool end_container(struct builder *builder)
{
    struct untorn_node *node = builder->inside;
    const struct parsed *parsed = builder->parsed;
    node_spell(node, node->raw, (size_t)(parsed->text + builder->scanner.end - node->raw),
               parsed->format);
    builder->inside = node->parent;
    return true;
}

static bool add_string(struct builder *builder)
{
    struct untorn_node *node = add(builder, UNTORN_STRING);
    if (node)
        node->text = decoded_text(builder, &node->size);
    return node && node->text;
}

static bool add_number(struct builder *builder)
{
    const struct json_scanner *scanner = &builder->scanner;
    struct untorn_node *node = add(builder, scanner->integer ? UNTORN_INTEGER : UNTORN_FLOAT);
    if (!node)
        return false;
    node->text = arena_copy(&builder->parsed->arena, node->raw, node->raw_size);
    node->size = node->raw_size;
    return node->text != NULL;
}

static bool add_word(struct builder *builder, const char *word)
{
    struct untorn_node *node = add(builder, word[0] == 'n' ? UNTORN_NULL : UNTORN_BOOLEAN);
    if (!node)
        return false;
    node->text = word;
    node->size = node->raw_size;
    return true;
}

/* false: no memory. */
static bool take(struct builder *builder, enum json_token token)
{
    switch (token) {
    case JSON_OBJECT_BEGIN:
        return begin_container(builder, UNTORN_OBJECT);
    case JSON_ARRAY_BEGIN:
        return begin_container(builder, UNTORN_ARRAY);
    case JSON_KEY:
        return take_key(builder);
    case JSON_STRING:
        return add_string(builder);
    case JSON_NUMBER:
        return add_number(builder);
    case JSON_TRUE:
        return add_word(builder, "true");
    case JSON_FALSE:
        return add_word(builder, "false");
    case JSON_NULL:
        return add_word(builder, "null");
    default:
        return end_container(builder);
    }
}

int parsed_fill_json(struct parsed *parsed, struct flaw *ret_flaw)
{
    struct builder builder = {.parsed = parsed};
    enum json_token token = JSON_NULL;
    json_scan_begin(&builder.scanner, parsed->format);
    json_scan_feed(&builder.scanner, parsed->text, parsed->size, true);
    bool fits = true;
    while (fits && (token = json_scan_next(&builder.scanner)) < JSON_DONE)
        fits = take(&builder, token);
    fits = fits && (token > JSON_DONE || node_enter(&parsed->arena, builder.linked));
    if (fits && token == JSON_DONE)
        return 0;
    *ret_flaw = fits ? builder.scanner.flaw
                     : (struct flaw){.position = builder.scanner.start,
                                     .what = "not enough memory",
                                     .out_of_memory = true};
    parsed_free(parsed);
    return -1;
}
