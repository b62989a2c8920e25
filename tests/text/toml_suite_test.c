/* toml-test: documents with the data they hold, and texts that are none; by the lists for each
 * version, as these contradict each other. And what holds for every document of it. */
#include "harness.h"
#include "text/toml_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/suites.h"

static char *read_file(const char *name, size_t *ret_size)
{
    char path[1024];
    snprintf(path, sizeof path, "toml-test/tests/%s", name);
    char *data = suite_read(path, ret_size);
    CHECK(data);
    return data;
}

typedef void judgement(const char *name, const char *text, size_t size, enum untorn_format format);

/* All .toml files of one list whose name begins so; how many. */
static int for_each(enum untorn_format format, const char *begin, judgement *judge)
{
    char path[100], name[512];
    const char *version = format == UNTORN_TOML ? "1.1.0" : "1.0.0";
    snprintf(path, sizeof path, "toml-test/tests/files-toml-%s", version);
    FILE *list = fopen(suite_path(path), "r");
    if (!list)
        suite_missing("toml-test");
    int count = 0;
    while (fgets(name, sizeof name, list)) {
        name[strcspn(name, "\r\n")] = '\0';
        size_t length = strlen(name), size;
        if (strncmp(name, begin, strlen(begin)) != 0 || length < 5 ||
            strcmp(name + length - 5, ".toml") != 0)
            continue;
        char *text = read_file(name, &size);
        judge(name, text, size, format);
        free(text);
        count++;
    }
    fclose(list);
    return count;
}

static void scan(const char *name, const char *text, size_t size, enum untorn_format format,
                 struct parsed *parsed)
{
    struct flaw flaw;
    if (toml_scan_exact(text, size, format, parsed, &flaw) < 0)
        CHECK_TEXT(name, flaw.what);
}

/* ---- the data ---- */

static bool has_text(const struct untorn_node *node, const char *text)
{
    return node && node->kind == UNTORN_STRING && strcmp(node->text, text) == 0;
}

/* Exactly the keys `type` and `value`. */
static bool is_tagged(const struct untorn_node *node)
{
    const struct untorn_node *type = node_member(node, "type", 4);
    const struct untorn_node *value = node_member(node, "value", 5);
    return node->count == 2 && type && value && type->kind == UNTORN_STRING &&
           value->kind == UNTORN_STRING;
}

/* One form for all spellings: date, T, time with three digits of the fraction, zone. */
static void plain_time(const char *text, char *plain)
{
    const char *clock = text;
    if (strlen(text) >= 10 && text[4] == '-') {
        plain += sprintf(plain, "%.10s", text);
        clock = text + 10;
        if (!*clock)
            return;
        clock++;
    }
    size_t digits = strspn(clock, "0123456789:");
    plain += sprintf(plain, "T%.*s%s", (int)digits, clock, digits == 5 ? ":00" : "");
    clock += digits;
    size_t fraction = *clock == '.' ? 1 + strspn(clock + 1, "0123456789") : 1;
    char milli[] = "000";
    for (size_t i = 1; i < fraction && i <= 3; i++)
        milli[i - 1] = clock[i];
    clock += fraction > 1 ? fraction : 0;
    sprintf(plain, ".%s%s", milli, *clock == 'z' ? "Z" : clock);
}

static bool same_time(const char *a, const char *b)
{
    char left[128], right[128];
    CHECK(strlen(a) < 64 && strlen(b) < 64);
    plain_time(a, left);
    plain_time(b, right);
    return strcmp(left, right) == 0;
}

static bool same_scalar(const struct untorn_node *node, const struct untorn_node *tagged)
{
    static const char *const types[] = {"",           "null",      "bool",     "integer",
                                        "float",      "string",    "datetime", "datetime-local",
                                        "date-local", "time-local"};
    const struct untorn_node *value = node_member(tagged, "value", 5);
    if (!has_text(node_member(tagged, "type", 4), types[node->kind]))
        return false;
    int64_t left, right;
    double x, y;
    switch (node->kind) {
    case UNTORN_INTEGER:
        return number_integer(node->text, node->size, &left) &&
               number_integer(value->text, value->size, &right) && left == right;
    case UNTORN_FLOAT:
        return number_double(node->text, node->size, &x) &&
               number_double(value->text, value->size, &y) && (x == y || (x != x && y != y));
    case UNTORN_STRING:
    case UNTORN_BOOLEAN:
        return node->size == value->size && memcmp(node->text, value->text, node->size) == 0;
    default:
        return same_time(node->text, value->text);
    }
}

