/* Configurations. The input: a schema ended by NUL, then up to three TOML documents, the lowest
 * first, each ended by NUL.
 *
 * A schema is read or refused with its place. What is seen of all documents at a key is what
 * merging them whole, by other means, has there; and the schema has an answer about it. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "store/config/schema.h"
#include "store/config/view.h"

enum { DOCUMENTS = 3 };

/* ---- merging, done the plain way ---- */

static struct untorn_node *merge(struct arena *arena, const struct untorn_node *low,
                                 const struct untorn_node *high)
{
    if (!low || low->kind != UNTORN_OBJECT || high->kind != UNTORN_OBJECT)
        return node_copy(arena, high);
    struct untorn_node *made = node_copy(arena, low);
    for (const struct untorn_node *member = high->first; made && member; member = member->next) {
        struct untorn_node *old = node_member(made, member->key, member->key_size);
        struct untorn_node *new = merge(arena, old, member);
        const char *key = arena_copy(arena, member->key, member->key_size);
        REQUIRE(new &&key &&node_put_member(arena, made, key, member->key_size, new));
    }
    return made;
}

/* ---- the view, walked beside it ---- */

static size_t check_table(const struct view *view, const struct schema_place *place,
                          const struct untorn_node *merged);

static void check_value(const struct view *view, const struct schema_place *place,
                        const struct untorn_node *merged)
{
    const struct untorn_node *node = view->nodes[view->top];
    char why[SCHEMA_WHY] = "";
    if (view_is_table(view)) {
        REQUIRE(merged->kind == UNTORN_OBJECT);
        REQUIRE(check_table(view, place, merged) == merged->count);
        return;
    }
    REQUIRE(node_equal(node, merged));
    if (!schema_allows(place, node, why))
        REQUIRE(why[0] && strlen(why) < sizeof why);
    (void)schema_allows_scope(schema_governs(place), UNTORN_SCOPE_GLOBAL, why);
}

/* How many members it has. */
static size_t check_table(const struct view *view, const struct schema_place *place,
                          const struct untorn_node *merged)
{
    size_t count = 0;
    int layer = 0;
    for (const struct untorn_node *member = view_next(view, NULL, &layer); member;
         member = view_next(view, member, &layer)) {
        struct view inner = view_member(view, member->key, member->key_size);
        struct schema_place inner_place = schema_enter(place, member->key, member->key_size);
        const struct untorn_node *wanted = node_member(merged, member->key, member->key_size);
        REQUIRE(wanted && inner.top >= 0);
        check_value(&inner, &inner_place, wanted);
        count++;
    }
    return count;
}

static void check_documents(struct fuzz_input *input, const struct schema *schema)
{
    struct parsed parsed[DOCUMENTS] = {0};
    struct fuzz_text texts[DOCUMENTS] = {0};
    struct layers layers = {0};
    struct arena arena = {0};
    struct untorn_node *merged = NULL;
    struct flaw flaw;
    for (int i = 0; i < DOCUMENTS; i++) {
        texts[i] = fuzz_field(input);
        if (parse(texts[i].data, texts[i].size, UNTORN_TOML, &parsed[i], &flaw) != 0)
            continue;
        layers.layers[LAYER_GLOBAL + i].root = parsed[i].root;
        merged = merge(&arena, merged, parsed[i].root);
        REQUIRE(merged);
    }
    struct view view = view_root(&layers);
    struct schema_place place = schema_root(schema);
    if (merged)
        check_value(&view, &place, merged);
    for (int i = 0; i < DOCUMENTS; i++) {
        parsed_free(&parsed[i]);
        free(texts[i].data);
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct schema schema = {0};
    struct untorn_error error;
    char *text = fuzz_string(&input);
    int rc = schema_open(&schema, NULL, text, &error);
    REQUIRE(rc == 0 || (rc == -UNTORN_DAMAGED && strncmp(error.detail, "line ", 5) == 0));
    check_documents(&input, &schema);
    schema_close(&schema);
    free(text);
    return 0;
}
