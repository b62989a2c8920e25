/* Overwriting in place: what is on the disk at each step, and what failures leave. Recovery is
 * tested in recovery_test.c. */
#include "harness.h"

#include <untorn.h>

#include "file/inplace.h"
#include "file/interpose.h"
#include "file/support.h"

#define TARGET "d/target" /* so that "/d/target" is the file and "/inplace/target" its journal */
#define JOURNAL "d/.untorn/inplace/target"

static struct untorn_error error;
static struct untorn_options options = {.keep_inode = true};

static int save(const char *text)
{
    return untorn_write(TARGET, text, strlen(text), &options, &error);
}

static void begin_with(const char *text)
{
    make_dir("d", 0755);
    put(TARGET, text);
}

/* Zeroed where there is no valid header. */
static struct journal read_journal(void)
{
    struct journal journal;
    os_fd file = OS_NONE;
    CHECK_INT(os_open(OS_NONE, JOURNAL, OS_READ, 0, &file), 0);
    if (journal_read(file, &journal) < 0)
        memset(&journal, 0, sizeof journal);
    if (journal.active)
        CHECK_INT(journal_check_body(file, &journal), 0);
    os_close(file);
    return journal;
}

/* What a reader through untorn sees. */
static const char *seen(void)
{
    static char text[1 << 16];
    struct untorn_content content;
    int rc = untorn_read(TARGET, NULL, &content, &error);
    snprintf(text, sizeof text, "%s", rc == 0 ? content.data : untorn_status_name(rc));
    untorn_content_free(&content);
    return text;
}

static const char *letters(char letter, size_t count)
{
    static char texts[2][1 << 16];
    static int next;
    char *text = texts[next++ % 2];
    memset(text, letter, count);
    text[count] = '\0';
    return text;
}

TEST(a_file_is_overwritten_and_stays_the_same_inode)
{
    static const size_t sizes[] = {3, 3, 1000, 10, 0, 5, 300000, 0, 0, 1};
    begin_with("old");
    CHECK_INT(chmod(TARGET, 0640), 0);
    ino_t inode = stat_of(TARGET).st_ino;
    CHECK_INT(link(TARGET, "other-name"), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *text = malloc(sizes[i] + 1);
        memset(text, 'a' + (int)i, sizes[i] + 1);
        CHECK_INT(untorn_write(TARGET, text, sizes[i], &options, &error), 0);
        CHECK_INT(error.flags, UNTORN_FLAG_IN_PLACE);
        CHECK_INT(stat_of(TARGET).st_ino, inode);
        CHECK_INT(stat_of(TARGET).st_size, sizes[i]);
        struct untorn_hash expected = untorn_hash(text, sizes[i]), hash;
        CHECK_INT(untorn_hash_file(TARGET, NULL, &hash, &error), 0);
        CHECK(untorn_hash_equal(&hash, &expected));
        free(text);
    }
    CHECK_INT(mode_of(TARGET), 0640);
    CHECK_INT(stat_of("other-name").st_size, 1);
}

TEST(the_journal_stays_clear_and_small_and_counts)
{
    uint64_t before = 0;
    begin_with("old");
    for (unsigned i = 0; i < 3; i++) {
        CHECK_INT(save(letters('n', 5000)), 0);
        struct journal journal = read_journal();
        CHECK(!journal.active);
        CHECK(i == 0 || journal.sequence == before + 1);
        before = journal.sequence;
        CHECK_TEXT(journal.name, "target");
        CHECK_INT(journal.own_inode, stat_of(JOURNAL).st_ino);
        CHECK_INT(journal.target_inode, stat_of(TARGET).st_ino);
        CHECK_INT(stat_of(JOURNAL).st_size, JOURNAL_HEAD);
    }
}

TEST(the_journal_is_as_open_as_the_file)
{
    static const unsigned modes[] = {0600, 0640, 0666};
    begin_with("old");
    umask(0);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        CHECK_INT(chmod(TARGET, modes[i]), 0);
        CHECK_INT(save("new"), 0);
        CHECK_INT(mode_of(JOURNAL), modes[i]);
    }
}

static const struct rule *journal_flushes, *folder_flushes, *file_flushes;

