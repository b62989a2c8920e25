/* untorn/check.h: finding what dead writers left, and finishing it. */
#include "harness.h"

#include <untorn.h>

#include "base/limits.h"
#include "file/found.h"
#include "file/support.h"

/* Exactly one finding, of this kind and size, of the file "f". */
static void check_one(enum untorn_finding_kind kind, uint64_t size, bool repaired)
{
    CHECK_INT(count, 1);
    CHECK_INT(found[0].kind, kind);
    CHECK_TEXT(found[0].name, "f");
    CHECK_INT(found[0].size, size);
    CHECK_INT(found[0].repaired, repaired);
    CHECK_INT(still_open, !repaired);
    CHECK_INT(exists(found[0].kept), !repaired || kind == UNTORN_FOUND_UNFINISHED);
}

static void prepare(void)
{
    CHECK_INT(untorn_write("f", "content", 7, NULL, &error), 0);
}

static void make_dead_stage(const char *name)
{
    char path[600];
    snprintf(path, sizeof path, ".untorn/stage/%s.0123456789abcdef", name);
    put(path, "unfinished");
}

static void die(void *context)
{
    (void)context;
    _exit(9);
}

static void overwrite_and_die(void *context)
{
    struct untorn_options in_place = {.keep_inode = true};
    at(CALL_TRUNCATE, context, 1, die, NULL); /* the file's, not its journal's */
    (void)untorn_write("f", "overwritten", 11, &in_place, &error);
    _exit(0);
}

static void leave_unfinished(void)
{
    CHECK_INT(end_of(start_child(overwrite_and_die, (void *)full_path("f"))), 9);
    CHECK_INT(unlink(only_entry(".untorn/stage", "f.")), 0); /* is another finding */
}

TEST(where_nothing_is_there_is_nothing_to_find)
{
    put("f", "x");
    CHECK_INT(check(".", true, true), 0);
    CHECK_INT(still_open, 0);
    CHECK_INT(check("f", true, true), 0);
    CHECK_INT(check("not-yet", false, false), 0);
    CHECK_INT(count, 0);
    CHECK_INT(count_entries(".", ""), 1);
    prepare();
    CHECK_INT(check(".", true, true), 0);
    CHECK_INT(count, 0);
}

TEST(a_dead_stage_is_found_and_removed)
{
    prepare();
    make_dead_stage("f");
    for (int i = 0; i < 2; i++) {
        CHECK_INT(check(i ? "f" : ".", false, false), 0);
        check_one(UNTORN_FOUND_STAGE, 10, false);
        CHECK_TEXT(found[0].kept, ".untorn/stage/f.0123456789abcdef");
    }
    CHECK_INT(check(".", true, false), 0);
    check_one(UNTORN_FOUND_STAGE, 10, true);
    CHECK_INT(check(".", true, false), 0);
    CHECK_INT(count, 0);
}

/* [STAGE-4] */
TEST(a_stage_under_a_lock_is_a_finding_only_when_nobody_holds_it)
{
    char path[64];
    struct untorn_lock *lock;
    CHECK_INT(untorn_write("f", "x", 1, &options, &error), 0);
    snprintf(path, sizeof path, ".untorn/stage/f.%016llx",
             (unsigned long long)stat_of(".untorn/lock/f").st_ino);
    put(path, "unfinished");
    CHECK_INT(untorn_lock("f", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, NULL), 0);
    CHECK_INT(check("f", false, false), 0);
    CHECK_INT(count, 0);
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 0);
    untorn_unlock(lock);
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 1);
    CHECK_INT(check("f", true, false), 0);
    CHECK(!exists(path));
}

TEST(the_stage_of_a_living_writer_is_not_a_finding)
{
    struct untorn_writer *writer = NULL;
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, &error), 0);
    CHECK_INT(check(".", true, true), 0);
    CHECK_INT(count, 0);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    untorn_writer_free(writer);
}

