/* One edit of a large JSON text in memory: the same bytes and words as by a tree. */
#include "heap.h"

#include <stdio.h>

#include "text/document.h"
#include "text/json_held.h"

static struct untorn_error error, other_error;
static char *text;
static size_t size;

/* {"list": [...], "o": {"key-0": "v", ...}, "end": 1}, large enough. */
static void fill(const char *end)
{
    free(text);
    text = malloc(2 * JSON_HELD_LEAST);
    size = (size_t)sprintf(text, "{\n  \"list\": [1, 2],\n  \"o\": {");
    for (int i = 0; size < JSON_HELD_LEAST; i++)
        size += (size_t)sprintf(text + size, "%s\n    \"key-%d\": \"v\"", i ? "," : "", i);
    size += (size_t)sprintf(text + size, "\n  },\n  \"end\": 1\n}%s", end);
}

/* What was told of it. */
static char met[100];
static bool made;

static void tell(void *context, size_t edit, const struct untorn_node *node, bool is_made)
{
    (void)context;
    CHECK_INT(edit, 0);
    snprintf(met, sizeof met, "%s", untorn_node_text(node, NULL));
    made = is_made;
}

static int held(const struct untorn_edit *edit, char **ret_text, size_t *ret_size)
{
    struct asking asking = {.tell = tell};
    int rc = 1;
    *met = '\0';
    error = (struct untorn_error){0};
    bool done =
        json_held_edit(text, size, UNTORN_JSON, edit, &asking, ret_text, ret_size, &rc, &error);
    CHECK(done);
    return rc;
}

struct outcome {
    int rc;
    char *text;
    size_t size;
};

/* Ours has `error`, theirs `other_error`; both texts are freed. */
static void check_outcomes(struct outcome *ours, struct outcome *theirs)
{
    CHECK_INT(ours->rc, theirs->rc);
    CHECK_BYTES(ours->text, ours->size, theirs->text, theirs->size);
    CHECK_TEXT(error.detail, other_error.detail);
    free(ours->text);
    free(theirs->text);
}

static struct outcome generally(const char *of, size_t of_size, const struct untorn_edit *edit)
{
    struct outcome outcome;
    other_error = (struct untorn_error){0};
    outcome.rc = document_edit_planned(of, of_size, UNTORN_JSON, NULL, edit, 1, &outcome.text,
                                       &outcome.size, &other_error);
    return outcome;
}

static void check_same(struct untorn_edit edit)
{
    struct outcome ours;
    edit.value_size = edit.value ? strlen(edit.value) : 0;
    ours.rc = held(&edit, &ours.text, &ours.size);
    struct outcome theirs = generally(text, size, &edit);
    check_outcomes(&ours, &theirs);
}

TEST(the_bytes_are_those_of_a_tree)
{
    static const char *const ends[] = {"", "\n"};
    for (int i = 0; i < 2; i++) {
        fill(ends[i]);
        check_same((struct untorn_edit){.kind = UNTORN_ENSURE, .key = "o.new", .value = "x"});
        CHECK_TEXT(met, "x");
        CHECK(made);
        check_same((struct untorn_edit){.kind = UNTORN_ENSURE, .key = "o.key-9", .value = "x"});
        CHECK_TEXT(met, "v");
        CHECK(!made);
        check_same((struct untorn_edit){.kind = UNTORN_ENSURE, .key = "first.a.b", .value = "1"});
        check_same((struct untorn_edit){.kind = UNTORN_ENSURE, .key = "end.a", .value = "1"});
        check_same((struct untorn_edit){.kind = UNTORN_ENSURE, .key = "list[+]", .value = "1"});
        check_same((struct untorn_edit){.kind = UNTORN_SET, .key = "list[+]", .value = "3"});
        check_same((struct untorn_edit){.kind = UNTORN_SET, .key = "o.new", .value = "3"});
        check_same((struct untorn_edit){.kind = UNTORN_UNSET, .key = "o.key-3"});
    }
}

TEST(what_is_small_or_no_json_is_left_to_a_tree)
{
    struct untorn_edit edit = {.kind = UNTORN_ENSURE, .key = "a", .value = "1", .value_size = 1};
    char *made_text;
    size_t made_size;
    int rc;
    CHECK(!json_held_edit("{}", 2, UNTORN_JSON, &edit, NULL, &made_text, &made_size, &rc, &error));
    fill("");
    CHECK(
        !json_held_edit(text, size, UNTORN_TOML, &edit, NULL, &made_text, &made_size, &rc, &error));
    fill(" x"); /* not even that */
    CHECK(!json_held_edit(text, size, UNTORN_JSON, &edit, NULL, &made_text, &made_size, &rc,
                          &error) ||
          rc == -UNTORN_DAMAGED);
}

/* What may be done to a small text in large steps and in small ones. */
TEST(a_small_text_can_go_the_same_way)
{
    static const char small[] =
        "{\n  \"list\": [1, 2],\n  \"o\": {\"key-1\": \"v\"},\n  \"end\": 1\n}\n";
    static const struct untorn_edit edits[] = {
        {.kind = UNTORN_SET, .key = "o.new", .value = "3", .value_size = 1},
        {.kind = UNTORN_SET, .key = "end", .value = "1", .value_size = 1},
        {.kind = UNTORN_UNSET, .key = "o.key-1"},
        {.kind = UNTORN_INSERT, .key = "list[0]", .value = "0", .value_size = 1},
        {.kind = UNTORN_RENAME, .key = "o", .value = "p", .value_size = 1},
        {.kind = UNTORN_ENSURE, .key = "first", .value = "1", .value_size = 1},
        {.kind = UNTORN_ENSURE, .key = "end", .value = "2", .value_size = 1},
        {.kind = UNTORN_UNSET, .key = "none"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        for (size_t room = 0; room < 100; room++) {
            struct json_held_sizes sizes = {.room = room, .margin = room % 2};
            struct outcome ours, theirs = generally(small, strlen(small), &edits[i]);
            error = (struct untorn_error){0};
            CHECK(json_held_edit_sized(small, strlen(small), UNTORN_JSON, &edits[i], &sizes, NULL,
                                       &ours.text, &ours.size, &ours.rc, &error));
            check_outcomes(&ours, &theirs);
        }
    }
}

TEST(each_allocation_may_fail)
{
    struct untorn_edit edit = {.kind = UNTORN_ENSURE, .key = "o.n", .value = "1", .value_size = 1};
    bool failed = true;
    heap_needed();
    fill("");
    for (int nth = 1; failed; nth++) {
        struct asking asking = {.tell = tell};
        char *made_text = NULL;
        size_t made_size;
        int rc;
        long before = heap.live;
        heap_fail(nth);
        bool done = json_held_edit(text, size, UNTORN_JSON, &edit, &asking, &made_text, &made_size,
                                   &rc, &error);
        failed = heap_failed();
        CHECK(!done || rc == 0 || rc == -UNTORN_NO_MEMORY);
        CHECK(done || failed);
        if (done)
            free(made_text);
        CHECK_INT(heap.live, before);
    }
}
