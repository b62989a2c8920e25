#include "harness.h"
#include "heap.h"
#include "text/toml_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- statements ---- */

static size_t append_span(char *text, size_t size, const struct parsed *parsed, struct span span)
{
    CHECK(span.start < span.end && span.end <= parsed->size);
    size_t length = (size_t)(span.end - span.start);
    memcpy(text + size, parsed->text + span.start, length);
    return size + length;
}

static size_t append_key(char *text, size_t size, const struct untorn_node *node)
{
    const char *key = node->key ? node->key : node->parent ? "*" : "(root)";
    return size + (size_t)sprintf(text + size, " %s", key);
}

/* Each statement as a line: its kind, its text, its parts in brackets, its table, its node. */
static const char *statements(const char *text)
{
    static char lines[4096];
    struct parsed parsed;
    struct flaw flaw;
    size_t size = 0;
    lines[0] = '\0';
    CHECK_INT(toml_scan_exact(text, strlen(text), UNTORN_TOML, &parsed, &flaw), 0);
    for (size_t i = 0; i < parsed.statement_count; i++) {
        const struct toml_statement *statement = &parsed.statements[i];
        lines[size++] = "htv"[statement->kind];
        lines[size++] = ' ';
        size = append_span(lines, size, &parsed, statement->text);
        for (size_t j = 0; j < statement->part_count; j++) {
            size += (size_t)sprintf(lines + size, " <");
            size = append_span(lines, size, &parsed, statement->parts[j]);
            lines[size++] = '>';
        }
        size = append_key(lines, size, statement->table);
        size = append_key(lines, size, statement->node);
        size += (size_t)sprintf(lines + size, "|");
    }
    toml_free_exact(&parsed);
    return lines;
}

TEST(a_document_without_a_line_is_an_empty_table)
{
    CHECK_TEXT(toml_data(""), "{}");
    CHECK_TEXT(toml_data("\n \t\n# x\n\r\n"), "{}");
    CHECK_TEXT(statements(" # x"), "");
    struct parsed parsed;
    struct flaw flaw;
    CHECK_INT(parse_toml(NULL, 0, UNTORN_TOML, &parsed, &flaw), 0);
    CHECK(parsed.root && parsed.root->origin == NODE_ROOT && !parsed.root->raw);
    parsed_free(&parsed);
}

TEST(assignments_span_from_key_to_value)
{
    CHECK_TEXT(statements("a=1\n  b =  'x'  # y\n\tc = [ 1,\n 2 ] \r\nd = '''\n\nx''' # z"),
               "v a=1 <a> (root) a|"
               "v b =  'x' <b> (root) b|"
               "v c = [ 1,\n 2 ] <c> (root) c|"
               "v d = '''\n\nx''' <d> (root) d|");
}

TEST(dotted_keys_are_relative_to_the_table_above)
{
    CHECK_TEXT(statements("a . 'b' . \"c\\td\"  = 1\n[x.y]\n p.q = 2\n"),
               "v a . 'b' . \"c\\td\"  = 1 <a> <'b'> <\"c\\td\"> (root) c\td|"
               "h [x.y] <x> <y> y y|"
               "v p.q = 2 <p> <q> y q|");
}

TEST(headers_span_their_brackets)
{
    CHECK_TEXT(statements("[ a . b ] # x\n  [[ 'c' ]]\n[\tc.d\t]\n[[c]]\ne = {f = 1,\n g = 2,\n}"),
               "h [ a . b ] <a> <b> b b|"
               "t [[ 'c' ]] <'c'> * *|"
               "h [\tc.d\t] <c> <d> d d|"
               "t [[c]] <c> * *|"
               "v e = {f = 1,\n g = 2,\n} <e> * e|");
}

TEST(keys_inside_a_value_leave_the_statement_alone)
{
    CHECK_TEXT(statements("a.b = {c.d.e = {f.g = 1}, h = [{i.j = 2}]}\nk = 1"),
               "v a.b = {c.d.e = {f.g = 1}, h = [{i.j = 2}]} <a> <b> (root) b|"
               "v k = 1 <k> (root) k|");
}