static void check_armed(void *context)
{
    (void)context;
    struct journal journal = read_journal();
    CHECK(journal.active);
    CHECK_INT(journal.old_size, 3);
    CHECK_INT(journal.new_size, 6);
    struct untorn_hash old = untorn_hash("old", 3), new = untorn_hash("newest", 6);
    CHECK(untorn_hash_equal(&journal.old_hash, &old));
    CHECK(untorn_hash_equal(&journal.new_hash, &new));
    CHECK_INT(journal_flushes->seen, 1);
    CHECK(folder_flushes->seen >= 1);
    CHECK_TEXT(text_of(TARGET), "old");
}

/* [INPLACE-1] */
TEST(before_the_first_byte_changes_the_journal_durably_holds_both_versions)
{
    begin_with("old");
    journal_flushes = watch(CALL_FSYNC, "/inplace/target");
    folder_flushes = watch(CALL_FSYNC, "/d/.untorn");
    at(CALL_WRITE, "/d/target", 1, check_armed, NULL);
    CHECK_INT(save("newest"), 0);
    CHECK(rules[CALL_WRITE][0].seen >= 1);
}

static void check_written(void *context)
{
    (void)context;
    CHECK_TEXT(text_of(TARGET), "newest");
    CHECK_INT(file_flushes->seen, 1);
    CHECK(read_journal().active);
}

/* [INPLACE-2] */
TEST(the_journal_becomes_clear_only_when_the_file_durably_is_all_new)
{
    begin_with("old");
    struct rule *writes = new_rule(CALL_WRITE, "/inplace/target", 1, 0);
    CHECK_INT(save("newest"), 0);
    int last = writes->seen;
    forget_rules();
    put(TARGET, "old");
    file_flushes = watch(CALL_FSYNC, "/d/target");
    at(CALL_WRITE, "/inplace/target", last, check_written, NULL);
    CHECK_INT(save("newest"), 0);
    CHECK_INT(rules[CALL_WRITE][0].seen, last);
    CHECK(!read_journal().active);
}

TEST(at_level_cache_nothing_is_flushed)
{
    begin_with("old");
    options.level = UNTORN_CACHE;
    struct rule *flushes = new_rule(CALL_FSYNC, "", 1, 0);
    CHECK_INT(save("new"), 0);
    CHECK_INT(flushes->seen, 0);
    CHECK_TEXT(text_of(TARGET), "new");
}

/* ---- readers [INPLACE-4] ---- */

static const char *expected_by_reader;

static void read_meanwhile(void *context)
{
    (void)context;
    CHECK_TEXT(seen(), expected_by_reader);
}

/* [INPLACE-4] */
TEST(a_reader_gets_the_old_version_during_the_overwrite_and_the_new_one_after)
{
    begin_with("old version, rather long");
    expected_by_reader = "old version, rather long";
    always_at(CALL_WRITE, "/d/target", read_meanwhile, NULL);
    always_at(CALL_TRUNCATE, "/d/target", read_meanwhile, NULL);
    always_at(CALL_FSYNC, "/d/target", read_meanwhile, NULL);
    CHECK_INT(save("new"), 0);
    CHECK_INT(rules[CALL_FSYNC][0].seen, 1);
    forget_rules();
    CHECK_TEXT(seen(), "new");
}

static void overwrite_meanwhile(void *context)
{
    CHECK_INT(save(context), 0);
}

/* [INPLACE-4] */
TEST(an_overwrite_in_the_middle_of_a_read_is_noticed)
{
    begin_with(letters('o', 20000));
    CHECK_INT(save(letters('a', 20000)), 0);
    const char *new = letters('n', 20000);
    at(CALL_READ, "/d/target", 1, overwrite_meanwhile, (void *)new);
    struct untorn_content content;
    CHECK_INT(untorn_read(TARGET, NULL, &content, &error), 0);
    CHECK_TEXT(content.data, new);
    CHECK(rules[CALL_READ][0].seen > 2);
    untorn_content_free(&content);
}

/* [INPLACE-4] */
TEST(the_first_overwrite_of_all_in_the_middle_of_a_read_is_noticed)
{
    begin_with(letters('o', 20000));
    const char *new = letters('n', 30000);
    at(CALL_READ, "/d/target", 2, overwrite_meanwhile, (void *)new);
    CHECK(strcmp(seen(), new) == 0);
}

static void make_empty_folder(void *context)
{
    (void)context;
    make_dir("d/.untorn", 0755);
}

