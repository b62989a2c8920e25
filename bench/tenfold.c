/* That nothing in a document makes an edit dearer than its share: the same edits of a document and
 * of one with ten times as much of something. In memory. */
#include <stdio.h>
#include <string.h>

#include <untorn/document.h>

#include "pairs.h"
#include "shapes.h"

static struct shape small_shape, large_shape;
static enum untorn_format growing;

static void grow(struct shape (*make)(size_t, int), int toml, size_t count)
{
    count = pairs_is_quick() ? 100 : count;
    shape_free(&small_shape);
    shape_free(&large_shape);
    growing = toml ? UNTORN_TOML : UNTORN_JSONC;
    small_shape = make(count, toml);
    large_shape = make(10 * count, toml);
}

/* ---- one edit after the other ---- */

static void edit_shape(const struct shape *shape)
{
    static const struct untorn_edit edits[] = {
        {.kind = UNTORN_SET, .key = "end", .value = "1", .value_size = 1},
        {.kind = UNTORN_SET, .key = "new", .value = "1", .value_size = 1},
        {.kind = UNTORN_UNSET, .key = "end"},
    };
    struct untorn_document *document;
    pairs_must(untorn_document_parse(shape->text, shape->size, growing, &document, NULL) == 0,
               "parse a shape");
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        pairs_must(untorn_document_edit(document, &edits[i], 1, NULL) == 0, "edit a shape");
    untorn_document_free(document);
}

static void edit_small(void)
{
    edit_shape(&small_shape);
}

static void edit_large(void)
{
    edit_shape(&large_shape);
}

/* ---- many changes at once ---- */

static void patch_shape(const struct shape *shape)
{
    char patch[8192] = "{", *to = patch + 1;
    struct untorn_document *document;
    for (int i = 0; i < (pairs_is_quick() ? 2 : 200); i++)
        to += snprintf(to, 32, "%s\"new-%d\": %d", i > 0 ? ", " : "", i, i);
    strcpy(to, "}");
    struct untorn_edit edit = {
        .kind = UNTORN_MERGE_PATCH, .value = patch, .value_size = strlen(patch)};
    pairs_must(untorn_document_parse(shape->text, shape->size, growing, &document, NULL) == 0 &&
                   untorn_document_edit(document, &edit, 1, NULL) == 0,
               "patch a shape");
    untorn_document_free(document);
}

static void patch_small(void)
{
    patch_shape(&small_shape);
}

static void patch_large(void)
{
    patch_shape(&large_shape);
}

/* ---- the rows ---- */

/* From what fits in a processor's own memory to what fits in no cache. */
#define GROWTH(thing_)                                                                             \
    static void json_few_##thing_(void)                                                            \
    {                                                                                              \
        grow(shape_##thing_, 0, 2000);                                                             \
    }                                                                                              \
    static void json_many_##thing_(void)                                                           \
    {                                                                                              \
        grow(shape_##thing_, 0, 20000);                                                            \
    }                                                                                              \
    static void toml_few_##thing_(void)                                                            \
    {                                                                                              \
        grow(shape_##thing_, 1, 2000);                                                             \
    }                                                                                              \
    static void toml_many_##thing_(void)                                                           \
    {                                                                                              \
        grow(shape_##thing_, 1, 20000);                                                            \
    }
GROWTH(keys)
GROWTH(dotted)
GROWTH(tables)
GROWTH(elements)
GROWTH(arrays)
GROWTH(comments)
GROWTH(depth)

#define ROW(name_, prepare_, verb_, count_)                                                        \
    {                                                                                              \
        .name = name_, .peer = "the same edits of a tenth of it", .prepare = prepare_,             \
        .ours = verb_##_large, .theirs = verb_##_small, .target = 12, .computes = true,            \
        .count = count_                                                                            \
    }
#define GROWTH_ROWS(thing_, in_json_, in_toml_)                                                    \
    ROW("20,000 " in_json_ " of a JSON", json_few_##thing_, edit, 15),                             \
        ROW("200,000 " in_json_ " of a JSON", json_many_##thing_, edit, 9),                        \
        ROW("20,000 " in_toml_ " of a TOML", toml_few_##thing_, edit, 15),                         \
        ROW("200,000 " in_toml_ " of a TOML", toml_many_##thing_, edit, 9)

static const struct pairs_row rows[] = {
    GROWTH_ROWS(keys, "keys", "keys"),
    GROWTH_ROWS(dotted, "long keys", "dotted keys"),
    GROWTH_ROWS(tables, "objects", "tables"),
    GROWTH_ROWS(elements, "objects in an array", "[[tables]]"),
    GROWTH_ROWS(arrays, "arrays", "arrays"),
    GROWTH_ROWS(comments, "comments", "comments"),
    GROWTH_ROWS(depth, "levels", "levels"),
    ROW("a patch of 200 keys for 20,000 of a JSON", json_few_keys, patch, 5),
    ROW("a patch of 200 keys for 20,000 of a TOML", toml_few_keys, patch, 5),
};

int main(int argc, char **argv)
{
    return pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
