/* Edits of a document. The input: format, number of edits ('0' to '3'), a node of the document;
 * for each edit its kind ("suir"), syntax ("psjt"), key and value, each ended by NUL; the document.
 *
 * Whatever the edits are, what they leave is a document, and the layout of the old one does not
 * decide what they do. And for the node: what it is already changes nothing, another value changes
 * its own bytes only, what is added can be removed again. */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text/document.h"
#include "text/format.h"
#include "text/json_stream.h"
#include "text/value.h"
#include "text/write.h"

enum { MOST_EDITS = 3 };

struct edits {
    struct untorn_edit list[MOST_EDITS];
    size_t count;
};

static void take_edits(struct fuzz_input *input, size_t count, struct edits *ret_edits)
{
    *ret_edits = (struct edits){.count = count};
    for (size_t i = 0; i < count; i++)
        ret_edits->list[i] = fuzz_edit(input, "suir");
}

static void free_edits(struct edits *edits)
{
    for (size_t i = 0; i < edits->count; i++)
        fuzz_edit_free(&edits->list[i]);
}

/* ---- one document_edit, held to what is promised of each ---- */

/* The quick way of a plain set leads to the same bytes as the general one. [QUICK-2] */
static void check_general(const struct fuzz_text *text, enum untorn_format format,
                          const struct untorn_edit *edit, int expected,
                          const struct fuzz_text *expected_text)
{
    struct untorn_error error = {0};
    struct fuzz_text general;
    int rc = document_edit_planned(text->data, text->size, format, NULL, edit, 1, &general.data,
                                   &general.size, &error);
    REQUIRE(rc == expected);
    REQUIRE(rc != 0 || fuzz_same_text(&general, expected_text));
    free(general.data);
}

struct stream {
    const struct fuzz_text *text;
    struct buffer written;
};

static int64_t read_some(void *context, char *data, size_t size, uint64_t offset)
{
    struct stream *stream = context;
    size_t left = offset < stream->text->size ? stream->text->size - (size_t)offset : 0;
    size = size < left ? size : left;
    size = size < 7 ? size : 7;
    if (size > 0)
        memcpy(data, stream->text->data + offset, size);
    return (int64_t)size;
}

static int write_some(void *context, const char *data, size_t size)
{
    buffer_add(&((struct stream *)context)->written, data, size);
    return 0;
}

/* The way of large files, where it can be gone, leads to the same bytes. [STREAM-3] What takes up
 * to `whole` bytes is not left out. */
static void check_stream(const struct fuzz_text *text, enum untorn_format format,
                         const struct untorn_edit *edit, size_t whole, int expected,
                         const struct fuzz_text *expected_text)
{
    struct stream stream = {.text = text};
    struct json_stream_io io = {
        .read = read_some, .write = write_some, .context = &stream, .room = 8, .whole = whole};
    struct untorn_error error = {0};
    int rc = json_stream_edit(edit, format, &io, &error);
    if (rc == JSON_STREAM_MISGUESSED) {
        buffer_free(&stream.written);
        io.careful = true;
        rc = json_stream_edit(edit, format, &io, &error);
    }
    const struct fuzz_text written = {stream.written.data, stream.written.size};
    REQUIRE(rc <= JSON_STREAM_UNSUITED);
    if (rc == 0)
        REQUIRE(expected == 0 && fuzz_same_text(&written, expected_text));
    else if (rc == JSON_STREAM_UNCHANGED)
        REQUIRE(expected == 0 && fuzz_same_text(text, expected_text));
    else if (rc < 0)
        REQUIRE(rc == expected);
    buffer_free(&stream.written);
}

static int edit_text(const struct fuzz_text *text, enum untorn_format format,
                     const struct untorn_edit *edits, size_t count, struct fuzz_text *ret_text)
{
    struct untorn_error error = {0};
    char words[UNTORN_TEXT_SIZE];
    int rc = document_edit(text->data, text->size, format, edits, count, &ret_text->data,
                           &ret_text->size, &error);
    REQUIRE(rc <= 0 && error.status == -rc);
    REQUIRE(rc != -UNTORN_MISPLANNED);
    REQUIRE((rc == 0) == (ret_text->data != NULL));
    if (rc != 0)
        REQUIRE(strlen(untorn_describe(&error, words, sizeof words)) > 0);
    if (count == 1 && edits->kind == UNTORN_SET)
        check_general(text, format, edits, rc, ret_text);
    for (size_t whole = 1; whole < 64 && count == 1 && !format_is_toml(format); whole *= 6)
        check_stream(text, format, edits, whole, rc, ret_text);
    if (rc == 0) {
        struct parsed parsed = fuzz_parse(ret_text->data, ret_text->size, format); /* DOCUMENT-1 */
        parsed_free(&parsed);
    }
    return rc;
}