TEST(an_unfinished_overwrite_is_found_and_finished)
{
    prepare();
    leave_unfinished();
    CHECK_INT(check(".", false, false), 0);
    check_one(UNTORN_FOUND_UNFINISHED, 11, false);
    CHECK_TEXT(found[0].kept, ".untorn/inplace/f");
    struct untorn_content content;
    CHECK_INT(untorn_read("f", NULL, &content, &error), 0);
    CHECK_TEXT(content.data, "content");
    untorn_content_free(&content);
    CHECK_INT(check("f", true, false), 0);
    check_one(UNTORN_FOUND_UNFINISHED, 11, true);
    CHECK_TEXT(text_of("f"), "overwritten");
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 0);
}

TEST(an_overwrite_that_met_content_it_does_not_know_is_kept)
{
    prepare();
    leave_unfinished();
    put("f", "edited by hand");
    CHECK_INT(check(".", true, false), 0);
    CHECK_TEXT(text_of("f"), "edited by hand");
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 1);
    CHECK_INT(found[0].kind, UNTORN_FOUND_CONFLICT);
    CHECK_INT(still_open, 1);
    CHECK_INT(check(".", true, false), 0);
    CHECK(!found[0].repaired);
    CHECK_INT(check(".", true, true), 0);
    check_one(UNTORN_FOUND_CONFLICT, found[0].size, true);
    CHECK_TEXT(text_of("f"), "edited by hand");
}

TEST(a_journal_that_was_copied_is_foreign_and_only_given_up)
{
    static char bytes[4096];
    prepare();
    leave_unfinished();
    ssize_t size = get_bytes(".untorn/inplace/f", bytes, sizeof bytes);
    put("f", "content");
    put_bytes("copy", bytes, (size_t)size);
    CHECK_INT(rename("copy", ".untorn/inplace/f"), 0);
    CHECK_INT(check(".", true, false), 0);
    check_one(UNTORN_FOUND_FOREIGN, 11, false);
    CHECK_INT(check(".", true, true), 0);
    check_one(UNTORN_FOUND_FOREIGN, 11, true);
    CHECK_TEXT(text_of("f"), "content");
}

TEST(a_journal_under_another_name_is_foreign)
{
    prepare();
    leave_unfinished();
    CHECK_INT(rename(".untorn/inplace/f", ".untorn/inplace/g"), 0);
    put("f", "content");
    CHECK_INT(check(".", true, false), 0);
    check_one(UNTORN_FOUND_FOREIGN, 11, false);
    CHECK_TEXT(text_of("f"), "content");
}

TEST(what_a_foreign_journal_left_is_found_as_foreign)
{
    prepare();
    make_dir(".untorn/kept", 0700);
    put(".untorn/kept/foreign-f.0123456789abcdef", "1234");
    CHECK_INT(check(".", true, false), 0);
    check_one(UNTORN_FOUND_FOREIGN, 4, false);
    CHECK_INT(check("f", true, true), 0);
    check_one(UNTORN_FOUND_FOREIGN, 4, true);
}

TEST(a_torn_record_is_found_until_it_is_given_up)
{
    put("f", "{\"a\":1}\n{\"b");
    CHECK_INT(untorn_append("f", "1", 1, UNTORN_RECORDS_JSON, NULL, &error), 0);
    CHECK_INT(check("f", true, false), 0);
    check_one(UNTORN_FOUND_TAIL, 3, false);
    CHECK_INT(check("f", true, true), 0);
    check_one(UNTORN_FOUND_TAIL, 3, true);
    CHECK_TEXT(text_of("f"), "{\"a\":1}\n1\n");
}

