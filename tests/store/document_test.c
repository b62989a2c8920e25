/* untorn/document.h on files: the lock, the newest version, and nothing written that need not be.
 */
#include "harness.h"

#include <untorn.h>

#include "file/interpose.h"
#include "file/support.h"

static struct untorn_error error;
static const struct untorn_options no_flush = {.level = UNTORN_CACHE};

static int edit_one(const char *path, enum untorn_edit_kind kind, const char *key,
                    const char *value)
{
    struct untorn_edit edit = {
        .kind = kind, .key = key, .value = value, .value_size = value ? strlen(value) : 0};
    return untorn_edit(path, &edit, 1, NULL, &no_flush, &error);
}

static int set(const char *path, const char *key, const char *value)
{
    return edit_one(path, UNTORN_SET, key, value);
}

static int set_with(const char *path, const struct untorn_options *options)
{
    struct untorn_edit edit = {.kind = UNTORN_SET, .key = "a", .value = "2", .value_size = 1};
    return untorn_edit(path, &edit, 1, NULL, options, &error);
}

TEST(an_edit_changes_the_file)
{
    put("a.json", "{\"a\": 1} ");
    put("a.toml", "# c\na = 1\n");
    CHECK_INT(set("a.json", "a", "2"), 0);
    CHECK_INT(error.status, UNTORN_OK);
    CHECK_INT(error.flags, 0);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 2} ");
    CHECK_INT(set("a.toml", "a", "2"), 0);
    CHECK_TEXT(text_of("a.toml"), "# c\na = 2\n");
    CHECK_INT(edit_one("a.toml", UNTORN_UNSET, "a", NULL), 0);
}

