#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/format.h"
#include "text/keypath.h"
#include "text/value.h"
#include "text/write.h"

_Noreturn void fuzz_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

/* ---- the input ---- */

uint8_t fuzz_byte(struct fuzz_input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++;
}

struct fuzz_text fuzz_copy(const void *data, size_t size)
{
    struct fuzz_text text = {malloc(size > 0 ? size : 1), size};
    if (!text.data)
        exit(0); /* the machine's fault */
    if (size > 0)
        memcpy(text.data, data, size);
    return text;
}

static struct fuzz_text take(struct fuzz_input *input, size_t size)
{
    struct fuzz_text text = fuzz_copy(input->at, size);
    input->at += size;
    input->left -= size;
    return text;
}

struct fuzz_text fuzz_rest(struct fuzz_input *input)
{
    return take(input, input->left);
}

struct fuzz_text fuzz_field(struct fuzz_input *input)
{
    const uint8_t *end = input->left > 0 ? memchr(input->at, '\0', input->left) : NULL;
    struct fuzz_text field = take(input, end ? (size_t)(end - input->at) : input->left);
    (void)fuzz_byte(input);
    return field;
}

char *fuzz_string(struct fuzz_input *input)
{
    struct fuzz_text field = fuzz_field(input);
    char *text = realloc(field.data, field.size + 1);
    if (!text)
        exit(0);
    text[field.size] = '\0';
    return text;
}

bool fuzz_same_text(const struct fuzz_text *one, const struct fuzz_text *other)
{
    return one->size == other->size && memcmp(one->data, other->data, one->size) == 0;
}

enum untorn_format fuzz_format(struct fuzz_input *input)
{
    uint8_t byte = fuzz_byte(input);
    switch (byte) {
    case 'j':
        return UNTORN_JSON;
    case 'c':
        return UNTORN_JSONC;
    case 't':
        return UNTORN_TOML;
    case 'T':
        return UNTORN_TOML_1_0;
    default:
        return (enum untorn_format)(UNTORN_JSON + byte % 4);
    }
}

static size_t choose(uint8_t byte, const char *letters)
{
    const char *letter = byte ? strchr(letters, byte) : NULL;
    return letter ? (size_t)(letter - letters) : byte % strlen(letters);
}

struct untorn_edit fuzz_edit(struct fuzz_input *input, const char *kinds)
{
    static const enum untorn_edit_kind all[] = {UNTORN_SET, UNTORN_UNSET, UNTORN_INSERT,
                                                UNTORN_RENAME, UNTORN_ENSURE};
    struct untorn_edit edit = {.kind = all[choose(fuzz_byte(input), kinds)]};
    edit.syntax = (enum untorn_syntax)choose(fuzz_byte(input), "psjt");
    edit.key = fuzz_string(input);
    struct fuzz_text value = fuzz_field(input);
    edit.value = value.data;
    edit.value_size = value.size;
    return edit;
}

void fuzz_edit_free(struct untorn_edit *edit)
{
    free((char *)edit->key);
    free((char *)edit->value);
}

uint32_t fuzz_hash(const void *data, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)data)[i]) * 16777619u;
    return hash;
}

uint32_t fuzz_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* ---- trees ---- */

struct untorn_node *fuzz_next_node(const struct untorn_node *node)
{
    if (node->first)
        return node->first;
    while (node && !node->next)
        node = node->parent;
    return node ? node->next : NULL;
}

size_t fuzz_count_nodes(const struct untorn_node *root)
{
    size_t count = 0;
    for (; root; root = fuzz_next_node(root))
        count++;
    return count;
}

struct untorn_node *fuzz_nth_node(struct untorn_node *root, size_t number)
{
    while (root && number-- > 0)
        root = fuzz_next_node(root);
    return root;
}

bool fuzz_has_repeated(const struct untorn_node *root)
{
    for (; root; root = fuzz_next_node(root))
        if (root->repeated)
            return true;
    return false;
}

const char *fuzz_pointer(const struct untorn_node *node, struct arena *arena)
{
    for (const struct untorn_node *at = node; at->parent; at = at->parent)
        if (at->key && (memchr(at->key, '\0', at->key_size) || fuzz_has_repeated(at->parent) ||
                        !value_is_utf8(at->key, at->key_size)))
            return NULL;
    const char *pointer = keypath_of_node(node, true, arena);
    REQUIRE(pointer);
    return pointer;
}

struct parsed fuzz_parse(const char *text, size_t size, enum untorn_format format)
{
    struct parsed parsed;
    struct flaw flaw;
    int rc = parse(text, size, format, &parsed, &flaw);
    if (rc != 0)
        fprintf(stderr, "byte %llu: %s\n%.*s\n", (unsigned long long)flaw.position, flaw.what,
                (int)size, text);
    REQUIRE(rc == 0);
    return parsed;
}

size_t fuzz_depth(const struct untorn_node *root)
{
    size_t depth = 1, deepest = 1;
    for (const struct untorn_node *node = root; node->first || node != root;) {
        if (node->first) {
            node = node->first;
            deepest = ++depth > deepest ? depth : deepest;
            continue;
        }
        while (node != root && !node->next) {
            node = node->parent;
            depth--;
        }
        if (node == root)
            break;
        node = node->next;
    }
    return deepest;
}

void fuzz_rewrite(const struct parsed *parsed, struct fuzz_text *ret_text)
{
    struct buffer buffer = {0};
    struct untorn_style style = {0};
    if (format_is_toml(parsed->format))
        REQUIRE(write_toml(&buffer, parsed->root, &style));
    else
        write_json(&buffer, parsed->root, &style, 0);
    REQUIRE(!buffer.failed);
    *ret_text = fuzz_copy(buffer.data, buffer.size);
    buffer_free(&buffer);
}
