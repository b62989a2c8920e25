/* untorn/verdict.h: each damage has its word and its sentence, and the last whole version is found.
 */
#include "harness.h"

#include <untorn.h>

#include "file/interpose.h"
#include "file/support.h"

static struct untorn_error error;
static struct untorn_content content;

static enum untorn_verdict judge(const char *text, enum untorn_format format)
{
    return untorn_judge(text, strlen(text), format, &error);
}

TEST(every_verdict_has_its_word)
{
    CHECK_TEXT(untorn_verdict_word(UNTORN_WHOLE), "whole");
    CHECK_TEXT(untorn_verdict_word(UNTORN_VERDICT_MISSING), "missing");
    CHECK_TEXT(untorn_verdict_word(UNTORN_EMPTY), "empty");
    CHECK_TEXT(untorn_verdict_word(UNTORN_NUL), "nul");
    CHECK_TEXT(untorn_verdict_word(UNTORN_TRUNCATED), "truncated");
    CHECK_TEXT(untorn_verdict_word(UNTORN_SYNTAX), "syntax");
    CHECK_TEXT(untorn_verdict_word((enum untorn_verdict)99), "unknown");
}

TEST(what_is_whole_leaves_no_trace_in_the_error)
{
    CHECK_INT(judge("{\"a\": 1}", UNTORN_JSON), UNTORN_WHOLE);
    CHECK_INT(judge("{} // c", UNTORN_JSONC), UNTORN_WHOLE);
    CHECK_INT(judge("", UNTORN_TOML), UNTORN_WHOLE);
    CHECK_INT(untorn_judge(NULL, 0, UNTORN_TOML_1_0, NULL), UNTORN_WHOLE);
    CHECK_INT(error.status, UNTORN_OK);
    CHECK_INT(error.position, UNTORN_NO_POSITION);
    CHECK_TEXT(error.detail, "");
}

TEST(no_byte_is_empty_where_the_format_has_a_value)
{
    CHECK_INT(untorn_judge(NULL, 0, UNTORN_JSON, &error), UNTORN_EMPTY);
    CHECK_INT(error.status, UNTORN_DAMAGED);
    CHECK_TEXT(error.detail, "empty: no byte, where JSON has at least one value");
    CHECK_INT(judge("", UNTORN_JSONC), UNTORN_EMPTY);
}

TEST(nul_bytes_are_told_with_their_place)
{
    CHECK_INT(untorn_judge("{}\0\0", 4, UNTORN_JSON, &error), UNTORN_NUL);
    CHECK_INT(error.status, UNTORN_DAMAGED);
    CHECK_INT(error.position, 2);
    char text[UNTORN_TEXT_SIZE];
    CHECK(strstr(untorn_describe(&error, text, sizeof text), "a NUL byte at byte 2"));
    CHECK_INT(untorn_judge("a = 1\n\0", 7, UNTORN_TOML, &error), UNTORN_NUL);
}

TEST(of_an_unknown_format_only_nothing_but_nul_bytes_is_damaged)
{
    CHECK_INT(judge("", UNTORN_FORMAT_UNKNOWN), UNTORN_WHOLE);
    CHECK_INT(judge("{", UNTORN_FORMAT_UNKNOWN), UNTORN_WHOLE);
    CHECK_INT(untorn_judge("\0\0\1", 3, UNTORN_FORMAT_UNKNOWN, &error), UNTORN_WHOLE);
    CHECK_INT(untorn_judge("\1\0\0", 3, UNTORN_FORMAT_UNKNOWN, &error), UNTORN_WHOLE);
    CHECK_INT(error.status, UNTORN_OK);
    CHECK_INT(untorn_judge("\0\0\0", 3, UNTORN_FORMAT_UNKNOWN, &error), UNTORN_NUL);
    CHECK_INT(untorn_judge("\0", 1, (enum untorn_format)99, &error), UNTORN_NUL);
    CHECK_INT(error.position, 0);
}

TEST(what_stops_early_is_truncated)
{
    static const char whole[] = "{\"a\": [1, {\"b\": \"x\"}, true]}";
    for (size_t size = 1; size < sizeof whole - 1; size++) {
        CHECK_INT(untorn_judge(whole, size, UNTORN_JSON, &error), UNTORN_TRUNCATED);
        CHECK_INT(error.position, size);
    }
    CHECK(strstr(error.detail, "truncated: the JSON stops early, at line 1, column "));
    CHECK_INT(judge("a = [1,", UNTORN_TOML), UNTORN_TRUNCATED);
}

TEST(a_wrong_syntax_is_shown_with_its_place)
{
    CHECK_INT(judge("a = 1\nport = = 2\n", UNTORN_TOML), UNTORN_SYNTAX);
    CHECK_INT(error.position, 13);
    CHECK(strstr(error.detail, "syntax: not TOML at line 2, column 8: ") == error.detail);
    CHECK(strstr(error.detail, "\n  port = = 2\n         ^"));
    CHECK_INT(judge("a = {b = 1,\n}\n", UNTORN_TOML_1_0), UNTORN_SYNTAX);
    CHECK(strstr(error.detail, "syntax: not TOML 1.0 at "));
}