TEST(edits_that_change_nothing_write_nothing)
{
    put("a.json", "{\"a\": 1.50} ");
    struct stat before = stat_of("a.json");
    const struct rule *renames = watch(CALL_RENAME, "/a.json");
    const struct rule *stages = watch(CALL_OPEN, "/stage/");
    CHECK_INT(set("a.json", "a", "1.5"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    struct stat after = stat_of("a.json");
    CHECK_INT(after.st_ino, before.st_ino);
    CHECK_INT(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
    CHECK_INT(renames->seen + stages->seen, 0);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 1.50} ");
}

/* [DOCUMENT-3] */
TEST(edits_of_which_one_fails_leave_the_file_alone)
{
    put("a.json", "{\"a\": 1}");
    ino_t before = stat_of("a.json").st_ino;
    struct untorn_edit edits[] = {
        {.kind = UNTORN_SET, .key = "a", .value = "2", .value_size = 1},
        {.kind = UNTORN_UNSET, .key = "nothing"},
    };
    CHECK_INT(untorn_edit("a.json", edits, 2, NULL, &no_flush, &error), -UNTORN_NO_KEY);
    CHECK_INT(error.status, UNTORN_NO_KEY);
    CHECK_INT(error.os_error, 0);
    CHECK_TEXT(error.path, "a.json");
    CHECK_TEXT(error.detail, "nothing");
    CHECK_TEXT(text_of("a.json"), "{\"a\": 1}");
    CHECK_INT(stat_of("a.json").st_ino, before);
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
}

TEST(a_missing_file_is_made)
{
    CHECK_INT(set("a.json", "b.c", "x"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_CREATED);
    CHECK_TEXT(text_of("a.json"), "{\n  \"b\": {\n    \"c\": \"x\"\n  }\n}\n");
    CHECK_INT(set("a.toml", "b", "1"), 0);
    CHECK_TEXT(text_of("a.toml"), "b = 1\n");
    CHECK_INT(edit_one("b.json", UNTORN_MERGE_PATCH, NULL, "{\"x\": 1}"), 0);
    CHECK_TEXT(text_of("b.json"), "{\n  \"x\": 1\n}\n");
    CHECK_INT(edit_one("c.json", UNTORN_MERGE_PATCH, NULL, "{}"), 0);
    CHECK_TEXT(text_of("c.json"), "{}\n");
    CHECK_INT(edit_one("d.jsonc", UNTORN_JSON_PATCH, NULL,
                       "[{\"op\":\"add\",\"path\":\"/x\",\"value\":1}]"),
              0);
    CHECK_TEXT(text_of("d.jsonc"), "{\n  \"x\": 1\n}\n");
}

TEST(a_missing_file_is_missing_to_an_edit_that_needs_what_is_in_it)
{
    static const enum untorn_edit_kind kinds[] = {UNTORN_UNSET, UNTORN_INSERT, UNTORN_RENAME};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        CHECK_INT(edit_one("a.json", kinds[i], "a[0]", "x"), -UNTORN_MISSING);
        CHECK_INT(error.status, UNTORN_MISSING);
        CHECK(!exists("a.json"));
    }
    CHECK_INT(untorn_edit("a.json", NULL, 0, NULL, &no_flush, &error), -UNTORN_MISSING);
    CHECK(edit_one("a.json", UNTORN_JSON_PATCH, NULL,
                   "[{\"op\":\"test\",\"path\":\"/x\",\"value\":1}]") < 0);
    CHECK_INT(set("a.json", "a", "\xff"), -UNTORN_INVALID);
    CHECK(!exists("a.json"));
}

TEST(a_missing_folder_is_missing_unless_it_is_to_be_made)
{
    struct untorn_options parents = {.level = UNTORN_CACHE, .parents = true};
    CHECK_INT(set("x/y/a.toml", "a", "2"), -UNTORN_MISSING);
    CHECK_INT(set_with("x/y/a.toml", &parents), 0);
    CHECK_TEXT(text_of("x/y/a.toml"), "a = 2\n");
}

TEST(a_file_that_does_not_parse_is_told_and_left_alone)
{
    char text[UNTORN_TEXT_SIZE];
    put("a.toml", "a = 1\nport = = 1\n");
    ino_t before = stat_of("a.toml").st_ino;
    CHECK_INT(set("a.toml", "a", "2"), -UNTORN_DAMAGED);
    CHECK_INT(error.status, UNTORN_DAMAGED);
    CHECK_INT(error.position, 13);
    CHECK_TEXT(error.path, "a.toml");
    CHECK(strstr(error.detail, "line 2, column 8: "));
    untorn_describe(&error, text, sizeof text);
    CHECK(strncmp(text, "a.toml: the content is damaged: line 2, column 8: ", 50) == 0);
    CHECK(strstr(text, "\n  port = = 1\n         ^"));
    CHECK_TEXT(text_of("a.toml"), "a = 1\nport = = 1\n");
    CHECK_INT(stat_of("a.toml").st_ino, before);
}

TEST(a_file_of_no_bytes_is_toml_and_is_damaged_json)
{
    put("a.json", "");
    put("a.toml", "");
    CHECK_INT(set("a.json", "a", "1"), -UNTORN_DAMAGED);
    CHECK_TEXT(text_of("a.json"), "");
    CHECK_INT(set("a.toml", "a", "1"), 0);
    CHECK_TEXT(text_of("a.toml"), "a = 1\n");
    CHECK_INT(edit_one("a.toml", UNTORN_UNSET, "a", NULL), 0);
    CHECK_TEXT(text_of("a.toml"), "");
}

TEST(the_name_or_the_caller_says_the_format)
{
    struct untorn_edit edit = {.kind = UNTORN_SET, .key = "a", .value = "2", .value_size = 1};
    struct untorn_edit_options how = {.format = UNTORN_TOML};
    put("conf", "a = 1\n");
    CHECK_INT(set("conf", "a", "2"), -UNTORN_UNKNOWN_FORMAT);
    CHECK(strstr(error.detail, "--format") && strstr(error.detail, "untorn update"));
    CHECK(!exists(".untorn"));
    CHECK_INT(untorn_edit("conf", &edit, 1, &how, &no_flush, &error), 0);
    CHECK_TEXT(text_of("conf"), "a = 2\n");
    how.format = (enum untorn_format)77;
    CHECK_INT(untorn_edit("conf", &edit, 1, &how, &no_flush, &error), -UNTORN_UNKNOWN_FORMAT);
    put("a.json", "{\"a\": 1} // c\n");
    CHECK_INT(set("a.json", "a", "2"), -UNTORN_DAMAGED);
    put("tsconfig.json", "{\"a\": 1} // c\n");
    CHECK_INT(set("tsconfig.json", "a", "2"), 0);
    CHECK_TEXT(text_of("tsconfig.json"), "{\"a\": 2} // c\n");
}

TEST(the_options_of_an_update_hold)
{
    struct untorn_hash hash = untorn_hash("other", 5);
    struct untorn_options expecting = {.level = UNTORN_CACHE, .if_match = &hash};
    struct untorn_options secret = {.level = UNTORN_CACHE, .mode = 0600};
    struct untorn_options in_place = {.level = UNTORN_CACHE, .keep_inode = true};
    struct untorn_options exclusive = {.exclusive = true};
    put("a.json", "{\"a\": 1}");
    CHECK_INT(symlink("a.json", "link.json"), 0);
    CHECK_INT(set_with("a.json", &expecting), -UNTORN_CHANGED);
    CHECK_INT(set_with("a.json", &exclusive), -UNTORN_INVALID);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 1}");
    hash = untorn_hash("{\"a\": 1}", 8);
    CHECK_INT(set_with("link.json", &expecting), 0);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 2}");
    CHECK(S_ISLNK(stat_of("link.json").st_mode));
    CHECK_INT(set_with("a.json", &secret), 0);
    CHECK_INT(mode_of("a.json"), 0600);
    put("a.json", "{\"a\": 1}");
    ino_t before = stat_of("a.json").st_ino;
    CHECK_INT(set_with("a.json", &in_place), 0);
    CHECK(error.flags & UNTORN_FLAG_IN_PLACE);
    CHECK_INT(stat_of("a.json").st_ino, before);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 2}");
}