static bool same_data(const struct fuzz_text *one, const struct fuzz_text *other,
                      enum untorn_format format)
{
    struct parsed first = fuzz_parse(one->data, one->size, format);
    struct parsed second = fuzz_parse(other->data, other->size, format);
    bool same = node_equal(first.root, second.root);
    parsed_free(&first);
    parsed_free(&second);
    return same;
}

/* ---- the edits of the input ---- */

/* The same edits of the same data in another layout come to the same. */
static void check_other_layout(const struct parsed *parsed, const struct edits *edits, int expected,
                               const struct fuzz_text *expected_text)
{
    struct fuzz_text other, edited;
    fuzz_rewrite(parsed, &other);
    int rc = edit_text(&other, parsed->format, edits->list, edits->count, &edited);
    bool refused = format_is_toml(parsed->format) &&
                   (rc == -UNTORN_TYPE || expected == -UNTORN_TYPE); /* to keep its comments */
    REQUIRE(rc == expected || refused);
    if (rc == 0 && !refused)
        REQUIRE(same_data(&edited, expected_text, parsed->format));
    free(edited.data);
    free(other.data);
}

static void check_edits(const struct fuzz_text *text, const struct parsed *parsed,
                        const struct edits *edits)
{
    struct fuzz_text edited;
    enum untorn_format format = parsed->format;
    int rc = edit_text(text, format, edits->list, edits->count, &edited);
    check_other_layout(parsed, edits, rc, &edited);
    free(edited.data);
}

/* ---- the node of the input ---- */

static struct untorn_edit set_of(const char *key, enum untorn_syntax syntax, const char *value,
                                 size_t size)
{
    return (struct untorn_edit){
        .kind = UNTORN_SET, .key = key, .syntax = syntax, .value = value, .value_size = size};
}

static void check_own_spelling(const struct fuzz_text *text, const struct parsed *parsed,
                               const struct untorn_node *node, const char *key)
{
    struct fuzz_text same;
    bool toml = format_is_toml(parsed->format);
    struct untorn_edit edit =
        set_of(key, toml ? UNTORN_AS_TOML : UNTORN_AS_JSON, node->raw, node->raw_size);
    if (!node->raw)
        return;
    REQUIRE(edit_text(text, parsed->format, &edit, 1, &same) == 0);
    REQUIRE(fuzz_same_text(text, &same));
    free(same.data);
}

/* All bytes but those of the scalar stay. */
static void check_new_spelling(const struct fuzz_text *text, const struct parsed *parsed,
                               const struct untorn_node *node, const char *key)
{
    struct fuzz_text changed;
    struct span span = parsed_span(parsed, node);
    struct untorn_edit edit = set_of(key, UNTORN_AS_STRING, "n'e\"w\n", 6);
    if (node_is_container(node) || !node->raw)
        return;
    int rc = edit_text(text, parsed->format, &edit, 1, &changed);
    REQUIRE(rc == 0 || rc == -UNTORN_TOO_LARGE);
    if (rc != 0)
        return;
    size_t behind = text->size - (size_t)span.end;
    REQUIRE(changed.size >= span.start + behind);
    REQUIRE(memcmp(changed.data, text->data, (size_t)span.start) == 0);
    REQUIRE(memcmp(changed.data + changed.size - behind, text->data + span.end, behind) == 0);
    free(changed.data);
}

/* A carriage return alone, blanks at the end of a line, a comma at the start of one. */
static bool has_odd_line(const struct fuzz_text *text)
{
    bool starts = false;
    for (size_t i = 0; i < text->size; i++) {
        char here = text->data[i], next = i + 1 < text->size ? text->data[i + 1] : '\0';
        bool blank = here == ' ' || here == '\t';
        if ((here == '\r' && next != '\n') || (blank && (next == '\n' || next == '\r')) ||
            (here == ',' && starts))
            return true;
        starts = here == '\n' || (starts && blank);
    }
    return false;
}

/* Nothing tells {} from { } once there was something in it; a table that was only named by longer
 * headers keeps the header that it got; an odd line may be tidied. */
static bool is_restorable(const struct fuzz_text *text, const struct untorn_node *object)
{
    return object->count > 0 && object->origin != NODE_IMPLIED && !has_odd_line(text);
}

/* The part is the whole with some bytes left out. */
static bool is_part_of(const struct fuzz_text *part, const struct fuzz_text *whole)
{
    size_t at = 0;
    for (size_t i = 0; i < whole->size && at < part->size; i++)
        at += whole->data[i] == part->data[at];
    return at == part->size;
}

