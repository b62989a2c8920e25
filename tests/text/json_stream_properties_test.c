/* run: budget 15
 *
 * Edits on the fly and the general way: the same bytes and the same words, for every node of many
 * documents, wherever a piece ends and however much is left out. */
#include "harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json_changes.h"
#include "text/keypath.h"
#include "text/stream_runs.h"
#include "text/suites.h"

/* What is written, and how much of the text is there beside the place. */
enum weight { SCALAR, CONTAINER };
enum company { ALONE, NEIGHBOURS };

static struct count {
    int all, unsuited, misguessed; /* of edits that the general way does */
} counted[2][2];

static enum weight weight_of(const struct untorn_edit *edit)
{
    bool made = strstr(edit->key, ".deep[0].x") || strstr(edit->key, "[+].");
    bool given = edit->value_size > 0 && strchr("{[", edit->value[0]);
    return edit->kind != UNTORN_RENAME && (made || given) ? CONTAINER : SCALAR;
}

static void try_run(const struct stream_text *text, const struct untorn_edit *edit,
                    struct stream_run run, enum company company)
{
    struct count *count = &counted[weight_of(edit)][company];
    int general, rc = stream_compare(text, edit, &run, &general);
    count->misguessed += run.misguessed;
    count->all += general == 0;
    count->unsuited += general == 0 && rc == JSON_STREAM_UNSUITED;
}

static void try(const struct stream_text *text, const struct untorn_edit *edit)
{
    static const struct stream_run alone[] = {
        {.piece = 1, .room = 1, .whole = 1},
        {.piece = 1000, .room = 16, .whole = 1},
        {.piece = 1000000, .room = 0, .whole = 12},
        {.piece = 100, .room = 50, .whole = 1, .careful = true},
    };
    static const struct stream_run near = {.piece = 1000, .room = 100, .whole = 256};
    static size_t number;
    try_run(text, edit, alone[number++ % 4], ALONE);
    try_run(text, edit, near, NEIGHBOURS);
}

static void try_value(const struct stream_text *text, enum untorn_edit_kind kind, const char *key,
                      const char *value)
{
    struct untorn_edit edit = {.kind = kind,
                               .key = key,
                               .value = value,
                               .value_size = value ? strlen(value) : 0,
                               .syntax = kind == UNTORN_RENAME ? UNTORN_PLAIN : UNTORN_AS_JSON};
    try(text, &edit);
}

/* ---- one node ---- */

static const char *below(const char *key, const char *more)
{
    static char text[4096];
    snprintf(text, sizeof text, "%s%s", key, more + (*key == '\0' && *more == '.'));
    return text;
}

static void try_inside(const struct stream_text *text, const struct untorn_node *node,
                       const char *key, int number)
{
    static const char *const values[] = {"7", "\"new\"", "{}", "[1, 2]", "{\"p\": {\"q\": [{}]}}"};
    const char *value = values[number % 5];
    char index[32];
    if (node->kind == UNTORN_OBJECT) {
        try_value(text, UNTORN_SET, below(key, ".\"new key\""), value);
        try_value(text, UNTORN_SET, below(key, ".more.deep[0].x"), value);
        try_value(text, UNTORN_UNSET, below(key, ".missing"), NULL);
        try_value(text, UNTORN_SET, below(key, "[0]"), value);
        return;
    }
    snprintf(index, sizeof index, "[%zu]", node->count);
    try_value(text, UNTORN_SET, below(key, "[+]"), value);
    try_value(text, UNTORN_SET, below(key, "[+].a.b"), value);
    try_value(text, UNTORN_INSERT, below(key, "[+]"), value);
    try_value(text, UNTORN_INSERT, below(key, index), value);
    try_value(text, UNTORN_SET, below(key, index), value);
    try_value(text, UNTORN_SET, below(key, "[-1]"), value);
    try_value(text, UNTORN_INSERT, below(key, "[-1]"), value);
    try_value(text, UNTORN_UNSET, below(key, "[-2]"), NULL);
    try_value(text, UNTORN_SET, below(key, ".key"), value);
}