/* ---- large files, of which no tree is made ---- */

enum { LARGE = 9 << 20 };

/* {"a": 1, "list": [0,"xxx...",...], with blanks before the tail. */
static void put_large(const char *path, const char *tail)
{
    enum { ELEMENT = 1024 };
    static const char head[] = "{\"a\": 1, \"list\": [0";
    char *text = malloc(LARGE);
    CHECK(text);
    memset(text, 'x', LARGE);
    memcpy(text, head, sizeof head - 1);
    size_t at = sizeof head - 1, end = LARGE - strlen(tail);
    for (; at + ELEMENT <= end; at += ELEMENT) {
        memcpy(text + at, ",\"", 2);
        text[at + ELEMENT - 1] = '"';
    }
    memset(text + at, ' ', end - at);
    memcpy(text + end, tail, strlen(tail));
    put_bytes(path, text, LARGE);
    free(text);
}

static const char *part_of(const char *path, off_t offset, size_t size)
{
    static char part[100];
    int file = open(path, O_RDONLY);
    CHECK_INT(pread(file, part, size, offset), size);
    close(file);
    part[size] = '\0';
    return part;
}

TEST(a_large_file_is_edited_like_a_small_one)
{
    put_large("a.json", "], \"z\": 1}\n");
    CHECK_INT(set("a.json", "a", "23"), 0);
    CHECK_INT(stat_of("a.json").st_size, LARGE + 1);
    CHECK_TEXT(part_of("a.json", 0, 21), "{\"a\": 23, \"list\": [0,");
    CHECK_INT(set("a.json", "z", "2.50"), 0);
    CHECK_TEXT(part_of("a.json", LARGE - 7, 11), "\"z\": 2.50}\n");
    CHECK_INT(set("a.json", "new.key", "x"), 0);
    CHECK_INT(set("a.json", "new.key", "y"), 0);
    CHECK_INT(edit_one("a.json", UNTORN_UNSET, "new", NULL), 0);
    CHECK_INT(stat_of("a.json").st_size, LARGE + 4);
    CHECK_INT(set("a.json", "z", "2.5"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
}

TEST(what_is_added_to_a_large_file_and_removed_again_leaves_no_trace)
{
    static const struct {
        enum untorn_edit_kind kind;
        const char *key, *undo;
    } edits[] = {{UNTORN_SET, "new", "new"},
                 {UNTORN_SET, "new.way.down", "new"},
                 {UNTORN_SET, "list[+]", "list[-1]"},
                 {UNTORN_INSERT, "list[7]", "list[7]"}};
    put_large("a.json", "], \"z\": 1}\n");
    struct untorn_hash before, after;
    CHECK_INT(untorn_hash_file("a.json", NULL, &before, &error), 0);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        CHECK_INT(edit_one("a.json", edits[i].kind, edits[i].key, "\"x\""), 0);
        CHECK(stat_of("a.json").st_size > LARGE);
        CHECK_INT(edit_one("a.json", UNTORN_UNSET, edits[i].undo, NULL), 0);
        CHECK_INT(untorn_hash_file("a.json", NULL, &after, &error), 0);
        CHECK(untorn_hash_equal(&before, &after));
    }
}

static void change_a_byte(void *context)
{
    int file = open("a.json", O_WRONLY);
    CHECK_INT(pwrite(file, context, 1, LARGE - 3), 1);
    close(file);
}

/* [STREAM-1] Somebody who takes no lock writes between the scan and the copy. */
TEST(a_large_file_that_is_changed_meanwhile_is_read_again)
{
    put_large("a.json", "], \"z\": 1}\n");
    const struct rule *reads = watch(CALL_READ, "/a.json");
    CHECK_INT(edit_one("a.json", UNTORN_UNSET, "list", NULL), 0);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 1, \"z\": 1}\n");
    int once = reads->seen;
    forget_rules();
    put_large("a.json", "], \"z\": 1}\n");
    at(CALL_READ, "/a.json", once * 3 / 4, change_a_byte, "7");
    reads = watch(CALL_READ, "/a.json");
    CHECK_INT(edit_one("a.json", UNTORN_UNSET, "list", NULL), 0);
    CHECK(reads->seen > once + once / 2);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 1, \"z\": 7}\n");
}