TEST(a_long_line_leaves_room_for_its_mark)
{
    char text[4096];
    memset(text, 'x', sizeof text);
    memcpy(text, "\xf0\x9f\x98\x80 = ", 7);
    CHECK_INT(untorn_judge(text, sizeof text, UNTORN_TOML, &error), UNTORN_SYNTAX);
    CHECK(strlen(error.detail) < sizeof error.detail);
    const char *mark = strrchr(error.detail, '^');
    CHECK(mark && mark[1] == '\0');
}

TEST(a_file_is_read_and_judged_in_one_call)
{
    enum untorn_verdict verdict;
    put("a.json", "{\"a\": 1");
    CHECK_INT(untorn_read_judged("a.json", UNTORN_FORMAT_UNKNOWN, NULL, &content, &verdict, &error),
              0);
    CHECK_INT(verdict, UNTORN_TRUNCATED);
    CHECK_INT(error.status, UNTORN_DAMAGED);
    CHECK_TEXT(error.path, "a.json");
    CHECK_TEXT(content.data, "{\"a\": 1");
    untorn_content_free(&content);
    CHECK_INT(untorn_read_judged("a.json", UNTORN_TOML, NULL, &content, &verdict, NULL), 0);
    CHECK_INT(verdict, UNTORN_SYNTAX);
    untorn_content_free(&content);
    CHECK_INT(untorn_read_judged("none.json", 0, NULL, &content, &verdict, &error), 0);
    CHECK_INT(verdict, UNTORN_VERDICT_MISSING);
    CHECK_INT(error.status, UNTORN_MISSING);
    CHECK(!content.data);
    put("a.txt", "");
    CHECK_INT(untorn_read_judged("a.txt", 0, NULL, &content, &verdict, &error), 0);
    CHECK_INT(verdict, UNTORN_WHOLE);
    untorn_content_free(&content);
    CHECK(!exists(".untorn"));
}

TEST(what_cannot_be_read_has_no_verdict)
{
    enum untorn_verdict verdict;
    make_dir("a.json", 0700);
    CHECK_INT(untorn_read_judged("a.json", 0, NULL, &content, &verdict, &error),
              -UNTORN_NOT_A_FILE);
    unsigned version = 7;
    CHECK_INT(untorn_read_last_good("a.json", 0, NULL, &content, &version, &error),
              -UNTORN_NOT_A_FILE);
    CHECK_INT(version, 0);
    CHECK(!content.data);
}

/* ---- the last good version ---- */

static void save(const char *path, const char *text)
{
    struct untorn_options options = {.keep = 5};
    CHECK_INT(untorn_write(path, text, strlen(text), &options, &error), 0);
}

static int last_good(const char *path, unsigned *ret_version)
{
    return untorn_read_last_good(path, UNTORN_FORMAT_UNKNOWN, NULL, &content, ret_version, &error);
}

TEST(a_whole_file_is_its_own_last_good_version)
{
    unsigned version = 7;
    save("a.json", "1");
    save("a.json", "2");
    CHECK_INT(last_good("a.json", &version), 0);
    CHECK_INT(version, 0);
    CHECK_INT(error.flags, 0);
    CHECK_TEXT(content.data, "2");
    untorn_content_free(&content);
}

TEST(of_a_damaged_file_the_newest_whole_version_is_read)
{
    unsigned version;
    save("a.json", "1");
    save("a.json", "[2]");
    save("a.json", "[3");
    save("a.json", "");
    put("a.json", "{\"a\": ");
    CHECK_INT(last_good("a.json", &version), 0);
    CHECK_TEXT(content.data, "[2]");
    CHECK_INT(version, 2);
    CHECK_INT(error.status, UNTORN_OK);
    CHECK_INT(error.flags, UNTORN_FLAG_LAST_GOOD);
    CHECK(strstr(error.detail, "truncated: "));
    untorn_content_free(&content);
}

TEST(a_version_that_somebody_changed_is_passed_over)
{
    unsigned version;
    save("a.json", "[1]");
    save("a.json", "[2]");
    save("a.json", "[3]");
    put("a.json", "");
    DIR *listing = opendir(".untorn/history/a.json");
    CHECK(listing);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        char path[400];
        snprintf(path, sizeof path, ".untorn/history/a.json/%s", entry->d_name);
        const char *text = entry->d_name[0] == '.' ? NULL : text_of(path);
        if (text && strcmp(text, "[2]") == 0)
            put(path, "[9]");
    }
    closedir(listing);
    CHECK_INT(last_good("a.json", &version), 0);
    CHECK_TEXT(content.data, "[1]");
    untorn_content_free(&content);
}

TEST(a_missing_file_has_a_last_good_version_too)
{
    unsigned version;
    save("a.json", "1");
    save("a.json", "2");
    CHECK_INT(unlink("a.json"), 0);
    CHECK_INT(last_good("a.json", &version), 0);
    CHECK_TEXT(content.data, "1");
    CHECK_INT(version, 1);
    untorn_content_free(&content);
}

TEST(without_a_whole_version_it_is_damaged_or_missing)
{
    unsigned version = 7;
    put("a.json", "{");
    CHECK_INT(last_good("a.json", &version), -UNTORN_DAMAGED);
    CHECK_INT(error.status, UNTORN_DAMAGED);
    CHECK_INT(error.position, 1);
    CHECK_INT(version, 0);
    CHECK(!content.data);
    CHECK_INT(last_good("none.json", &version), -UNTORN_MISSING);
    CHECK_INT(untorn_read_last_good("a.json", 0, NULL, &content, &version, NULL), -UNTORN_DAMAGED);
    CHECK(!exists(".untorn"));
}