static void try_node(const struct stream_text *text, const struct parsed *parsed,
                     const struct untorn_node *node, int number)
{
    static const char *const values[] = {"7",
                                         "\"another text\"",
                                         "null",
                                         "{}",
                                         "[]",
                                         "[{\"q\": {}}, {\"r\": 1.5}]",
                                         "{\"x\": [1, 2]}"};
    struct arena arena = {0};
    const char *key = keypath_of_node(node, false, &arena);
    if (node->parent) {
        struct span at = parsed_span(parsed, node);
        char *same = arena_copy(&arena, text->text + at.start, (size_t)(at.end - at.start));
        try_value(text, UNTORN_SET, key, values[number % 7]);
        try_value(text, UNTORN_SET, key, same);
        try_value(text, UNTORN_SET, below(key, ".x"), "1");
        try_value(text, UNTORN_UNSET, keypath_of_node(node, true, &arena), NULL);
        try_value(text, node->key ? UNTORN_RENAME : UNTORN_INSERT, key, values[number % 7]);
        if (node->key && node->parent->first != node)
            try_value(text, UNTORN_RENAME, key, node->parent->first->key);
    }
    if (node->kind == UNTORN_OBJECT || node->kind == UNTORN_ARRAY)
        try_inside(text, node, key, number);
    arena_free(&arena);
}

static void try_document(const char *data, size_t size, enum untorn_format format)
{
    struct json_text document = json_text_of(data, size, format);
    struct stream_text text = {document.text, document.size, format};
    int number = 0;
    for (struct untorn_node *node = document.parsed.root; node; node = json_next_node(node))
        try_node(&text, &document.parsed, node, number++);
    json_text_free(&document);
}

/* Left to the general way: one of this many at most; guessed wrong: one of seven. */
static void check_rare(const struct count *count, int one_of, const char *what)
{
    CHECK(count->all > 500);
    bool rare = count->unsuited <= count->all / one_of && count->misguessed <= count->all / 7;
    if (!rare)
        fprintf(stderr, "%s: %d, %d of %d\n", what, count->unsuited, count->misguessed, count->all);
    CHECK(rare);
}

/* Left to the general way: few. A container is laid out as those near it, and is changed only where
 * it differs: if these are not there, up to half of them are left. */
static void check_few_are_left(void)
{
    check_rare(&counted[SCALAR][ALONE], 100, "scalars alone");
    check_rare(&counted[SCALAR][NEIGHBOURS], 100, "scalars");
    check_rare(&counted[CONTAINER][ALONE], 2, "containers alone");
    check_rare(&counted[CONTAINER][NEIGHBOURS], 12, "containers");
}

/* ---- documents that nobody would write ---- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* How the documents of one seed look. */
struct look {
    const char *const *gaps;
    size_t gap_count;
    uint32_t most, deepest;
    bool trailing;
};

struct writer {
    char text[32768];
    size_t size;
    uint32_t state;
    const struct look *look;
};

static void put(struct writer *writer, const char *more)
{
    size_t length = strlen(more);
    CHECK(writer->size + length < sizeof writer->text);
    memcpy(writer->text + writer->size, more, length + 1);
    writer->size += length;
}

static void put_gap(struct writer *writer)
{
    for (uint32_t left = next_random(&writer->state) % 3; left > 0; left--)
        put(writer, writer->look->gaps[next_random(&writer->state) % writer->look->gap_count]);
}

static void put_value(struct writer *writer, uint32_t depth)
{
    static const char *const scalars[] = {
        "1", "\"//,\"", "-1.5e3", "null", "\"\\u0061 \xc3\xa9\\n\"", "true", "\"\"", "{}", "[]"};
    bool object = next_random(&writer->state) % 2;
    if (depth > 0 && next_random(&writer->state) % 3 != 0) {
        put(writer, scalars[next_random(&writer->state) % 9]);
        return;
    }
    uint32_t count =
        depth < writer->look->deepest ? next_random(&writer->state) % (writer->look->most + 1) : 0;
    put(writer, object ? "{" : "[");
    put_gap(writer);
    for (uint32_t i = 0; i < count; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s%u\"", i % 3 ? "\"k" : "\"\\u006b", i);
        put(writer, object ? key : "");
        if (object)
            put_gap(writer);
        put(writer, object ? ":" : "");
        if (object)
            put_gap(writer);
        put_value(writer, depth + 1);
        put_gap(writer);
        if (i + 1 < count || (writer->look->trailing && next_random(&writer->state) % 4 == 0)) {
            put(writer, ",");
            put_gap(writer);
        }
    }
    put(writer, object ? "}" : "]");
}