static bool meddled;

static void cut_to_half(void *context)
{
    (void)context;
    CHECK_INT(truncate("a.json", LARGE / 2), 0);
    meddled = true;
}

static void add_a_line(void *context)
{
    (void)context;
    int file = open("a.json", O_WRONLY | O_APPEND);
    CHECK_INT(write(file, " \n", 2), 2);
    close(file);
    meddled = true;
}

static const struct large_edit {
    enum untorn_edit_kind kind;
    const char *key, *value;
} large_edits[] = {{UNTORN_SET, "a", "2"},
                   {UNTORN_SET, "new", "2"},
                   {UNTORN_UNSET, "list", NULL},
                   {UNTORN_SET, "list[-1]", "text"}};

/* The edit while somebody who takes no lock meddles at the read of that number. */
static int edit_meddled(const struct large_edit *edit, void (*meddle)(void *context), int number)
{
    put_large("a.json", "], \"z\": 1}\n");
    meddled = false;
    at(CALL_READ, "/a.json", number, meddle, NULL);
    int rc = edit_one("a.json", edit->kind, edit->key, edit->value);
    forget_rules();
    return rc;
}

static struct untorn_hash hash_of(const char *path)
{
    struct untorn_hash hash;
    CHECK_INT(untorn_hash_file(path, NULL, &hash, &error), 0);
    return hash;
}