TEST(names_with_dashes_are_told_apart)
{
    prepare();
    make_dir(".untorn/kept", 0700);
    put(".untorn/kept/tail-a-b-c.0123456789abcdef", "1");
    put(".untorn/kept/conflict--x.0123456789abcdef", "1");
    put(".untorn/kept/no-entry", "1");
    put(".untorn/kept/noentry.0123456789abcdef", "1");
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 2);
    for (int i = 0; i < 2; i++)
        CHECK_TEXT(found[i].name, found[i].kind == UNTORN_FOUND_TAIL ? "a-b-c" : "-x");
    CHECK_INT(check("a-b-c", false, false), 0);
    CHECK_INT(count, 1);
}

TEST(a_file_is_told_only_what_concerns_it)
{
    prepare();
    make_dead_stage("f");
    make_dead_stage("g");
    CHECK_INT(check("g", false, false), 0);
    CHECK_INT(count, 1);
    CHECK_TEXT(found[0].name, "g");
    CHECK_INT(check("g", true, false), 0);
    CHECK_INT(check(".", false, false), 0);
    check_one(UNTORN_FOUND_STAGE, 10, false);
}

TEST(looking_changes_creates_and_locks_nothing)
{
    prepare();
    leave_unfinished();
    make_dead_stage("f");
    put(".untorn/lock/f", "");
    const struct rule *locks = watch(CALL_FLOCK, "/lock/"), *made = watch(CALL_MKDIR, ""),
                      *writes = watch(CALL_WRITE, ""), *removed = watch(CALL_UNLINK, ""),
                      *renamed = watch(CALL_RENAME, "");
    CHECK_INT(check(".", false, true), 0);
    CHECK_INT(count, 2);
    CHECK_INT(locks->seen + made->seen + writes->seen + removed->seen + renamed->seen, 0);
}

TEST(the_findings_of_a_long_name_are_found_by_that_name)
{
    char name[LIMIT_NAME + 1];
    struct untorn_writer *writer = NULL;
    memset(name, 'n', 250);
    name[250] = '\0';
    put(name, "{\"torn");
    CHECK_INT(untorn_append(name, "1", 1, UNTORN_RECORDS_JSON, NULL, &error), 0);
    CHECK_INT(untorn_writer_begin(name, NULL, &writer, &error), 0);
    const char *stage = only_entry(".untorn/stage", "%");
    CHECK_INT(rename(stage, "left"), 0);
    untorn_writer_free(writer);
    put(stage, "unfinished");
    CHECK_INT(check(name, false, false), 0);
    CHECK_INT(count, 2);
    for (int i = 0; i < count; i++)
        CHECK_TEXT(found[i].name, name);
    CHECK_INT(check(name, true, true), 0);
    CHECK_INT(still_open, 0);
}

TEST(hundreds_of_dead_stages_are_found_and_removed_at_once)
{
    char name[64];
    work_in_memory();
    prepare();
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "a-name-that-fills-the-listing-%d", i);
        make_dead_stage(name);
    }
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(count, 300);
    CHECK_INT(check(".", true, false), 0);
    CHECK_INT(count, 300);
    CHECK_INT(still_open, 0);
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
}

TEST(one_call_looks_at_only_so_many_names)
{
    static const char *const folders[] = {"stage", "kept", "inplace"};
    char path[64];
    work_in_memory();
    prepare();
    put("one", "");
    for (int folder = 0; folder < 3; folder++) {
        snprintf(path, sizeof path, ".untorn/%s", folders[folder]);
        if (!exists(path))
            make_dir(path, 0700);
        for (int i = 0; i < LIMIT_LISTING + 10; i++) {
            snprintf(path, sizeof path, ".untorn/%s/%d", folders[folder], i);
            CHECK_INT(link("one", path), 0);
        }
    }
    const struct rule *opened = watch(CALL_OPEN, "/inplace/");
    CHECK_INT(check(".", true, true), 0);
    CHECK_INT(opened->seen, LIMIT_LISTING);
    CHECK_INT(count, 0);
}

static void hold(struct partner_context *partner)
{
    struct untorn_lock *lock = NULL;
    CHECK_INT(untorn_lock("f", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, &error), 0);
    partner_ready(partner);
    untorn_unlock(lock);
}