/* UNTORN_SEED=N: other documents. */
static void try_look(const struct look *look, enum untorn_format format, int documents)
{
    static struct writer writer;
    const char *seed = getenv("UNTORN_SEED");
    writer = (struct writer){.state = seed ? (uint32_t)strtoul(seed, NULL, 10) : 7, .look = look};
    for (int i = 0; i < documents; i++) {
        writer.size = 0;
        put_gap(&writer);
        put_value(&writer, 0);
        put_gap(&writer);
        try_document(writer.text, writer.size, format);
    }
}

#define LOOK(gaps_, ...)                                                                           \
    {                                                                                              \
        .gaps = (gaps_), .gap_count = sizeof(gaps_) / sizeof *(gaps_), __VA_ARGS__                 \
    }

/* [STREAM-3] */
TEST(comments_anywhere_make_no_difference)
{
    static const char *const gaps[] = {"",     "",          "",        " ",
                                       "\n",   "\n  ",      "\n\n\t",  "\r\n ",
                                       "/**/", " /* x */ ", " // y\n", " \n// z\r\n"};
    static const struct look look = LOOK(gaps, .most = 9, .deepest = 3, .trailing = true);
    try_look(&look, UNTORN_JSONC, 20);
    check_few_are_left();
}

TEST(blanks_anywhere_make_no_difference)
{
    static const char *const gaps[] = {"", " ", "\n", "\n  ", "\n\t", "\r\n    ", "  "};
    static const struct look look = LOOK(gaps, .most = 12, .deepest = 4);
    try_look(&look, UNTORN_JSON, 12);
    check_few_are_left();
}

TEST(a_text_without_blanks_stays_so)
{
    static const char *const gaps[] = {""};
    static const struct look look = LOOK(gaps, .most = 12, .deepest = 4);
    try_look(&look, UNTORN_JSON, 12);
    check_few_are_left();
}

/* A carriage return that ends a line by itself is for the general way. */
TEST(carriage_returns_alone_make_no_difference)
{
    static const char *const gaps[] = {"", " ", "\n", "\r", "\r\n", "/*\r*/", "//\r"};
    static const struct look look = LOOK(gaps, .most = 4, .deepest = 3, .trailing = true);
    try_look(&look, UNTORN_JSONC, 15);
}

/* ---- documents that people write ---- */

/* Each line one level deeper by `indent`, ended by `newline`. */
static void put_pretty(struct writer *writer, uint32_t depth, const char *indent,
                       const char *newline)
{
    bool object = depth % 2 == 0;
    uint32_t count = 3 + next_random(&writer->state) % 8;
    put(writer, object ? "{" : "[");
    for (uint32_t i = 0; i < count; i++) {
        char key[32];
        put(writer, i > 0 ? "," : "");
        put(writer, newline);
        for (uint32_t j = 0; j <= depth; j++)
            put(writer, indent);
        snprintf(key, sizeof key, "\"key-%u\": ", i);
        put(writer, object ? key : "");
        if (depth < 2 && i % 3 == 1)
            put_pretty(writer, depth + 1, indent, newline);
        else
            put(writer, i % 4 == 3 ? "[1, 2, {\"a\": 1, \"b\": []}]" : "\"value\"");
    }
    put(writer, newline);
    for (uint32_t j = 0; j < depth; j++)
        put(writer, indent);
    put(writer, object ? "}" : "]");
}

TEST(indentation_and_ends_of_lines_are_found)
{
    static struct writer writer;
    static const char *const indents[] = {"  ", "    ", "\t", " ", ""};
    for (int i = 0; i < 10; i++) {
        writer.size = 0;
        put_pretty(&writer, 0, indents[i % 5], i % 2 ? "\r\n" : "\n");
        put(&writer, i % 2 ? "\r\n" : "\n");
        try_document(writer.text, writer.size, UNTORN_JSON);
    }
    check_few_are_left();
}

TEST(files_of_programs_are_edited_alike)
{
    const char *tests = getenv("TESTS");
    char path[4096];
    snprintf(path, sizeof path, "%s/suites/real", tests ? tests : "");
    DIR *listing = opendir(path);
    if (!listing)
        SKIP("TESTS does not name the folder of the tests");
    int files = 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        if (!strstr(entry->d_name, ".json"))
            continue;
        snprintf(path, sizeof path, "%s/suites/real/%s", tests, entry->d_name);
        size_t size;
        char *data = suite_read_path(path, &size);
        CHECK(data);
        try_document(data, size, UNTORN_JSONC);
        free(data);
        files++;
    }
    closedir(listing);
    CHECK(files >= 6);
    check_few_are_left();
}