TEST(a_large_file_that_is_cut_meanwhile_is_left_as_it_is)
{
    put_large("a.json", "], \"z\": 1}\n");
    cut_to_half(NULL);
    struct untorn_hash cut = hash_of("a.json"), after;
    for (size_t i = 0; i < sizeof large_edits / sizeof *large_edits; i++) {
        for (int number = 1; meddled; number += 1 + number / 2) {
            int rc = edit_meddled(&large_edits[i], cut_to_half, number);
            CHECK_INT(rc, meddled ? -UNTORN_DAMAGED : 0);
            after = hash_of("a.json");
            CHECK_INT(untorn_hash_equal(&cut, &after), meddled);
        }
        meddled = true;
    }
}

TEST(what_is_added_to_a_large_file_meanwhile_stays)
{
    struct untorn_hash expected, after;
    for (size_t i = 0; i < sizeof large_edits / sizeof *large_edits; i++) {
        const struct large_edit *edit = &large_edits[i];
        put_large("a.json", "], \"z\": 1}\n");
        add_a_line(NULL);
        CHECK_INT(edit_one("a.json", edit->kind, edit->key, edit->value), 0);
        expected = hash_of("a.json");
        for (int number = 1; meddled; number += 1 + number / 2) {
            CHECK_INT(edit_meddled(edit, add_a_line, number), 0);
            after = hash_of("a.json");
            CHECK_INT(untorn_hash_equal(&expected, &after), meddled);
        }
    }
}

TEST(one_value_of_a_large_file_that_is_cut_meanwhile_is_not_found_there)
{
    struct untorn_edit at_key = {.key = "z"};
    struct untorn_document *document;
    const struct untorn_node *node;
    meddled = true;
    for (int number = 1; meddled; number += 1 + number / 2) {
        put_large("a.json", "], \"z\": 1}\n");
        meddled = false;
        at(CALL_READ, "/a.json", number, cut_to_half, NULL);
        int rc = untorn_get("a.json", &at_key, NULL, NULL, &document, &node, &error);
        forget_rules();
        if (rc == 0) /* all had been read */
            CHECK_TEXT(untorn_node_text(node, NULL), "1");
        else
            CHECK_INT(rc, -UNTORN_DAMAGED);
        untorn_document_free(document);
    }
}

/* The hash of what is kept is made while the old version is scanned, once or twice. */
TEST(the_version_before_of_a_large_file_is_kept)
{
    struct untorn_options keep = {.keep = 2};
    struct untorn_content content;
    for (size_t i = 0; i < sizeof large_edits / sizeof *large_edits; i++) {
        const struct large_edit *edit = &large_edits[i];
        struct untorn_edit given = {.kind = edit->kind,
                                    .key = edit->key,
                                    .value = edit->value,
                                    .value_size = edit->value ? strlen(edit->value) : 0};
        put_large("a.json", "], \"z\": 1}\n");
        struct untorn_hash before = hash_of("a.json");
        const struct rule *reads = watch(CALL_READ, "/a.json");
        CHECK_INT(untorn_edit("a.json", &given, 1, NULL, &keep, &error), 0);
        CHECK(reads->seen < LARGE / (16 * 1024)); /* it is not compared with the new one */
        forget_rules();
        CHECK_INT(untorn_version_read("a.json", 1, NULL, &content, &error), 0);
        CHECK(untorn_hash_equal(&content.hash, &before));
        untorn_content_free(&content);
    }
}

/* [STREAM-3] What most lines end in is known only when all was read. */
TEST(a_large_file_whose_lines_end_otherwise_than_at_first_is_edited_too)
{
    char *text = malloc(LARGE + 100), *end = text;
    CHECK(text);
    end = stpcpy(end, "{\"a\": {\n  \"b\": 1\n}, \"list\": [");
    while (end < text + LARGE)
        end = stpcpy(end, "1,\r\n");
    end = stpcpy(end, "1]}\n");
    put_bytes("a.json", text, (size_t)(end - text));
    free(text);
    CHECK_INT(set("a.json", "a.new", "1"), 0);
    CHECK_TEXT(part_of("a.json", 0, 32), "{\"a\": {\n  \"b\": 1,\r\n  \"new\": 1\n},");
}