TEST(a_header_names_the_element_it_opens)
{
    struct parsed parsed;
    struct flaw flaw;
    const char text[] = "[[a]]\nx = 1\n[[a]]\nx = 2\n[a.b]\ny = 3";
    CHECK_INT(toml_scan_exact(text, sizeof text - 1, UNTORN_TOML, &parsed, &flaw), 0);
    const struct untorn_node *array = parsed.root->first;
    CHECK_INT(parsed.statement_count, 6);
    CHECK(parsed.statements[0].table == array->first && parsed.statements[1].table == array->first);
    CHECK(parsed.statements[2].node == array->last && parsed.statements[3].table == array->last);
    CHECK(parsed.statements[4].table->parent == array->last);
    CHECK(parsed.statements[5].node == array->last->last->first);
    toml_free_exact(&parsed);
}

TEST(more_statements_than_expected_are_kept)
{
    enum { COUNT = 5000 };
    char *text = malloc(COUNT * 8);
    CHECK(text);
    size_t size = 0;
    for (int i = 0; i < COUNT; i++)
        size += (size_t)sprintf(text + size, "%x=%d\n", i, i % 10);
    struct parsed parsed;
    struct flaw flaw;
    CHECK_INT(toml_scan_exact(text, size, UNTORN_TOML, &parsed, &flaw), 0);
    CHECK_INT(parsed.statement_count, COUNT);
    const struct untorn_node *node = parsed.root->first;
    for (size_t i = 0; i < COUNT; i++, node = node->next)
        CHECK(parsed.statements[i].node == node && parsed.statements[i].part_count == 1);
    toml_free_exact(&parsed);
    free(text);
}

/* ---- around the text ---- */

TEST(a_byte_order_mark_is_skipped_at_the_start_only)
{
    CHECK_TEXT(toml_data("\xef\xbb\xbf"
                         "a = 1"),
               "{a=i:1}");
    CHECK_TEXT(toml_data("\xef\xbb\xbf"), "{}");
    CHECK_TEXT(toml_data("\xef\xbb"), "2: a byte order mark is cut (end)");
    CHECK_TEXT(toml_data(" \xef\xbb\xbf"), "1: expected a key");
    CHECK_TEXT(toml_data("\xef\xbb\xbf\xef\xbb\xbf"), "3: expected a key");
    CHECK_TEXT(toml_data("\xff\xfe"), "0: expected a key");
    CHECK_TEXT(statements("\xef\xbb\xbf"
                          "a = 1"),
               "v a = 1 <a> (root) a|");
}

TEST(the_last_line_needs_no_newline)
{
    CHECK_TEXT(toml_data("a = 1"), "{a=i:1}");
    CHECK_TEXT(toml_data("[a]"), "{a={}}");
    CHECK_TEXT(toml_data("a = 1 # x"), "{a=i:1}");
    CHECK_TEXT(toml_data("a = 1\n "), "{a=i:1}");
}

TEST(one_line_holds_one_statement)
{
    CHECK_TEXT(toml_data("a = 1 b = 2"), "6: expected the end of the line");
    CHECK_TEXT(toml_data("[a] b = 2"), "4: expected the end of the line");
    CHECK_TEXT(toml_data("a = 'x' 'y'"), "8: expected the end of the line");
}

static const char whole[] =
    "\xef\xbb\xbf# x \xc3\xa9\r\n\"k\\u00e9\".'b' . c-d = \"s\\n\\U0001f600\xe2\x82\xac\" # y\n"
    "t = [1_0, -1.5e+3, 0x1F, true, inf, nan, [], {x.y = 1, z = 2},]\n[ a . b ]\r\n"
    "d = 1979-05-27 07:32:00.5+01:00\ne = '''\nl''''\nf = \"\"\"m\\\n  \"\"\"\"\"\n"
    "[[h]]\ng = 07:32:00\n[h.i]\nj = {\n k = 1, # z\n}\nl = 0001-01-01\nm = 00:00:00\n";

TEST(a_document_that_is_cut_is_one_or_stops_early)
{
    struct parsed parsed;
    struct flaw flaw;
    for (size_t size = 0; size <= sizeof whole - 1; size++) {
        if (toml_scan_exact(whole, size, UNTORN_TOML, &parsed, &flaw) == 0)
            toml_free_exact(&parsed);
        else if (!flaw.at_end)
            CHECK_TEXT(whole + size, "cut here it is at the end");
    }
    CHECK_INT(toml_scan_exact(whole, sizeof whole - 1, UNTORN_TOML, &parsed, &flaw), 0);
    toml_free_exact(&parsed);
}