/* [INPLACE-4] */
TEST(the_first_overwrite_in_a_folder_without_a_journal_is_noticed_too)
{
    begin_with(letters('o', 20000));
    make_empty_folder(NULL);
    const char *new = letters('n', 30000);
    at(CALL_READ, "/d/target", 2, overwrite_meanwhile, (void *)new);
    CHECK(strcmp(seen(), new) == 0);
}

TEST(a_reader_that_never_finds_rest_gives_up)
{
    begin_with("old");
    struct untorn_content content;
    options.level = UNTORN_CACHE;
    CHECK_INT(save("new"), 0);
    always_at(CALL_READ, "/d/target", overwrite_meanwhile, "new");
    CHECK_INT(untorn_read(TARGET, NULL, &content, &error), -UNTORN_RESTLESS);
    CHECK(content.data == NULL);
}

static void read_as_another(void *context)
{
    (void)context;
    CHECK_TEXT(seen(), expected_by_reader);
}

static void read_as_another_meanwhile(void *context)
{
    in_child_as(ALICE, ALICE, read_as_another, context);
}

/* [INPLACE-4] */
TEST(readers_who_may_not_write_get_the_old_version_too)
{
    need_root();
    begin_with("old");
    CHECK_INT(chmod(TARGET, 0644), 0);
    expected_by_reader = "old";
    at(CALL_TRUNCATE, "/d/target", 1, read_as_another_meanwhile, NULL);
    CHECK_INT(save("new"), 0);
    CHECK_INT(rules[CALL_TRUNCATE][0].seen, 1);
    expected_by_reader = "new";
    read_as_another_meanwhile(NULL);
}

/* [INPLACE-4] */
TEST(a_journal_that_is_made_anew_does_not_pass_for_the_old)
{
    begin_with("old");
    CHECK_INT(save("new"), 0);
    uint64_t before = read_journal().sequence;
    CHECK_INT(unlink(JOURNAL), 0);
    CHECK_INT(save("newer"), 0);
    CHECK(read_journal().sequence != before);
}

TEST(what_a_journal_says_can_be_looked_at)
{
    struct place place;
    struct state state;
    struct inplace_view view;
    begin_with("old");
    struct untorn_options plain = {0};
    CHECK_INT(place_resolve(TARGET, &plain, &place, &error), 0);
    CHECK_INT(state_open(&place, &plain, STATE_CREATE, &state, &error), 0);
    CHECK_INT(inplace_look(&place, &state, &view), 0);
    CHECK(!view.active);
    CHECK_INT(view.sequence, 0);
    CHECK(!exists("d/.untorn/inplace"));
    CHECK_INT(save("new"), 0);
    CHECK_INT(inplace_look(&place, &state, &view), 0);
    CHECK(!view.active);
    CHECK(view.sequence == read_journal().sequence);
    CHECK_INT(view.journal, OS_NONE);
    inplace_view_close(&view);
    fail(CALL_READ, "/inplace/target", 1, EIO);
    CHECK_INT(inplace_look(&place, &state, &view), -EIO);
    CHECK_INT(view.journal, OS_NONE);
    state_close(&state);
    place_close(&place);
}

/* ---- failures ---- */

/* Fails with `status` and the file certainly is what it was. */
static void check_failed(int status)
{
    CHECK_INT(save("the new version"), -status);
    forget_rules();
    CHECK_TEXT(text_of(TARGET), "old");
    CHECK_TEXT(seen(), "old");
    CHECK(!exists(JOURNAL) || !read_journal().active);
    CHECK_INT(count_entries("d/.untorn/stage", ""), 0);
}