static bool is_expected(const struct untorn_node *node, const struct untorn_node *expected)
{
    if (node->kind < UNTORN_ARRAY)
        return is_tagged(expected) && same_scalar(node, expected);
    if (node->kind != expected->kind || node->count != expected->count ||
        (node->kind == UNTORN_OBJECT && is_tagged(expected)))
        return false;
    const struct untorn_node *other = expected->first;
    for (const struct untorn_node *child = node->first; child; child = child->next) {
        if (child->key)
            other = node_member(expected, child->key, child->key_size);
        if (!other || !is_expected(child, other))
            return false;
        other = other->next;
    }
    return true;
}

static void judge_data(const char *name, const char *text, size_t size, enum untorn_format format)
{
    struct parsed parsed, expected;
    struct flaw flaw;
    char json[512];
    scan(name, text, size, format, &parsed);
    snprintf(json, sizeof json, "%.*s.json", (int)strlen(name) - 5, name);
    size_t json_size;
    char *data = read_file(json, &json_size);
    CHECK_INT(parse_json(data, json_size, UNTORN_JSON, &expected, &flaw), 0);
    if (!is_expected(parsed.root, expected.root))
        CHECK_TEXT(name, "the data that the suite names");
    parsed_free(&expected);
    free(data);
    toml_free_exact(&parsed);
}

TEST(all_documents_of_1_1_hold_the_data_they_should)
{
    CHECK(for_each(UNTORN_TOML, "valid/", judge_data) >= 220);
}

TEST(all_documents_of_1_0_hold_the_data_they_should)
{
    CHECK(for_each(UNTORN_TOML_1_0, "valid/", judge_data) >= 210);
}

static void judge_tampered(const char *name, const char *text, size_t size,
                           enum untorn_format format)
{
    struct parsed parsed, expected;
    struct flaw flaw;
    char json[512];
    snprintf(json, sizeof json, "%.*s.json", (int)strlen(name) - 5, name);
    size_t json_size;
    char *data = read_file(json, &json_size);
    char *value = strstr(data, "\"value\": \"");
    scan(name, text, size, format, &parsed);
    if (value) {
        value[strlen("\"value\": \"")] ^= 1;
        bool read = parse_json(data, json_size, UNTORN_JSON, &expected, &flaw) == 0;
        if (read && is_expected(parsed.root, expected.root) && !strstr(data, "\"nan\""))
            CHECK_TEXT(name, "noticed to differ");
        parsed_free(&expected);
    }
    free(data);
    toml_free_exact(&parsed);
}

TEST(data_that_was_tampered_with_is_noticed)
{
    CHECK(for_each(UNTORN_TOML, "valid/integer/", judge_tampered) > 2);
    CHECK(for_each(UNTORN_TOML, "valid/string/", judge_tampered) > 10);
    CHECK(for_each(UNTORN_TOML, "valid/datetime/", judge_tampered) > 5);
}

static void judge_refused(const char *name, const char *text, size_t size,
                          enum untorn_format format)
{
    struct parsed parsed;
    struct flaw flaw;
    if (toml_scan_exact(text, size, format, &parsed, &flaw) == 0)
        CHECK_TEXT(name, "refused");
}

TEST(all_that_1_1_calls_invalid_is_refused)
{
    CHECK(for_each(UNTORN_TOML, "invalid/", judge_refused) >= 492);
}

TEST(all_that_1_0_calls_invalid_is_refused)
{
    CHECK(for_each(UNTORN_TOML_1_0, "invalid/", judge_refused) >= 499);
}

/* ---- twins: the same document with other newlines, a mark, no newline at the end ---- */

/* The same but for carriage returns. */
static bool same_lines(const struct untorn_node *a, const struct untorn_node *b)
{
    size_t i = 0, j = 0;
    for (;;) {
        while (i < a->size && a->text[i] == '\r')
            i++;
        while (j < b->size && b->text[j] == '\r')
            j++;
        if (i == a->size || j == b->size)
            return i == a->size && j == b->size;
        if (a->text[i++] != b->text[j++])
            return false;
    }
}