TEST(no_single_byte_makes_it_stumble)
{
    static const char bytes[] = "\0\n\r\t #\"'\\[]{}=.,_-+0e:TZtfinux\x7f\x80\xc3\xe2\xf0\xff";
    char text[sizeof whole];
    for (size_t at = 0; at < sizeof whole - 1; at++) {
        for (size_t i = 0; i < sizeof bytes - 1; i++) {
            struct parsed parsed;
            struct flaw flaw;
            memcpy(text, whole, sizeof whole);
            text[at] = bytes[i];
            if (toml_scan_exact(text, sizeof whole - 1, UNTORN_TOML, &parsed, &flaw) == 0)
                toml_free_exact(&parsed);
        }
    }
}

/* ---- large ones ---- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The processor's time for `count` lines made by `format` from their number. */
static double time_of(const char *format, int count, size_t statement_count)
{
    char *text = malloc((size_t)count * 80);
    CHECK(text);
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        int length = snprintf(text + size, 80, format, i, i);
        CHECK(length > 0 && length < 80);
        size += (size_t)length;
    }
    struct parsed parsed;
    struct flaw flaw;
    double start = seconds();
    CHECK_INT(parse_toml(text, size, UNTORN_TOML, &parsed, &flaw), 0);
    double taken = seconds() - start;
    CHECK_INT(parsed.statement_count, statement_count);
    parsed_free(&parsed);
    free(text);
    return taken;
}

TEST(many_tables_and_keys_take_time_in_proportion)
{
    static const char *const formats[] = {
        "[t%d]\nk = %d\n",          "k%d = %d\n",          "[[package]]\nname = \"n%d\"\nx = %d\n",
        "a.b.k%d = %d\n",           "[a.b.t%d]\nx = %d\n", "[[a%d.b]]\n[a%d.b.c]\n",
        "[[x]]\n[x.a%d]\ny = %d\n",
    };
    static const size_t lines[] = {2, 1, 3, 1, 2, 2, 3};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        double few = time_of(formats[i], 10000, 10000 * lines[i]);
        double many = time_of(formats[i], 100000, 100000 * lines[i]);
        if (many > 0.5 && many > 40 * few) /* squared it would be 100, and many seconds */
            CHECK_TEXT(formats[i], "read in proportion to its size");
    }
}

TEST(a_large_array_is_read_in_proportion_too)
{
    enum { COUNT = 200000 };
    char *text = malloc(COUNT * 8 + 16), *at = text + 4;
    CHECK(text);
    memcpy(text, "a=[ ", 4);
    for (int i = 0; i < COUNT; i++)
        at += sprintf(at, "{a=%d},", i % 10);
    *at++ = ']';
    struct parsed parsed;
    struct flaw flaw;
    CHECK_INT(parse_toml(text, (size_t)(at - text), UNTORN_TOML_1_0, &parsed, &flaw), 0);
    CHECK_INT(parsed.root->first->count, COUNT);
    parsed_free(&parsed);
    free(text);
}

/* ---- want of memory ---- */

static char scarce[1 << 16];
static size_t scarce_size;

/* `before` moves what follows, so that blocks of memory end elsewhere. */
static void make_scarce(int before)
{
    scarce_size = 0;
    for (int i = 0; i < before; i++)
        scarce_size += (size_t)sprintf(scarce + scarce_size, "%d=1\n", i);
    for (int i = 0; i < 100; i++)
        scarce_size +=
            (size_t)sprintf(scarce + scarce_size,
                            "[[a]]\nb.c = [1, {d = \"\\u00e9%d\"}]\n[a.e%d]\n\"f\\t\" = 2\n", i, i);
    for (int i = 0; i < 100; i++)
        scarce_size += (size_t)sprintf(scarce + scarce_size, "g%d=%d\n", i, i);
}

static bool scan_scarce(void)
{
    struct parsed parsed;
    struct flaw flaw;
    if (parse_toml(scarce, scarce_size, UNTORN_TOML, &parsed, &flaw) == 0) {
        parsed_free(&parsed);
        return true;
    }
    CHECK(flaw.out_of_memory && !flaw.at_end && flaw.what);
    CHECK(!parsed.root && !parsed.arena.blocks);
    return false;
}

TEST(wherever_memory_runs_out_it_is_said_and_nothing_is_left)
{
    for (int before = 0; before < 150; before++) {
        make_scarce(before);
        CHECK(heap_walk(scan_scarce) >= 4);
    }
}