TEST(what_is_locked_is_not_repaired_and_that_is_said)
{
    prepare();
    make_dead_stage("f");
    make_dead_stage("g");
    struct partner partner = partner_start(hold, NULL);
    options.wait_ms = UNTORN_TRY_ONCE;
    CHECK_INT(check(".", true, false), -UNTORN_LOCKED);
    CHECK_INT(error.status, UNTORN_LOCKED);
    CHECK(strstr(error.detail, "held by pid"));
    CHECK_INT(count, 2);
    CHECK_INT(still_open, 1);
    partner_end(&partner);
    CHECK_INT(check(".", true, false), 0);
    CHECK_INT(still_open, 0);
}

TEST(a_repair_that_fails_is_told)
{
    prepare();
    leave_unfinished();
    fail(CALL_FSYNC, "/f", 1, EIO);
    CHECK_INT(check(".", true, false), UNTORN_UNSETTLED_IN_PLACE);
    CHECK_INT(still_open, 1);
    CHECK_INT(check(".", true, false), 0);
    CHECK_INT(still_open, 0);
}

TEST(without_a_function_the_number_is_told)
{
    struct untorn_check what = {0};
    prepare();
    make_dead_stage("f");
    CHECK_INT(untorn_check(".", &what, NULL, &still_open, NULL), 0);
    CHECK_INT(still_open, 1);
}

TEST(a_state_directory_is_looked_into)
{
    options.state_dir = "state";
    CHECK_INT(untorn_write("f", "x", 1, &options, &error), 0);
    char path[8192];
    snprintf(path, sizeof path, "%s/stage/f.0123456789abcdef", only_entry("state", ""));
    put(path, "unfinished");
    CHECK_INT(check("f", true, false), 0);
    CHECK_INT(count, 1);
    CHECK_INT(still_open, 0);
    CHECK(!exists(path));
}

TEST(what_cannot_be_looked_at_is_told)
{
    CHECK_INT(check("missing/f", false, false), -UNTORN_MISSING);
    CHECK_INT(check("", false, false), -UNTORN_INVALID);
    CHECK_INT(still_open, 0);
    make_dir("closed", 0755);
    fail(CALL_OPEN, "closed", 1, EACCES);
    CHECK_INT(check("closed", false, false), -UNTORN_DENIED);
    prepare();
    fail(CALL_OPEN, "/.untorn/stage", 1, EMFILE);
    CHECK_INT(check(".", false, false), -UNTORN_FAILED);
    put(".untorn/format", "9\n");
    CHECK_INT(check(".", false, false), -UNTORN_NEWER_FORMAT);
    remove_tree(".untorn");
    CHECK_INT(symlink("/tmp", ".untorn"), 0);
    CHECK_INT(check(".", false, false), -UNTORN_UNTRUSTED);
}

TEST(no_descriptor_is_left_open)
{
    int before = open_descriptors();
    prepare();
    leave_unfinished();
    make_dead_stage("f");
    CHECK_INT(check(".", false, false), 0);
    CHECK_INT(check("f", true, true), 0);
    CHECK_INT(check("missing/f", false, false), -UNTORN_MISSING);
    CHECK_INT(open_descriptors(), before);
}

static void look_as_alice(void *context)
{
    (void)context;
    CHECK_INT(check("d", false, false), 0);
    int rc = check("d", true, true);
    CHECK(rc < 0 || still_open > 0);
}

TEST(who_may_only_read_finds_and_repairs_nothing)
{
    need_root();
    make_dir("d", 0755);
    CHECK_INT(untorn_write("d/f", "content", 7, NULL, &error), 0);
    put("d/.untorn/stage/f.0123456789abcdef", "unfinished");
    CHECK_INT(chmod("d/.untorn/stage/f.0123456789abcdef", 0644), 0);
    in_child_as(ALICE, ALICE, look_as_alice, NULL);
    CHECK(exists("d/.untorn/stage/f.0123456789abcdef"));
}
