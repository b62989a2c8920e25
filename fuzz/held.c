/* The way of large JSON that is in memory. The input: format; sizes, of which a bit says that the
 * value is a secret; a node of the document; an edit, as fuzz_edit takes it; the document.
 *
 * Whatever is edited, and however little is looked at at once: either it is left to the general
 * way, and nothing is known of the try afterwards, or it comes to the same bytes, the same refusal
 * in the same words, and the same answer to who asks. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "text/document.h"
#include "text/format.h"
#include "text/json_held.h"
#include "text/write.h"

/* What was told to who asks. */
struct told {
    size_t count;
    bool made;
    struct buffer value;
};

/* All that comes of an edit. */
struct outcome {
    int rc;
    struct fuzz_text text;
    struct told told;
    struct untorn_error error;
};

static void tell(void *context, size_t edit, const struct untorn_node *node, bool made)
{
    static const struct untorn_style compact = {.compact = true};
    struct told *told = context;
    REQUIRE(edit == 0);
    told->count++;
    told->made = made;
    write_json(&told->value, node, &compact, 0);
    REQUIRE(!told->value.failed);
}

static void free_outcome(struct outcome *outcome)
{
    free(outcome->text.data);
    buffer_free(&outcome->told.value);
}

/* `error` is as an earlier try left it. */
static struct outcome edit_generally(const struct fuzz_text *text, enum untorn_format format,
                                     const struct untorn_edit *edit,
                                     const struct untorn_error *error)
{
    struct outcome outcome = {.error = *error};
    struct asking asking = {.tell = tell, .context = &outcome.told};
    if (edit->kind == UNTORN_ENSURE) /* too small for any other way */
        outcome.rc = document_edit_asking(text->data, text->size, format, edit, 1, &asking,
                                          &outcome.text.data, &outcome.text.size, &outcome.error);
    else
        outcome.rc = document_edit_planned(text->data, text->size, format, NULL, edit, 1,
                                           &outcome.text.data, &outcome.text.size, &outcome.error);
    return outcome;
}

static bool same_words(const struct untorn_error *one, const struct untorn_error *other)
{
    char first[UNTORN_TEXT_SIZE], second[UNTORN_TEXT_SIZE];
    return one->status == other->status && one->os_error == other->os_error &&
           one->position == other->position && strcmp(one->detail, other->detail) == 0 &&
           strcmp(untorn_describe(one, first, sizeof first),
                  untorn_describe(other, second, sizeof second)) == 0;
}

static bool same_told(const struct told *one, const struct told *other)
{
    return one->count == other->count && one->made == other->made &&
           one->value.size == other->value.size &&
           (one->value.size == 0 ||
            memcmp(one->value.data, other->value.data, one->value.size) == 0);
}

static void require_same(const struct outcome *one, const struct outcome *other)
{
    REQUIRE(one->rc == other->rc);
    REQUIRE(same_words(&one->error, &other->error));
    if (one->rc != 0)
        return;
    REQUIRE(fuzz_same_text(&one->text, &other->text));
    REQUIRE(same_told(&one->told, &other->told));
}

static void check(const struct fuzz_text *text, enum untorn_format format,
                  const struct untorn_edit *edit, const struct json_held_sizes *sizes)
{
    static const struct untorn_error none = {.position = UNTORN_NO_POSITION};
    struct outcome held = {.error = none}, after;
    struct asking asking = {.tell = tell, .context = &held.told};
    struct outcome wanted = edit_generally(text, format, edit, &none);
    bool done = json_held_edit_sized(text->data, text->size, format, edit, sizes, &asking,
                                     &held.text.data, &held.text.size, &held.rc, &held.error);
    if (done) {
        REQUIRE(held.rc <= 0 && (held.rc == 0) == (held.text.data != NULL));
        REQUIRE(held.rc != 0 || held.text.data[held.text.size] == '\0');
        require_same(&held, &wanted);
    } else {
        REQUIRE(!held.text.data && held.told.count == 0);
        after = edit_generally(text, format, edit, &held.error);
        require_same(&after, &wanted);
        free_outcome(&after);
    }
    REQUIRE(!done || !format_is_toml(format));
    free_outcome(&wanted);
    free_outcome(&held);
}

/* Every kind of edit of a node, with a value that depends on the text. */
static void check_node(const struct fuzz_text *text, const struct parsed *parsed, uint8_t number,
                       const struct json_held_sizes *sizes)
{
    static const char *const values[] = {"1", "x", "\"a\\nb\"", "[1, 2]", "{\"p\": {\"q\": [{}]}}"};
    static const enum untorn_edit_kind kinds[] = {UNTORN_SET, UNTORN_UNSET, UNTORN_INSERT,
                                                  UNTORN_RENAME, UNTORN_ENSURE};
    struct arena arena = {0};
    struct untorn_node *node = fuzz_nth_node(parsed->root, number % fuzz_count_nodes(parsed->root));
    const char *key = fuzz_pointer(node, &arena);
    const char *value = values[text->size % 5];
    for (size_t i = 0; key && i < 2 * sizeof kinds / sizeof *kinds; i++) {
        char *below = arena_take(&arena, strlen(key) + sizeof "/new");
        REQUIRE(below);
        strcat(strcpy(below, key), i % 2 == 0 ? "" : node->kind == UNTORN_ARRAY ? "/-" : "/new");
        struct untorn_edit edit = {.kind = kinds[i / 2],
                                   .key = below,
                                   .value = value,
                                   .value_size = strlen(value),
                                   .syntax = *value == 'x' ? UNTORN_PLAIN : UNTORN_AS_JSON};
        check(text, parsed->format, &edit, sizes);
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t rooms[] = {1, 8, 64, 0}, wholes[] = {1, 6, 36, 0}, margins[] = {1, 0};
    struct fuzz_input input = {data, size};
    struct parsed parsed;
    struct flaw flaw;
    enum untorn_format format = fuzz_format(&input);
    uint8_t byte = fuzz_byte(&input), number = fuzz_byte(&input);
    const struct json_held_sizes sizes = {
        .room = rooms[byte % 4], .whole = wholes[byte / 4 % 4], .margin = margins[byte / 16 % 2]};
    struct untorn_edit edit = fuzz_edit(&input, "suire");
    edit.secret = byte / 32 % 2;
    struct fuzz_text text = fuzz_rest(&input), before = fuzz_copy(text.data, text.size);
    check(&text, format, &edit, &sizes);
    if (parse(text.data, text.size, format, &parsed, &flaw) == 0) {
        check_node(&text, &parsed, number, &sizes);
        parsed_free(&parsed);
    }
    REQUIRE(fuzz_same_text(&text, &before));
    free(before.data);
    free(text.data);
    fuzz_edit_free(&edit);
    return 0;
}
