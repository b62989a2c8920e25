#include "shapes.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pairs.h"

static void add(struct shape *shape, const char *format, ...)
{
    enum { PIECE = 512 };
    if (shape->size % (1 << 20) < PIECE || !shape->text) { /* room for another MiB, and a piece */
        shape->text = realloc(shape->text, (shape->size / (1 << 20) + 2) * (1 << 20) + PIECE);
        pairs_must(shape->text != NULL, "memory");
    }
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(shape->text + shape->size, PIECE, format, arguments);
    va_end(arguments);
    pairs_must(n >= 0 && n < PIECE, "a piece of a shape");
    shape->size += (size_t)n;
}

struct shape shape_records(size_t size)
{
    struct shape shape = {0};
    add(&shape, "{\n  \"name\": \"app\",\n  \"packages\": {\n");
    for (unsigned i = 0; shape.size < size; i++)
        add(&shape,
            "    \"node_modules/package-%u\": {\n"
            "      \"version\": \"%u.%u.%u\",\n"
            "      \"resolved\": \"registry/package-%u/-/package-%u.tgz\",\n"
            "      \"integrity\": \"sha512-%08x%08x%08x%08x==\",\n"
            "      \"size\": %u,\n      \"dev\": %s,\n"
            "      \"engines\": [\n        \">= %u\",\n        \"caf\xc3\xa9\"\n      ]\n    },\n",
            i, i % 9, i % 7, i % 31, i, i, i * 2654435761u, i * 40503u, i * 69069u, i, i * 17,
            i % 3 ? "true" : "false", i % 20);
    add(&shape, "    \"last\": null\n  },\n  \"end\": 0\n}\n");
    return shape;
}

struct shape shape_numbers(size_t size)
{
    struct shape shape = {0};
    add(&shape, "[0");
    for (unsigned i = 0; shape.size < size; i++)
        add(&shape, ",%u.%u,-%ue-%u,%u", i, i * 7919u, i % 1000, i % 300, i * 65537u);
    add(&shape, "]\n");
    return shape;
}

struct shape shape_characters(size_t size)
{
    struct shape shape = {0};
    add(&shape, "[\"\"");
    while (shape.size < size)
        add(&shape, ",\"\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82 \xe4\xbd\xa0\xe5\xa5\xbd "
                    "\xf0\x9f\x98\x80\xf0\x9f\x9a\x80 \xe3\x81\x93\xe3\x82\x93\"");
    add(&shape, "]\n");
    return shape;
}

struct shape shape_brackets(size_t size)
{
    struct shape shape = {0};
    add(&shape, "[[]");
    while (shape.size < size)
        add(&shape, ",[],{},[[]],[0,1],{\"\":0}");
    add(&shape, "]\n");
    return shape;
}

/* ---- what cannot be foreseen ---- */

/* The same numbers in every run, without a pattern that a processor could learn. */
static unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((*state >> 33) % below);
}

struct nest {
    struct shape shape;
    uint64_t random;
    size_t depth, deepest;
    char closers[1000];
    bool empty; /* nothing is in the innermost container yet */
    bool lines; /* each token on a line of its own */
};

static void begin_token(struct nest *nest)
{
    if (nest->lines)
        add(&nest->shape, "\n%*s", (int)draw(&nest->random, 40), "");
}

static void open_container(struct nest *nest)
{
    bool object = draw(&nest->random, 2);
    add(&nest->shape, object ? "{" : "[");
    nest->closers[nest->depth++] = object ? '}' : ']';
    nest->empty = true;
}

static void close_container(struct nest *nest)
{
    begin_token(nest);
    add(&nest->shape, "%c", nest->closers[--nest->depth]);
    nest->empty = false;
}

static void add_item(struct nest *nest)
{
    static const char *const tiny[] = {"1",    "\"a\"", "{}",   "[]", "true", "null",  "false",
                                       "-0.5", "0",     "\"\"", "12", "1e9",  "\"bc\""};
    static const char *const keys[] = {"k", "", "id", "name"};
    if (!nest->empty)
        add(&nest->shape, ",");
    begin_token(nest);
    if (nest->closers[nest->depth - 1] == '}')
        add(&nest->shape, nest->lines ? "\"%s\": " : "\"%s\":", keys[draw(&nest->random, 4)]);
    if (nest->depth < nest->deepest && draw(&nest->random, 4) == 0) {
        open_container(nest);
        return;
    }
    add(&nest->shape, "%s", tiny[draw(&nest->random, sizeof tiny / sizeof *tiny)]);
    nest->empty = false;
}

/* The deeper they may be, the more rarely they end. */
static struct shape nested(size_t size, size_t deepest, bool lines)
{
    struct nest nest = {.random = 1, .deepest = deepest, .lines = lines};
    add(&nest.shape, "[");
    nest.closers[nest.depth++] = ']';
    nest.empty = true;
    while (nest.shape.size < size)
        if (nest.depth > 1 && draw(&nest.random, deepest > 100 ? 6 : 5) == 0)
            close_container(&nest);
        else
            add_item(&nest);
    while (nest.depth > 0)
        close_container(&nest);
    return nest.shape;
}

struct shape shape_tokens(size_t size)
{
    return nested(size, 8, false);
}

struct shape shape_lines(size_t size)
{
    return nested(size, 8, true);
}

struct shape shape_nested(size_t size)
{
    return nested(size, 900, false);
}