TEST(a_large_file_is_refused_like_a_small_one)
{
    put_large("a.json", "], \"z\": 1}\n");
    ino_t before = stat_of("a.json").st_ino;
    CHECK_INT(set("a.json", "z", "x"), -UNTORN_TYPE);
    CHECK(strstr(error.detail, "z is an integer") && strstr(error.detail, "--string"));
    CHECK_INT(edit_one("a.json", UNTORN_UNSET, "nothing", NULL), -UNTORN_NO_KEY);
    CHECK_INT(set("a.json", "a.b", "1"), -UNTORN_NO_KEY);
    CHECK_INT(set("a.json", "list.b", "1"), -UNTORN_TYPE);
    put_large("b.json", "], \"z\": 1, \"z\": 2}\n");
    CHECK_INT(set("b.json", "z", "3"), -UNTORN_AMBIGUOUS);
    CHECK_INT(stat_of("a.json").st_ino, before);
    CHECK_INT(stat_of("a.json").st_size, LARGE);
}

TEST(a_large_file_that_does_not_parse_is_left_alone)
{
    put_large("a.json", "], \"z\": }\n");
    ino_t before = stat_of("a.json").st_ino;
    CHECK_INT(set("a.json", "a", "2"), -UNTORN_DAMAGED);
    CHECK_INT(error.position, LARGE - 2);
    CHECK(strstr(error.detail, "line 1, column "));
    CHECK_INT(stat_of("a.json").st_ino, before);
    CHECK_TEXT(part_of("a.json", 0, 7), "{\"a\": 1");
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    put_large("a.json", "], \"z\": 1");
    CHECK_INT(set("a.json", "a", "2"), -UNTORN_DAMAGED);
    CHECK_TEXT(part_of("a.json", 0, 7), "{\"a\": 1");
}

/* ---- one value ---- */

/* Its text; or the status, and then there is nothing. */
static const char *get(const char *path, const char *key)
{
    static char text[100];
    struct untorn_edit at = {.key = key};
    struct untorn_document *document;
    const struct untorn_node *node;
    int rc = untorn_get(path, &at, NULL, NULL, &document, &node, &error);
    CHECK_INT(error.status, -rc);
    CHECK((rc == 0) == (document != NULL) && (rc == 0) == (node != NULL));
    if (rc != 0) {
        CHECK_TEXT(error.path, path);
        return untorn_status_name(rc);
    }
    size_t size;
    const char *bytes = untorn_node_text(node, &size);
    snprintf(text, sizeof text, "%.20s", bytes ? bytes : "a container");
    untorn_document_free(document);
    return text;
}

TEST(one_value_of_a_file_is_read)
{
    put("a.json", "{\"a\": {\"b\": [1, 2.50]}}");
    put("a.toml", "a.b = [1, 2.50]\n");
    for (int i = 0; i < 2; i++) {
        const char *path = i ? "a.toml" : "a.json";
        CHECK_TEXT(get(path, "a.b[1]"), "2.50");
        CHECK_TEXT(get(path, "a"), "a container");
        CHECK_TEXT(get(path, "a.c"), "NO_KEY");
        CHECK_TEXT(error.detail, "a.c");
        CHECK_TEXT(get(path, "a..c"), "INVALID");
    }
    CHECK_TEXT(get("missing.json", "a"), "MISSING");
    CHECK_TEXT(get("a.other", "a"), "UNKNOWN_FORMAT");
}

TEST(the_steps_of_a_value_may_be_given_one_by_one)
{
    const char *const segments[] = {"a.b", "0"};
    struct untorn_edit at = {.segments = segments, .segment_count = 2};
    struct untorn_edit_options how = {.format = UNTORN_JSONC};
    struct untorn_document *document;
    const struct untorn_node *node;
    put("a", "{\"a.b\": [1,]}");
    CHECK_INT(untorn_get("a", &at, &how, NULL, &document, &node, &error), 0);
    CHECK_TEXT(untorn_node_text(node, NULL), "1");
    untorn_document_free(document);
}