TEST(a_journal_that_cannot_be_written_leaves_the_file_alone)
{
    static const struct {
        enum call call;
        const char *path;
        int nth, code;
        enum untorn_status status;
    } faults[] = {
        {CALL_WRITE, "/inplace/target", 1, ENOSPC, UNTORN_NO_SPACE},
        {CALL_WRITE, "/inplace/target", 2, ENOSPC, UNTORN_NO_SPACE},
        {CALL_WRITE, "/inplace/target", 3, EIO, UNTORN_IO},
        {CALL_FSYNC, "/inplace/target", 1, EIO, UNTORN_IO},
        {CALL_FSYNC, "/inplace", 2, EIO, UNTORN_IO},
        {CALL_READ, "/inplace/target", 1, EIO, UNTORN_IO},
        {CALL_READ, "/d/target", 1, EIO, UNTORN_IO},
        {CALL_READ, "/stage/target.", 1, EIO, UNTORN_IO},
        {CALL_TRUNCATE, "/inplace/target", 1, EIO, UNTORN_IO},
        {CALL_OPEN, "/inplace/target", 1, EMFILE, UNTORN_FAILED},
        {CALL_MKDIR, "/inplace", 1, ENOSPC, UNTORN_NO_SPACE},
    };
    options.keep = UNTORN_KEEP_NONE; /* that it cannot be kept is no failure */
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        begin_with("old");
        fail(faults[i].call, faults[i].path, faults[i].nth, faults[i].code);
        check_failed(faults[i].status);
        CHECK_INT(save("then it works"), 0);
        remove_tree("d");
    }
}

TEST(a_failed_overwrite_is_undone_at_once)
{
    static const struct {
        enum call call;
        int nth, code;
        enum untorn_status status;
    } faults[] = {
        {CALL_WRITE, 1, ENOSPC, UNTORN_NO_SPACE},
        {CALL_WRITE, 2, ENOSPC, UNTORN_NO_SPACE},
        {CALL_TRUNCATE, 1, EIO, UNTORN_IO},
        {CALL_FSYNC, 1, EIO, UNTORN_IO},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        begin_with("old");
        fail(faults[i].call, "/d/target", faults[i].nth, faults[i].code);
        check_failed(faults[i].status);
        CHECK_INT(save("then it works"), 0);
        CHECK_TEXT(text_of(TARGET), "then it works");
        remove_tree("d");
    }
}

/* Not settled: readers still get the old version, the next call finishes. */
static void check_unsettled(const char *then)
{
    CHECK_INT(save("the new version"), UNTORN_UNSETTLED_IN_PLACE);
    CHECK_INT(error.status, UNTORN_UNSETTLED_IN_PLACE);
    CHECK(error.os_error != 0);
    forget_rules();
    CHECK_TEXT(seen(), "old");
    CHECK_INT(untorn_append(TARGET, "+", 1, UNTORN_RECORDS_TEXT, NULL, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_RECOVERED);
    CHECK_TEXT(text_of(TARGET), then);
}

TEST(an_overwrite_that_cannot_be_undone_is_not_settled)
{
    begin_with("old");
    fail(CALL_WRITE, "/d/target", 2, EIO);
    fail(CALL_WRITE, "/d/target", 3, EIO);
    check_unsettled("the new version\n+\n");
}

TEST(an_overwrite_whose_undoing_cannot_be_flushed_is_not_settled)
{
    begin_with("old");
    fail_always(CALL_FSYNC, "/d/target", EIO);
    check_unsettled("old\n+\n"); /* it was put back [INPLACE-6] */
}

TEST(a_journal_that_can_be_armed_but_not_disarmed_is_not_settled)
{
    begin_with("old");
    fail_always(CALL_FSYNC, "/inplace/target", EIO);
    CHECK_INT(save("the new version"), UNTORN_UNSETTLED_IN_PLACE);
}

TEST(a_journal_that_cannot_be_cleared_is_not_settled)
{
    begin_with("old");
    fail(CALL_FSYNC, "/inplace/target", 2, EIO);
    CHECK_INT(save("the new version"), UNTORN_UNSETTLED_IN_PLACE);
    CHECK_TEXT(text_of(TARGET), "the new version");
}

/* ---- somebody interferes ---- */

static void remove_folder(void *context)
{
    (void)context;
    remove_tree("d/.untorn");
}

static void replace_file(void *context)
{
    (void)context;
    put("d/foreign", "foreign");
    CHECK_INT(rename("d/foreign", TARGET), 0);
}

static void grow_file(void *context)
{
    int file = open(TARGET, O_WRONLY | O_APPEND);
    (void)context;
    CHECK_INT(write(file, "!", 1), 1);
    close(file);
}

/* [INPLACE-1] [LOCK-2] */
TEST(what_changes_before_the_first_byte_makes_the_overwrite_start_over)
{
    void (*const deeds[])(void *) = {remove_folder, replace_file, grow_file};
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        begin_with("old");
        at(CALL_FSYNC, "/inplace/target", 1, deeds[i], NULL);
        CHECK_INT(save("new"), 0);
        CHECK(rules[CALL_FSYNC][0].seen > 1);
        forget_rules();
        CHECK_TEXT(text_of(TARGET), "new");
        CHECK(!read_journal().active);
        remove_tree("d");
    }
}