static struct shape strings(size_t size, const char *const *parts, unsigned count, unsigned longest)
{
    struct shape shape = {0};
    uint64_t random = 1;
    add(&shape, "[\"\"");
    while (shape.size < size) {
        add(&shape, ",\"");
        for (unsigned left = draw(&random, longest + 1); left > 0; left--)
            add(&shape, "%s", parts[draw(&random, count)]);
        add(&shape, "\"");
    }
    add(&shape, "]\n");
    return shape;
}

struct shape shape_strings(size_t size)
{
    static const char *const parts[] = {"a", "b", "0", "{", ",", ":"};
    return strings(size, parts, 6, 20);
}

struct shape shape_letters(size_t size)
{
    static const char *const parts[] = {"a", "b", "\xc3\xa9", "\xe4\xbd\xa0", "\xf0\x9f\x98\x80"};
    return strings(size, parts, 5, 20);
}

struct shape shape_escapes(size_t size)
{
    static const char *const parts[] = {"\\n", "\\\"", "\\\\", "a", "\\/", "bcd"};
    return strings(size, parts, 6, 60);
}

struct shape shape_codes(size_t size)
{
    static const char *const parts[] = {"\\u00e9", "\\ud83d\\uDE00", "a", "\\u4F60", "\\t"};
    return strings(size, parts, 5, 20);
}

/* ---- TOML, and what grows ---- */

struct shape shape_packages(size_t size)
{
    struct shape shape = {0};
    add(&shape, "# generated, do not edit\nversion = 3\n\n");
    for (unsigned i = 0; shape.size < size; i++)
        add(&shape,
            "[[package]]\nname = \"crate-%u\"\nversion = \"%u.%u.%u\"\n"
            "source = \"registry+index\"\nchecksum = \"%08x%08x%08x%08x%08x%08x%08x%08x\"\n"
            "dependencies = [\n \"crate-%u\",\n \"crate-%u\",\n \"crate-%u\",\n]\n\n",
            i, i % 9, i % 7, i % 31, i * 2654435761u, i * 40503u, i * 69069u, i, i * 3, i * 5,
            i * 7, i * 11, i / 2, i / 3, i / 5);
    add(&shape, "[metadata]\nend = 0\n");
    return shape;
}

struct shape shape_keys(size_t count, int toml)
{
    struct shape shape = {0};
    add(&shape, toml ? "end = 0\n" : "{\n  \"end\": 0");
    for (size_t i = 0; i < count; i++)
        add(&shape, toml ? "key-%zu = %zu\n" : ",\n  \"key-%zu\": %zu", i, i);
    add(&shape, toml ? "" : "\n}\n");
    return shape;
}

struct shape shape_dotted(size_t count, int toml)
{
    struct shape shape = {0};
    add(&shape, toml ? "end = 0\n" : "{\n  \"end\": 0");
    for (size_t i = 0; i < count; i++)
        add(&shape, toml ? "some.table.key-%zu = %zu\n" : ",\n  \"some.table.key-%zu\": %zu", i, i);
    add(&shape, toml ? "" : "\n}\n");
    return shape;
}

struct shape shape_tables(size_t count, int toml)
{
    struct shape shape = {0};
    add(&shape, toml ? "end = 0\n" : "{\n  \"end\": 0");
    for (size_t i = 0; i < count; i++)
        add(&shape,
            toml ? "\n[table-%zu.sub]\na = %zu\n" : ",\n  \"t%zu\": {\"sub\": {\"a\": %zu}}", i, i);
    add(&shape, toml ? "" : "\n}\n");
    return shape;
}

struct shape shape_elements(size_t count, int toml)
{
    struct shape shape = {0};
    add(&shape, toml ? "end = 0\n" : "{\n  \"end\": 0,\n  \"element\": [\n    {}");
    for (size_t i = 0; i < count; i++)
        add(&shape, toml ? "\n[[element]]\na = %zu\n" : ",\n    {\"a\": %zu}", i);
    add(&shape, toml ? "" : "\n  ]\n}\n");
    return shape;
}

struct shape shape_arrays(size_t count, int toml)
{
    struct shape shape = {0};
    add(&shape, toml ? "end = 0\nlist = [\n" : "{\n  \"end\": 0,\n  \"list\": [\n    0");
    for (size_t i = 0; i < count; i++)
        add(&shape, toml ? "  [%zu, 2, [3]],\n" : ",\n    [%zu, 2, [3]]", i);
    add(&shape, toml ? "]\n" : "\n  ]\n}\n");
    return shape;
}

struct shape shape_comments(size_t count, int toml)
{
    struct shape shape = {0};
    add(&shape, toml ? "" : "{\n");
    for (size_t i = 0; i < count; i++)
        add(&shape, toml ? "# remark %zu\n" : "  // remark %zu\n", i);
    add(&shape, toml ? "end = 0 # here\n" : "  \"end\": 0 // here\n}\n");
    return shape;
}

/* JSON and arrays in TOML have a limit; beyond it the depth is repeated side by side. */
struct shape shape_depth(size_t count, int toml)
{
    struct shape shape = {0};
    add(&shape, toml ? "end = 0\nlist = [" : "{\n  \"end\": 0,\n  \"list\": [");
    for (size_t done = 0; done < count; done += 100) {
        for (int i = 0; i < 100; i++)
            add(&shape, "[");
        for (int i = 0; i < 100; i++)
            add(&shape, "]");
        add(&shape, done + 100 < count ? "," : "");
    }
    add(&shape, toml ? "]\n" : "]\n}\n");
    return shape;
}

void shape_free(struct shape *shape)
{
    free(shape->text);
    *shape = (struct shape){0};
}