TEST(one_value_of_a_large_file_is_read_like_that_of_a_small_one)
{
    put_large("a.json", "], \"z\": [1, {\"y\": \"text\"}]}\n");
    CHECK_TEXT(get("a.json", "a"), "1");
    CHECK_TEXT(get("a.json", "z[1].y"), "text");
    CHECK_TEXT(get("a.json", "z[-1]"), "a container");
    CHECK_TEXT(get("a.json", "list[0]"), "0");
    CHECK_TEXT(get("a.json", "z[1].x"), "NO_KEY");
    CHECK_TEXT(error.detail, "z[1].x");
    CHECK_TEXT(get("a.json", "list[9999999]"), "NO_KEY");
    CHECK(strstr(error.detail, "elements, counted from 0"));
    CHECK_TEXT(get("a.json", "a..b"), "INVALID");
    put_large("a.json", "], \"z\": }\n");
    CHECK_TEXT(get("a.json", "a"), "DAMAGED");
    CHECK_INT(error.position, LARGE - 2);
    put_large("a.json", "], \"z\": 1, \"z\": 2}\n");
    CHECK_TEXT(get("a.json", "z"), "AMBIGUOUS");
}

TEST(a_value_that_cannot_be_read_is_told)
{
    put_large("a.json", "], \"z\": 1}\n");
    fail(CALL_READ, "/a.json", 3, EIO);
    CHECK_TEXT(get("a.json", "z"), "IO");
    forget_rules();
    fail(CALL_OPEN, "/a.json", 1, EACCES);
    CHECK_TEXT(get("a.json", "z"), "DENIED");
}

static void get_while_it_is_written(void *context)
{
    (void)context;
    CHECK_TEXT(get("a.json", "a"), "1");
    CHECK_TEXT(get("a.json", "z"), "1");
}

/* [INPLACE-4] */
TEST(a_large_file_that_is_written_in_place_has_its_old_values_meanwhile)
{
    struct untorn_options in_place = {.keep_inode = true, .level = UNTORN_CACHE};
    struct untorn_edit edit = {.kind = UNTORN_SET, .key = "a", .value = "2", .value_size = 1};
    put_large("a.json", "], \"z\": 1}\n");
    at(CALL_WRITE, full_path("a.json"), 2, get_while_it_is_written, NULL);
    CHECK_INT(untorn_edit("a.json", &edit, 1, NULL, &in_place, &error), 0);
    CHECK(rules[CALL_WRITE][0].seen >= 2);
    CHECK_TEXT(get("a.json", "a"), "2");
}

/* ---- others at the same time ---- */

static void add_key(void *context)
{
    char key[32];
    for (int i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "p%d.k%d", *(int *)context, i);
        CHECK_INT(set("shared.toml", key, "1"), 0);
    }
}

TEST(edits_of_many_processes_are_all_in_the_file)
{
    pid_t children[4];
    for (int i = 0; i < 4; i++)
        children[i] = start_child(add_key, &i);
    for (int i = 0; i < 4; i++)
        finish_child(children[i]);
    struct untorn_document *document;
    CHECK_INT(untorn_document_read("shared.toml", NULL, UNTORN_FORMAT_UNKNOWN, &document, &error),
              0);
    for (int i = 0; i < 4; i++) {
        char key[32];
        snprintf(key, sizeof key, "p%d", i);
        CHECK_INT(untorn_node_count(untorn_document_find(document, key, &error)), 20);
    }
    untorn_document_free(document);
}

static void truncate_it(void *context)
{
    CHECK_INT(truncate("a.json", *(off_t *)context), 0);
}

