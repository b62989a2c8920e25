#include "shapes.h"

#include <stdarg.h>
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