static void check_added(const struct fuzz_text *text, const struct parsed *parsed,
                        const struct untorn_node *node, const char *key, struct arena *arena)
{
    static const char *const values[] = {"1", "\"x\"", "[1, 2]", "{\"p\": {\"q\": [{}]}}"};
    struct fuzz_text added, removed;
    const char *value = values[text->size % 4];
    if (node->kind != UNTORN_OBJECT || node_member(node, "new key", 7))
        return;
    char *below = arena_take(arena, strlen(key) + sizeof "/new key");
    REQUIRE(below);
    strcat(strcpy(below, key), "/new key");
    struct untorn_edit edit = set_of(below, UNTORN_AS_JSON, value, strlen(value));
    int rc = edit_text(text, parsed->format, &edit, 1, &added);
    REQUIRE(rc == 0 || rc == -UNTORN_TOO_LARGE);
    if (rc != 0)
        return;
    REQUIRE(node->count == 0 || is_part_of(text, &added)); /* blank lines in {} may go */
    edit = (struct untorn_edit){.kind = UNTORN_UNSET, .key = below};
    REQUIRE(edit_text(&added, parsed->format, &edit, 1, &removed) == 0);
    REQUIRE(same_data(text, &removed, parsed->format));
    REQUIRE(!is_restorable(text, node) || fuzz_same_text(text, &removed));
    free(added.data);
    free(removed.data);
}

/* What may come of an edit that makes sense. */
static void check_change(const struct fuzz_text *text, enum untorn_format format,
                         const struct untorn_edit *edit)
{
    struct fuzz_text changed;
    int rc = edit_text(text, format, edit, 1, &changed);
    REQUIRE(rc == 0 || rc == -UNTORN_TOO_LARGE ||
            (edit->kind == UNTORN_RENAME && rc == -UNTORN_AMBIGUOUS) ||
            (rc == -UNTORN_TYPE && format_is_toml(format)));
    if (rc == 0 && edit->kind == UNTORN_UNSET)
        REQUIRE(is_part_of(&changed, text) || format_is_toml(format)); /* which may get a = [] */
    free(changed.data);
}

/* What is there stays. */
static void check_ensured(const struct fuzz_text *text, enum untorn_format format, const char *key)
{
    struct untorn_edit edit = {.kind = UNTORN_ENSURE, .key = key, .value = "1", .value_size = 1};
    struct fuzz_text same;
    REQUIRE(edit_text(text, format, &edit, 1, &same) == 0);
    REQUIRE(same.size == text->size && memcmp(same.data, text->data, text->size) == 0);
    free(same.data);
}

/* It goes, gets another name, becomes a container, makes room for another before it. */
static void check_changes(const struct fuzz_text *text, const struct parsed *parsed,
                          const struct untorn_node *node, const char *key)
{
    static const char *const values[] = {"{}", "[]", "{\"x\": {\"y z\": [1, {\"p\": 2}]}}",
                                         "[{\"q\": {}}, {\"r\": 1.5}]"};
    const char *value = values[text->size % 4];
    struct untorn_edit edit = set_of(key, UNTORN_AS_JSON, value, strlen(value));
    check_change(text, parsed->format, &edit);
    if (!node->key) {
        edit.kind = UNTORN_INSERT;
        check_change(text, parsed->format, &edit);
    }
    check_ensured(text, parsed->format, key);
    edit = (struct untorn_edit){.kind = UNTORN_UNSET, .key = key};
    check_change(text, parsed->format, &edit);
    edit = (struct untorn_edit){
        .kind = UNTORN_RENAME, .key = key, .value = "new name", .value_size = 8};
    if (node->key)
        check_change(text, parsed->format, &edit);
}

static void check_node(const struct fuzz_text *text, const struct parsed *parsed, uint8_t number)
{
    struct arena arena = {0};
    struct untorn_node *node = fuzz_nth_node(parsed->root, number % fuzz_count_nodes(parsed->root));
    const char *key = fuzz_pointer(node, &arena);
    if (key && *key) {
        check_own_spelling(text, parsed, node, key);
        check_new_spelling(text, parsed, node, key);
        check_changes(text, parsed, node, key);
    }
    if (key)
        check_added(text, parsed, node, key, &arena);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct edits edits;
    struct parsed parsed;
    struct flaw flaw;
    enum untorn_format format = fuzz_format(&input);
    size_t count = fuzz_byte(&input) % (MOST_EDITS + 1);
    uint8_t number = fuzz_byte(&input);
    take_edits(&input, count, &edits);
    struct fuzz_text text = fuzz_rest(&input), edited;
    if (parse(text.data, text.size, format, &parsed, &flaw) == 0) {
        check_edits(&text, &parsed, &edits);
        check_node(&text, &parsed, number);
        parsed_free(&parsed);
    } else {
        int rc = edit_text(&text, format, edits.list, edits.count, &edited);
        REQUIRE(rc == -UNTORN_DAMAGED);
    }
    free_edits(&edits);
    free(text.data);
    return 0;
}