/* The file is read, never mapped: what another program cuts off is missing, and nothing more. */
TEST(a_file_that_is_truncated_while_it_is_read_is_damaged_and_crashes_nobody)
{
    static const off_t sizes[] = {0, 1, 5, 100000}; /* longer: by zeros, which are no JSON */
    static char text[1 << 16];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(text, ' ', sizeof text - 1);
        memcpy(text, "{\"a\": 1}", 8);
        put("a.json", text);
        at(CALL_READ, "/a.json", 1, truncate_it, (void *)&sizes[i]);
        CHECK_INT(set("a.json", "a", "2"), -UNTORN_DAMAGED);
        CHECK_INT(stat_of("a.json").st_size, sizes[i]);
        forget_rules();
    }
}

static void grow_it(void *context)
{
    (void)context;
    put("a.json", "{\"a\": 1, \"more\": \"than there was\"}");
}

TEST(a_file_that_grows_while_it_is_read_is_read_whole)
{
    put("a.json", "{\"a\": 1}");
    at(CALL_READ, "/a.json", 1, grow_it, NULL);
    CHECK_INT(set("a.json", "a", "2"), 0);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 2, \"more\": \"than there was\"}");
}

static void replace_it(void *context)
{
    (void)context;
    put("other", "{\"a\": 1, \"b\": 1}");
    CHECK_INT(rename("other", "a.json"), 0);
}

TEST(a_file_that_is_replaced_meanwhile_is_edited_in_its_newer_version)
{
    put("a.json", "{\"a\": 1}");
    at(CALL_READ, "/a.json", 1, replace_it, NULL);
    CHECK_INT(set("a.json", "a", "2"), 0);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 2, \"b\": 1}");
}

TEST(an_edit_waits_for_the_lock)
{
    struct untorn_options once = {.wait_ms = UNTORN_TRY_ONCE};
    struct untorn_lock *lock;
    put("a.json", "{\"a\": 1}");
    CHECK_INT(untorn_lock("a.json", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, &error), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(set_with("a.json", &once) == -UNTORN_LOCKED ? 0 : 1);
    CHECK_INT(end_of(child), 0);
    untorn_unlock(lock);
    CHECK_TEXT(text_of("a.json"), "{\"a\": 1}");
}

/* ---- reading ---- */

TEST(a_file_is_read_as_a_document)
{
    struct untorn_document *document;
    int64_t port;
    put("a.toml", "[server]\nport = 80\n");
    CHECK_INT(untorn_document_read("a.toml", NULL, UNTORN_FORMAT_UNKNOWN, &document, &error), 0);
    CHECK_INT(untorn_document_format(document), UNTORN_TOML);
    CHECK(untorn_node_integer(untorn_document_find(document, "server.port", NULL), &port));
    CHECK_INT(port, 80);
    CHECK_TEXT(untorn_document_text(document, NULL), "[server]\nport = 80\n");
    untorn_document_free(document);
    CHECK(!exists(".untorn"));
}

TEST(a_file_that_cannot_be_read_gives_no_document)
{
    struct untorn_document *document = (struct untorn_document *)&error;
    CHECK_INT(untorn_document_read("a.json", NULL, UNTORN_FORMAT_UNKNOWN, &document, &error),
              -UNTORN_MISSING);
    CHECK(!document);
    put("a.json", "{");
    CHECK_INT(untorn_document_read("a.json", NULL, UNTORN_FORMAT_UNKNOWN, &document, &error),
              -UNTORN_DAMAGED);
    CHECK(!document);
    CHECK_TEXT(error.path, "a.json");
    CHECK_INT(error.position, 1);
    put("a", "{}");
    CHECK_INT(untorn_document_read("a", NULL, UNTORN_FORMAT_UNKNOWN, &document, &error),
              -UNTORN_UNKNOWN_FORMAT);
    CHECK(!document);
    CHECK_INT(untorn_document_read("a", NULL, UNTORN_JSONC, &document, NULL), 0);
    untorn_document_free(document);
}
