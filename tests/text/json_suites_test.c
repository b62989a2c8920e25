/* JSON and JSONC of others: folders of files, named by what a parser must say to them. They are
 * found by UNTORN_SUITES, or beside the project. */
#include "harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json_scan.h"
#include "text/suites.h"

static bool in_pieces(const char *text, size_t size, enum untorn_format format, size_t piece)
{
    struct json_scanner scanner;
    size_t have = piece < size ? piece : size;
    enum json_token token;
    json_scan_begin(&scanner, format);
    json_scan_feed(&scanner, text, have, false);
    while ((token = json_scan_rest(&scanner)) == JSON_MORE) {
        bool last = have == size;
        have = size - have > piece ? have + piece : size;
        json_scan_feed(&scanner, text + scanner.keep, have - scanner.keep, last);
    }
    return token == JSON_DONE;
}

/* By every way there is, which must agree. */
static bool is_valid(const char *text, size_t size, enum untorn_format format)
{
    struct parsed parsed;
    struct flaw flaw;
    char *exact = malloc(size ? size : 1); /* so that a sanitizer sees a byte too many */
    CHECK(exact);
    memcpy(exact, text, size);
    bool valid = parse_json(exact, size, format, &parsed, &flaw) == 0;
    CHECK(valid || (flaw.what && flaw.position <= size && flaw.at_end == (flaw.position == size)));
    CHECK_INT(in_pieces(exact, size, format, 7), valid);
    CHECK_INT(in_pieces(exact, size, format, 64), valid);
    parsed_free(&parsed);
    free(exact);
    return valid;
}

typedef int verdict(const char *name, enum untorn_format format); /* 1, 0; -1: not a case */

/* Holds all files of a folder to the verdict; returns how many there were. */
static int run_folder(const char *folder, enum untorn_format format, verdict *expected)
{
    char path[1024];
    DIR *listing = opendir(suite_path(folder));
    if (!listing)
        suite_missing(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        int valid = expected(entry->d_name, format);
        if (valid < 0)
            continue;
        size_t size;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        char *data = suite_read(path, &size);
        CHECK(data);
        if (is_valid(data, size, format) != valid)
            CHECK_TEXT(entry->d_name, valid ? "a valid file" : "an invalid file");
        free(data);
        count++;
    }
    closedir(listing);
    return count;
}

static bool ends_with(const char *name, const char *end)
{
    size_t size = strlen(name), end_size = strlen(end);
    return size >= end_size && strcmp(name + size - end_size, end) == 0;
}

/* ---- JSONTestSuite ---- */

/* Invalid JSON that is JSONC. */
static bool is_only_jsonc(const char *name)
{
    static const char *const names[] = {
        "n_array_extra_comma.json",
        "n_array_number_and_comma.json",
        "n_object_trailing_comma.json",
        "n_object_trailing_comment.json",
        "n_object_trailing_comment_slash_open.json",
        "n_structure_object_with_comment.json",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int yes_and_no(const char *name, enum untorn_format format)
{
    if (strncmp(name, "y_", 2) == 0)
        return 1;
    if (strncmp(name, "n_", 2) == 0)
        return format == UNTORN_JSONC && is_only_jsonc(name);
    return -1;
}

/* Numbers of any size, halves of characters, a byte order mark and 500 levels are accepted; what is
 * not UTF-8 is not. */
static int left_open(const char *name, enum untorn_format format)
{
    (void)format;
    if (strncmp(name, "i_", 2) != 0)
        return -1;
    if (strncmp(name, "i_string_", 9) != 0)
        return 1;
    return strstr(name, "surrogate") && !strstr(name, "UTF8_surrogate");
}

TEST(json_is_what_the_test_suite_calls_json)
{
    CHECK(run_folder("JSONTestSuite/test_parsing", UNTORN_JSON, yes_and_no) > 270);
}

TEST(jsonc_is_that_and_the_six_with_comments_or_last_commas)
{
    CHECK(run_folder("JSONTestSuite/test_parsing", UNTORN_JSONC, yes_and_no) > 270);
}

TEST(what_the_test_suite_leaves_open_is_decided)
{
    CHECK(run_folder("JSONTestSuite/test_parsing", UNTORN_JSON, left_open) > 30);
    CHECK(run_folder("JSONTestSuite/test_parsing", UNTORN_JSONC, left_open) > 30);
}

/* ---- json5-tests: .json is JSON, .json5 is not, .txt is nothing ---- */

static int by_suffix(const char *name, enum untorn_format format)
{
    if (ends_with(name, ".json"))
        return 1;
    if (ends_with(name, ".txt"))
        return 0;
    return ends_with(name, ".json5") && format == UNTORN_JSON ? 0 : -1;
}

/* Of JSON5, JSONC has comments and last commas. */
static int comments_and_commas(const char *name, enum untorn_format format)
{
    bool jsonc = strstr(name, "comment") || strncmp(name, "trailing-comma", 14) == 0;
    return ends_with(name, ".json5") && format == UNTORN_JSONC ? jsonc : -1;
}

static int run_json5(enum untorn_format format, verdict *expected)
{
    static const char *const folders[] = {"arrays",  "comments", "misc",    "new-lines",
                                          "numbers", "objects",  "strings", "todo"};
    int count = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char folder[64];
        snprintf(folder, sizeof folder, "json5-tests/%s", folders[i]);
        count += run_folder(folder, format, expected);
    }
    return count;
}

TEST(json5_is_not_json)
{
    CHECK(run_json5(UNTORN_JSON, by_suffix) > 100);
}

TEST(of_json5_only_comments_and_last_commas_are_jsonc)
{
    CHECK(run_json5(UNTORN_JSONC, by_suffix) > 40);
    CHECK(run_json5(UNTORN_JSONC, comments_and_commas) > 40);
}

/* ---- inputs of dprint's JSONC parser, which takes more than JSONC ---- */

static int dprint_input(const char *name, enum untorn_format format)
{
    (void)format;
    if (!ends_with(name, ".json"))
        return -1;
    return !strstr(name, "only-comments") && !strstr(name, "non-string-prop-names");
}

TEST(jsonc_of_dprint_is_jsonc)
{
    static const char *const folders[] = {"array", "comments", "encoding", "object", "string"};
    int count = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char folder[64];
        snprintf(folder, sizeof folder, "dprint-jsonc-specs/tests/specs/%s", folders[i]);
        count += run_folder(folder, UNTORN_JSONC, dprint_input);
    }
    CHECK(count > 8);
}