static bool same_data(const struct untorn_node *a, const struct untorn_node *b)
{
    if (a->kind != b->kind || a->origin != b->origin || a->count != b->count ||
        a->key_size != b->key_size || (a->key && memcmp(a->key, b->key, a->key_size) != 0))
        return false;
    if (!node_is_container(a))
        return same_lines(a, b);
    const struct untorn_node *other = b->first;
    for (const struct untorn_node *child = a->first; child; child = child->next) {
        if (!same_data(child, other))
            return false;
        other = other->next;
    }
    return true;
}

static void check_twin(const char *name, const char *text, size_t size, const char *twin,
                       size_t twin_size, enum untorn_format format)
{
    struct parsed parsed, other;
    scan(name, text, size, format, &parsed);
    scan(name, twin, twin_size, format, &other);
    if (!same_data(parsed.root, other.root) || parsed.statement_count != other.statement_count)
        CHECK_TEXT(name, "the same as its twin");
    toml_free_exact(&parsed);
    toml_free_exact(&other);
}

static void judge_crlf(const char *name, const char *text, size_t size, enum untorn_format format)
{
    char *twin = malloc(2 * size + 1);
    CHECK(twin);
    size_t twin_size = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r'))
            twin[twin_size++] = '\r';
        twin[twin_size++] = text[i];
    }
    check_twin(name, text, size, twin, twin_size, format);
    free(twin);
}

static void judge_mark(const char *name, const char *text, size_t size, enum untorn_format format)
{
    static const char mark[] = "\xef\xbb\xbf";
    char *twin = malloc(size + 3);
    CHECK(twin);
    bool marked = size >= 3 && memcmp(text, mark, 3) == 0;
    memcpy(twin, mark, 3);
    memcpy(twin + 3, text + 3 * marked, size - 3 * marked);
    check_twin(name, text, size, twin, size + 3 - 3 * marked, format);
    check_twin(name, text, size, twin + 3, size - 3 * marked, format);
    free(twin);
}

static void judge_cut(const char *name, const char *text, size_t size, enum untorn_format format)
{
    size_t less = size;
    while (less > 0 && (text[less - 1] == '\n' || text[less - 1] == '\r'))
        less--;
    check_twin(name, text, size, text, less, format);
}

TEST(other_newlines_are_the_same_data)
{
    CHECK(for_each(UNTORN_TOML, "valid/", judge_crlf) >= 220);
    CHECK(for_each(UNTORN_TOML_1_0, "valid/", judge_crlf) >= 210);
}

TEST(a_byte_order_mark_is_the_same_data)
{
    CHECK(for_each(UNTORN_TOML, "valid/", judge_mark) >= 220);
}

TEST(no_newline_at_the_end_is_the_same_data)
{
    CHECK(for_each(UNTORN_TOML, "valid/", judge_cut) >= 220);
}

/* ---- parts of documents ---- */

static void judge_prefixes(const char *name, const char *text, size_t size,
                           enum untorn_format format)
{
    for (size_t length = 0; length < size; length++) {
        struct parsed parsed;
        struct flaw flaw;
        if (toml_scan_exact(text, length, format, &parsed, &flaw) == 0)
            toml_free_exact(&parsed);
        else if (!flaw.at_end)
            CHECK_TEXT(name, "at the end wherever it is cut");
    }
}

TEST(every_document_that_is_cut_is_one_or_stops_early)
{
    CHECK(for_each(UNTORN_TOML, "valid/", judge_prefixes) >= 220);
}

static void judge_statements(const char *name, const char *text, size_t size,
                             enum untorn_format format)
{
    struct parsed parsed;
    scan(name, text, size, format, &parsed);
    uint64_t last = 0;
    for (size_t i = 0; i < parsed.statement_count; i++) {
        const struct toml_statement *statement = &parsed.statements[i];
        struct span value = parsed_span(&parsed, statement->node);
        CHECK(statement->text.start >= last && statement->text.end <= size);
        CHECK(statement->text.end == size || strchr(" \t\r\n#", text[statement->text.end]));
        CHECK(statement->part_count > 0 && statement->parts[0].start >= statement->text.start);
        for (size_t j = 1; j < statement->part_count; j++)
            CHECK(statement->parts[j].start > statement->parts[j - 1].end);
        if (statement->kind == TOML_ASSIGNMENT)
            CHECK(value.end == statement->text.end && value.end > value.start);
        else
            CHECK(statement->node == statement->table && !statement->node->raw);
        last = statement->text.end;
    }
    toml_free_exact(&parsed);
}

TEST(statements_are_in_order_and_end_with_their_value)
{
    CHECK(for_each(UNTORN_TOML, "valid/", judge_statements) >= 220);
}
