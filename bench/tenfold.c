/* That nothing in a document makes an edit dearer than its share: the same edits of a document and
 * of one with ten times as much of something. In memory. */
#include <limits.h>
#include <malloc.h>

#include <untorn/document.h>

#include "pairs.h"
#include "shapes.h"

static struct shape small_shape, large_shape;
static enum untorn_format growing;

static void edit_shape(const struct shape *shape)
{
    struct untorn_document *document;
    struct untorn_edit edit = {.kind = UNTORN_SET, .key = "end", .value = "1", .value_size = 1};
    struct untorn_edit more = {.kind = UNTORN_SET, .key = "new", .value = "1", .value_size = 1};
    struct untorn_edit gone = {.kind = UNTORN_UNSET, .key = "end"};
    const struct untorn_edit edits[] = {edit, more, gone};
    pairs_must(untorn_document_parse(shape->text, shape->size, growing, &document, NULL) == 0 &&
                   untorn_document_edit(document, edits, 3, NULL) == 0,
               "edit a shape");
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

static void grow(struct shape (*make)(size_t, int), int toml, size_t count)
{
    count = pairs_is_quick() ? 100 : count;
    shape_free(&small_shape);
    shape_free(&large_shape);
    growing = toml ? UNTORN_TOML : UNTORN_JSONC;
    small_shape = make(count, toml);
    large_shape = make(10 * count, toml);
}

/* Each as many as large files of people have; fewer would be lost beside the rest of a call. */
#define GROWTH(thing_, make_, count_)                                                              \
    static void prepare_json_##thing_(void)                                                        \
    {                                                                                              \
        grow(make_, 0, count_);                                                                    \
    }                                                                                              \
    static void prepare_toml_##thing_(void)                                                        \
    {                                                                                              \
        grow(make_, 1, count_);                                                                    \
    }
GROWTH(keys, shape_keys, 3000)
GROWTH(tables, shape_tables, 3000)
GROWTH(arrays, shape_arrays, 3000)
GROWTH(comments, shape_comments, 20000)
GROWTH(depth, shape_depth, 20000)

#define GROWTH_ROW(name_, prepare_)                                                                \
    {                                                                                              \
        .name = name_, .peer = "the same edits of a tenth of it", .prepare = prepare_,             \
        .ours = edit_large, .theirs = edit_small, .target = 12, .count = 15                        \
    }

static const struct pairs_row rows[] = {
    GROWTH_ROW("10 x the keys of a JSON", prepare_json_keys),
    GROWTH_ROW("10 x the objects of a JSON", prepare_json_tables),
    GROWTH_ROW("10 x the arrays of a JSON", prepare_json_arrays),
    GROWTH_ROW("10 x the comments of a JSON", prepare_json_comments),
    GROWTH_ROW("10 x the depth of a JSON", prepare_json_depth),
    GROWTH_ROW("10 x the keys of a TOML", prepare_toml_keys),
    GROWTH_ROW("10 x the tables of a TOML", prepare_toml_tables),
    GROWTH_ROW("10 x the arrays of a TOML", prepare_toml_arrays),
    GROWTH_ROW("10 x the comments of a TOML", prepare_toml_comments),
    GROWTH_ROW("10 x the depth of a TOML", prepare_toml_depth),
};

int main(int argc, char **argv)
{
    /* Memory is kept: what is measured is the edit, not where the allocator draws the line above
     * which the kernel clears every page anew. */
    mallopt(M_MMAP_THRESHOLD, INT_MAX);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    return pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