/* ---- where rename cannot serve ---- */

TEST(a_file_that_is_a_mount_point_is_overwritten_in_place)
{
    begin_with("old");
    put("source", "source");
    private_mounts();
    CHECK_INT(mount("source", TARGET, NULL, MS_BIND, NULL), 0);
    options.keep_inode = false;
    CHECK_INT(save("new"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_IN_PLACE | UNTORN_FLAG_OTHER_VIEWS);
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_TEXT(text_of("source"), "new");
    options.strict = true;
    CHECK_INT(save("newer"), -UNTORN_UNSUPPORTED);
    CHECK_TEXT(text_of(TARGET), "new");
    CHECK_INT(umount(TARGET), 0);
    CHECK_TEXT(text_of(TARGET), "old");
}

TEST(a_mounted_file_that_has_no_name_left_is_refused)
{
    begin_with("old");
    put("source", "source");
    private_mounts();
    CHECK_INT(mount("source", TARGET, NULL, MS_BIND, NULL), 0);
    CHECK_INT(unlink("source"), 0);
    CHECK(save("new") < 0);
    CHECK_TEXT(text_of(TARGET), "source");
    CHECK_INT(umount(TARGET), 0);
}

static void save_what_is_bobs(void *context)
{
    (void)context;
    options.keep_inode = false;
    CHECK_INT(save("alice was here"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_IN_PLACE);
}

TEST(a_file_whose_owner_cannot_be_given_is_overwritten_in_place)
{
    need_root();
    begin_with("old");
    CHECK_INT(chmod("d", 0777), 0);
    CHECK_INT(chown(TARGET, BOB, BOB), 0);
    CHECK_INT(chmod(TARGET, 0666), 0);
    in_child_as(ALICE, ALICE, save_what_is_bobs, NULL);
    CHECK_TEXT(text_of(TARGET), "alice was here");
    CHECK_INT(stat_of(TARGET).st_uid, BOB);
    CHECK_INT(mode_of(TARGET), 0666);
}

static void fail_to_save(void *context)
{
    (void)context;
    CHECK_INT(save("alice"), -UNTORN_DENIED);
}

static void save_as_bob(void *context)
{
    CHECK_INT(save(context), 0);
}

TEST(users_who_share_a_file_share_its_journal)
{
    need_root();
    begin_with("old");
    CHECK_INT(chmod("d", 0777), 0);
    CHECK_INT(chown(TARGET, BOB, BOB), 0);
    CHECK_INT(chmod(TARGET, 0666), 0);
    in_child_as(BOB, BOB, save_as_bob, "bob was here");
    CHECK_INT(stat_of(JOURNAL).st_uid, BOB);
    in_child_as(ALICE, ALICE, save_what_is_bobs, NULL);
    CHECK_TEXT(text_of(TARGET), "alice was here");
    CHECK_INT(chmod(JOURNAL, 0606), 0); /* the file was opened since: it may stay narrower */
    in_child_as(ALICE, ALICE, save_what_is_bobs, NULL);
    CHECK_INT(chmod(JOURNAL, 0666), 0); /* the file was closed since: it may not stay wider */
    CHECK_INT(chmod(TARGET, 0606), 0);
    in_child_as(ALICE, ALICE, fail_to_save, NULL);
}

TEST(a_file_that_may_not_be_written_cannot_be_overwritten_in_place)
{
    need_root();
    begin_with("old");
    CHECK_INT(chmod("d", 0777), 0);
    CHECK_INT(chmod(TARGET, 0644), 0);
    in_child_as(ALICE, ALICE, fail_to_save, NULL);
    CHECK_TEXT(text_of(TARGET), "old");
}

TEST(a_mode_is_given_also_in_place)
{
    begin_with("old");
    CHECK_INT(chmod(TARGET, 0644), 0);
    options.mode = 0600;
    CHECK_INT(save("secret"), 0);
    CHECK_INT(mode_of(TARGET), 0600);
}
