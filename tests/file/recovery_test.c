/* Finishing overwrites in place that a dead writer left, from every state a crash can leave and
 * from journals that somebody planted. */
#include "harness.h"

#include <untorn.h>

#include "file/interpose.h"
#include "file/journal.h"
#include "file/support.h"

#define TARGET "d/target"
#define JOURNAL "d/.untorn/inplace/target"

static struct untorn_error error;
static const struct untorn_options in_place = {.keep_inode = true, .level = UNTORN_CACHE};

static char old_bytes[8192], new_bytes[8192];
static size_t old_size, new_size;

/* Versions that differ in every byte, and hold no zeros. */
static void make_versions(size_t old, size_t new)
{
    old_size = old;
    new_size = new;
    for (size_t i = 0; i < sizeof old_bytes; i++) {
        old_bytes[i] = (char)(1 + i % 100);
        new_bytes[i] = (char)(101 + i % 100);
    }
}

static void die(void *context)
{
    (void)context;
    _exit(9);
}

struct crash {
    enum call call;
    const char *path;
    int nth;
};

static void overwrite_and_die(void *context)
{
    const struct crash *crash = context;
    at(crash->call, crash->path, crash->nth, die, NULL);
    CHECK_INT(untorn_write(TARGET, new_bytes, new_size, &in_place, &error), 0);
    _exit(0);
}

/* Whether the writer died there; else it came to its end. */
static bool crash_at(enum call call, const char *path, int nth)
{
    struct crash crash = {call, path, nth};
    int status = end_of(start_child(overwrite_and_die, &crash));
    CHECK(status == 0 || status == 9);
    return status == 9;
}

static void check_content(const char *data, size_t size, const char *expected, size_t expected_size)
{
    CHECK_BYTES(data, size, expected, expected_size);
}

/* Readers get one of the versions, whole. */
static void check_readable(void)
{
    struct untorn_content content;
    CHECK_INT(untorn_read(TARGET, NULL, &content, &error), 0);
    bool is_old = content.size == old_size && memcmp(content.data, old_bytes, old_size) == 0;
    bool is_new = content.size == new_size && memcmp(content.data, new_bytes, new_size) == 0;
    CHECK(is_old || is_new);
    untorn_content_free(&content);
}

static int look(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    (void)context, (void)old, (void)change;
    return 0;
}

/* The next writer comes. Returns the flags of its outcome. */
static unsigned recover(void)
{
    CHECK_INT(untorn_update(TARGET, look, NULL, &in_place, &error), 0);
    return error.flags & (UNTORN_FLAG_RECOVERED | UNTORN_FLAG_CONFLICT_KEPT);
}

static void check_is(const char *bytes, size_t size)
{
    static char data[1 << 14];
    ssize_t now = get_bytes(TARGET, data, sizeof data);
    check_content(data, (size_t)now, bytes, size);
}

static void check_is_new(void)
{
    check_is(new_bytes, new_size);
}

static void begin(size_t old, size_t new)
{
    flushes_are_skipped = true;
    make_versions(old, new);
    if (!exists("d"))
        make_dir("d", 0755);
    put_bytes(TARGET, old_bytes, old_size);
}

static void crash_everywhere(size_t old, size_t new)
{
    static const struct {
        enum call call;
        const char *path;
    } places[] = {{CALL_WRITE, "/d/target"},       {CALL_TRUNCATE, "/d/target"},
                  {CALL_WRITE, "/inplace/target"}, {CALL_TRUNCATE, "/inplace/target"},
                  {CALL_OPEN, "/inplace/target"},  {CALL_CHMOD, "/inplace/target"}};
    int deaths = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (int nth = 1;; nth++, deaths++) {
            begin(old, new);
            if (!crash_at(places[i].call, places[i].path, nth))
                break;
            check_readable();
            unsigned flags = recover();
            CHECK(flags == 0 || flags == UNTORN_FLAG_RECOVERED);
            check_readable();
            CHECK_INT(recover(), 0);
            CHECK_INT(count_entries("d/.untorn/kept", ""), 0);
        }
        check_is_new();
    }
    CHECK(deaths > 5);
}

/* [INPLACE-1] [INPLACE-2] */
TEST(a_writer_killed_at_any_call_leaves_one_version_for_all_who_come_after)
{
    crash_everywhere(700, 1500);
    crash_everywhere(1500, 700);
    crash_everywhere(600, 600);
    crash_everywhere(0, 600);
    crash_everywhere(600, 0);
}

/* ---- states by hand: an active journal, and the file as a crash may leave it ---- */

static char journal_bytes[JOURNAL_HEAD + 2 * 8192 + 1];
static size_t journal_size;

static void arm(size_t old, size_t new)
{
    begin(old, new);
    CHECK(crash_at(new > 0 ? CALL_WRITE : CALL_TRUNCATE, "/d/target", 1));
    journal_size = (size_t)get_bytes(JOURNAL, journal_bytes, sizeof journal_bytes);
    CHECK_INT(journal_size, JOURNAL_HEAD + old + new);
}

/* The same journal again, in the same inode, and the file with this content. */
static void set_state(const char *data, size_t size)
{
    put_bytes(JOURNAL, journal_bytes, journal_size);
    put_bytes(TARGET, data, size);
}

/* With the first byte written. */
static const char *begun(void)
{
    static char bytes[sizeof old_bytes];
    memcpy(bytes, old_bytes, old_size);
    bytes[0] = new_bytes[0];
    return bytes;
}

static void set_begun(void)
{
    set_state(begun(), old_size);
}

/* What is wholly old stays so. [INPLACE-6] */
static void check_finishes(const char *data, size_t size)
{
    bool is_old = size == old_size && memcmp(data, old_bytes, size) == 0;
    set_state(data, size);
    struct untorn_content content;
    CHECK_INT(untorn_read(TARGET, NULL, &content, &error), 0);
    check_content(content.data, content.size, old_bytes, old_size);
    untorn_content_free(&content);
    CHECK_INT(recover(), UNTORN_FLAG_RECOVERED);
    check_is(is_old ? old_bytes : new_bytes, is_old ? old_size : new_size);
    CHECK_INT(recover(), 0);
}

/* What write and truncate leave when they stop anywhere: first what lies past the old end, then the
 * rest from the front, then the size. */
static void check_every_prefix(size_t old, size_t new, size_t step)
{
    static char now[8192];
    size_t common = old < new ? old : new;
    arm(old, new);
    memcpy(now, old_bytes, old);
    for (size_t tail = 0; old + tail <= new; tail += step) {
        memcpy(now + old, new_bytes + old, tail);
        check_finishes(now, old + tail);
    }
    memcpy(now + common, new > old ? new_bytes + common : old_bytes + common,
           (new > old ? new : old) - common);
    size_t longer = old > new ? old : new;
    for (size_t front = 0; front <= common; front += step) {
        memcpy(now, new_bytes, front);
        check_finishes(now, longer);
    }
    memcpy(now, new_bytes, common);
    check_finishes(now, longer);
    check_finishes(new_bytes, new);
}

/* [INPLACE-3] */
TEST(every_prefix_of_an_overwrite_is_finished)
{
    check_every_prefix(40, 90, 1);
    check_every_prefix(90, 40, 1);
    check_every_prefix(60, 60, 1);
    check_every_prefix(0, 30, 1);
    check_every_prefix(30, 0, 1);
    check_every_prefix(700, 1800, 97);
    check_every_prefix(1800, 700, 97);
    check_every_prefix(1024, 2048, 128);
}

/* [INPLACE-3] */
TEST(pieces_that_reached_the_disk_in_any_order_are_finished)
{
    enum { PIECE = 512, PIECES = 4 };
    static char now[8192];
    arm(PIECES * PIECE, PIECES * PIECE);
    for (unsigned chosen = 0; chosen < 1u << PIECES; chosen++) {
        for (int i = 0; i < PIECES; i++)
            memcpy(now + i * PIECE, (chosen >> i & 1 ? new_bytes : old_bytes) + i * PIECE, PIECE);
        check_finishes(now, PIECES * PIECE);
    }
    for (size_t torn = 0; torn <= PIECE; torn += 37) { /* from the back, in the first piece */
        memcpy(now, old_bytes, torn);
        memcpy(now + torn, new_bytes + torn, PIECES * PIECE - torn);
        check_finishes(now, PIECES * PIECE);
    }
    arm(300, PIECES * PIECE);
    for (unsigned chosen = 0; chosen < 1u << PIECES; chosen++) {
        memset(now, 0, sizeof now);
        memcpy(now, old_bytes, 300);
        for (int i = 0; i < PIECES; i++)
            if (chosen >> i & 1)
                memcpy(now + i * PIECE, new_bytes + i * PIECE, PIECE);
        check_finishes(now, PIECES * PIECE);
    }
}

/* The file stays as it is, and both versions are kept. */
static void check_conflict(const char *data, size_t size)
{
    static char now[1 << 14];
    set_state(data, size);
    CHECK_INT(recover(), UNTORN_FLAG_CONFLICT_KEPT);
    ssize_t left = get_bytes(TARGET, now, sizeof now);
    check_content(now, (size_t)left, data, size);
    CHECK(!exists(JOURNAL));
    const char *kept = only_entry("d/.untorn/kept", "conflict-target.");
    ssize_t kept_size = get_bytes(kept, now, sizeof now);
    check_content(now, (size_t)kept_size, journal_bytes, journal_size);
    CHECK_INT(rename(kept, JOURNAL), 0); /* its inode is needed again */
}

/* [INPLACE-3] */
TEST(content_that_is_neither_version_stays_and_both_versions_are_kept)
{
    static char now[8192];
    arm(700, 1500);
    for (size_t at = 0; at < 1500; at += 131) {
        memcpy(now, new_bytes, 1500);
        now[at] = 'X';
        check_conflict(now, 1500);
    }
    check_conflict(old_bytes, 699);
    check_conflict("", 0);
    memcpy(now, new_bytes, 1500);
    now[1500] = 'X';
    check_conflict(now, 1501);
    memset(now, 0, 700);
    check_conflict(now, 700);
    memcpy(now, old_bytes, 700);
    memcpy(now + 700, "edited", 6);
    check_conflict(now, 706);
}

/* [INPLACE-3] */
TEST(a_conflict_does_not_stand_in_the_way_of_the_next_write)
{
    arm(50, 60);
    set_state("edited by hand", 14);
    CHECK_INT(untorn_write(TARGET, "next", 4, NULL, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_CONFLICT_KEPT);
    CHECK_TEXT(text_of(TARGET), "next");
    CHECK_INT(untorn_write(TARGET, "next", 4, NULL, &error), 0);
    CHECK(!(error.flags & UNTORN_FLAG_CONFLICT_KEPT));
}

TEST(a_file_that_was_removed_or_replaced_meanwhile_is_left_alone)
{
    arm(50, 60);
    set_begun();
    CHECK_INT(unlink(TARGET), 0);
    CHECK_INT(untorn_write(TARGET, "next", 4, NULL, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_CONFLICT_KEPT);
    CHECK_TEXT(text_of(TARGET), "next");
    CHECK_INT(count_entries("d/.untorn/kept", "target."), 1);
    arm(50, 60);
    set_begun();
    put("d/new", "replaced");
    CHECK_INT(rename("d/new", TARGET), 0);
    CHECK_INT(recover(), UNTORN_FLAG_CONFLICT_KEPT);
    CHECK_TEXT(text_of(TARGET), "replaced");
    CHECK_INT(count_entries("d/.untorn/kept", "target."), 2);
}

/* ---- planted ---- */

static void check_not_applied(void)
{
    struct untorn_content content;
    CHECK_INT(untorn_read(TARGET, NULL, &content, &error), 0);
    check_content(content.data, content.size, begun(), old_size);
    untorn_content_free(&content);
    (void)recover();
    check_is(begun(), old_size);
}

static void sign_and_plant(struct journal *journal)
{
    unsigned char head[JOURNAL_HEAD];
    journal_encode(journal, head);
    memcpy(journal_bytes, head, JOURNAL_HEAD);
    set_begun();
}

static struct journal armed_journal(void)
{
    struct journal journal;
    arm(50, 60);
    CHECK(journal_decode((const unsigned char *)journal_bytes, &journal));
    return journal;
}

/* [INPLACE-3] */
TEST(a_copied_journal_is_not_applied)
{
    arm(50, 60);
    set_begun();
    put_bytes("copy", journal_bytes, journal_size);
    CHECK_INT(rename("copy", JOURNAL), 0);
    check_not_applied();
    CHECK_INT(count_entries("d/.untorn/kept", "foreign-target."), 1);
}

/* [INPLACE-3] */
TEST(a_journal_for_another_inode_or_name_is_not_applied)
{
    struct journal journal = armed_journal();
    journal.target_inode++;
    sign_and_plant(&journal);
    check_not_applied();
    journal = armed_journal();
    strcpy(journal.name, "other");
    put("d/other", "other");
    sign_and_plant(&journal);
    check_not_applied();
    CHECK_TEXT(text_of("d/other"), "other");
}

/* [INPLACE-3] */
TEST(a_journal_that_names_a_path_is_no_journal)
{
    static const char *const names[] = {"../victim", "/etc/victim", "a/b", "..", "."};
    put("victim", "victim");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct journal journal = armed_journal();
        strcpy(journal.name, names[i]);
        sign_and_plant(&journal);
        check_not_applied();
        CHECK_TEXT(text_of("victim"), "victim");
    }
}

static void check_owner(uid_t journal_owner, uid_t file_owner, unsigned mode, bool applied)
{
    arm(50, 60);
    set_begun();
    CHECK_INT(chown(JOURNAL, journal_owner, journal_owner), 0);
    CHECK_INT(chown(TARGET, file_owner, CREW), 0);
    CHECK_INT(chmod(TARGET, mode), 0);
    if (applied) {
        CHECK_INT(recover(), UNTORN_FLAG_RECOVERED);
        check_is_new();
    } else {
        check_not_applied();
    }
    remove_tree("d");
}

/* [INPLACE-3] */
TEST(a_journal_counts_only_if_its_maker_may_write_the_file)
{
    need_root();
    check_owner(0, ALICE, 0644, true);
    check_owner(ALICE, ALICE, 0644, true);
    check_owner(BOB, ALICE, 0644, false);
    check_owner(BOB, ALICE, 0646, true);
    check_owner(BOB, ALICE, 0664, false);
    check_owner(BOB, 0, 0600, false);
}

/* [INPLACE-3] */
TEST(a_journal_that_is_no_file_of_its_own_is_none)
{
    static const char *const kinds[] = {"link", "symlink", "fifo", "directory"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        arm(50, 60);
        set_begun();
        CHECK_INT(rename(JOURNAL, "moved"), 0);
        if (i == 0)
            CHECK_INT(link("moved", JOURNAL), 0);
        else if (i == 1)
            CHECK_INT(symlink("../../../moved", JOURNAL), 0);
        else if (i == 2)
            CHECK_INT(mkfifo(JOURNAL, 0600), 0);
        else
            make_dir(JOURNAL, 0700);
        struct untorn_content content;
        int rc = untorn_read(TARGET, NULL, &content, &error);
        if (rc != 0)
            CHECK_TEXT(kinds[i], "something that readers do without");
        check_content(content.data, content.size, begun(), old_size);
        untorn_content_free(&content);
        remove_tree("d");
    }
}

/* ---- failures while recovering ---- */

TEST(whose_recovery_fails_has_done_nothing_and_the_next_one_finishes)
{
    static const struct {
        enum call call;
        const char *path;
        int nth;
    } faults[] = {{CALL_WRITE, "/d/target", 1},       {CALL_WRITE, "/d/target", 2},
                  {CALL_TRUNCATE, "/d/target", 1},    {CALL_FSYNC, "/d/target", 1},
                  {CALL_WRITE, "/inplace/target", 1}, {CALL_FSYNC, "/inplace/target", 1},
                  {CALL_READ, "/d/target", 1}};
    arm(50, 900);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        set_begun();
        fail(faults[i].call, faults[i].path, faults[i].nth, EIO);
        CHECK_INT(untorn_update(TARGET, look, NULL, &in_place, &error), -UNTORN_UNFINISHED);
        forget_rules();
        check_readable();
        unsigned flags = recover();
        CHECK(flags == 0 || flags == UNTORN_FLAG_RECOVERED);
        check_is_new();
    }
}

/* [INPLACE-6] */
TEST(whose_giving_up_fails_has_done_nothing_and_the_next_one_gives_it_up)
{
    static const struct {
        enum call call;
        const char *path;
        int nth;
    } faults[] = {{CALL_READ, "/d/target", 2},           {CALL_WRITE, "/d/target", 1},
                  {CALL_TRUNCATE, "/d/target", 1},       {CALL_FSYNC, "/d/target", 1},
                  {CALL_TRUNCATE, "/inplace/target", 1}, {CALL_WRITE, "/inplace/target", 1},
                  {CALL_FSYNC, "/inplace/target", 1}};
    arm(50, 900);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        set_state(old_bytes, old_size);
        fail(faults[i].call, faults[i].path, faults[i].nth, EIO);
        CHECK_INT(untorn_update(TARGET, look, NULL, &in_place, &error), -UNTORN_UNFINISHED);
        forget_rules();
        (void)recover();
        check_is(old_bytes, old_size);
        CHECK_INT(recover(), 0);
    }
}

TEST(a_journal_that_cannot_be_read_stops_the_writer)
{
    arm(50, 60);
    set_begun();
    fail(CALL_READ, "/inplace/target", 1, EIO);
    CHECK(untorn_write(TARGET, "x", 1, NULL, &error) < 0);
    fail(CALL_OPEN, "/inplace/target", 1, EMFILE);
    CHECK(untorn_write(TARGET, "x", 1, NULL, &error) < 0);
    fail(CALL_OPEN, "/d/target", 2, EMFILE);
    fail(CALL_RENAME, "/kept/", 1, EIO);
    forget_rules();
    CHECK_INT(recover(), UNTORN_FLAG_RECOVERED);
    check_is_new();
}

TEST(a_file_that_cannot_be_looked_at_stops_writers_and_readers)
{
    struct untorn_content content;
    arm(50, 60);
    set_begun();
    for (int nth = 1; nth <= 3; nth++) {
        fail(CALL_STAT, "/d/target", nth, EIO);
        int rc = untorn_write(TARGET, "x", 1, NULL, &error);
        CHECK(rc != 0);
        forget_rules();
        set_begun();
        fail(CALL_STAT, "/d/target", nth, EIO);
        rc = untorn_read(TARGET, NULL, &content, &error);
        CHECK(rc == 0 || rc == -UNTORN_IO);
        untorn_content_free(&content);
        forget_rules();
    }
    CHECK_INT(recover(), UNTORN_FLAG_RECOVERED);
    check_is_new();
}

static void finish_meanwhile(void *context)
{
    (void)context;
    CHECK_INT(recover(), UNTORN_FLAG_RECOVERED);
}

/* [INPLACE-4] */
TEST(a_recovery_in_the_middle_of_a_read_is_noticed)
{
    struct untorn_content content;
    arm(5000, 6000);
    set_begun();
    struct rule *reads = new_rule(CALL_READ, "/inplace/target", 1, 0);
    CHECK_INT(untorn_read(TARGET, NULL, &content, &error), 0);
    untorn_content_free(&content);
    int count = reads->seen;
    forget_rules();
    CHECK(count >= 4);
    for (int nth = 1; nth <= count; nth++) {
        set_begun();
        at(CALL_READ, "/inplace/target", nth, finish_meanwhile, NULL);
        CHECK_INT(untorn_read(TARGET, NULL, &content, &error), 0);
        CHECK_INT(rules[CALL_READ][0].seen >= nth, 1);
        forget_rules();
        check_content(content.data, content.size, new_bytes, new_size);
        untorn_content_free(&content);
    }
}

TEST(a_conflict_that_cannot_be_kept_stops_the_writer)
{
    arm(50, 60);
    set_state("edited", 6);
    fail(CALL_RENAME, "/kept/", 1, ENOSPC);
    CHECK_INT(untorn_write(TARGET, "x", 1, NULL, &error), -UNTORN_NO_SPACE);
    CHECK_TEXT(text_of(TARGET), "edited");
    CHECK(exists(JOURNAL));
}

static void recover_as_alice(void *context)
{
    (void)context;
    CHECK_INT(untorn_write("d/other", "x", 1, NULL, &error), 0);
    int rc = untorn_update(TARGET, look, NULL, &in_place, &error);
    CHECK(rc != 0 || !(error.flags & UNTORN_FLAG_RECOVERED));
    check_is(begun(), old_size);
}

TEST(who_may_not_write_the_file_finishes_nothing)
{
    need_root();
    make_dir("d", 0777);
    arm(50, 60);
    set_begun();
    CHECK_INT(chmod(TARGET, 0644), 0);
    CHECK_INT(chmod(JOURNAL, 0644), 0);
    in_child_as(ALICE, ALICE, recover_as_alice, NULL);
    CHECK_INT(recover(), UNTORN_FLAG_RECOVERED);
    check_is_new();
}

TEST(recovering_twice_is_recovering_once)
{
    arm(700, 1500);
    for (int nth = 1; nth < 8; nth++) {
        set_state(old_bytes, 700);
        struct crash crash = {CALL_WRITE, "target", nth};
        (void)end_of(start_child(overwrite_and_die, &crash));
        check_readable();
    }
    (void)recover();
    CHECK_INT(count_entries("d/.untorn/kept", ""), 0);
    check_readable();
}

/* It is clear, or was never armed; but the bytes of both versions are still in it. */
TEST(what_a_writer_left_in_a_journal_that_is_not_active_goes_with_the_next_one)
{
    int died = 0;
    make_versions(700, 1500);
    make_dir("d", 0755);
    for (int nth = 1; nth < 8; nth++) {
        put_bytes(TARGET, old_bytes, 700);
        died += crash_at(nth % 2 ? CALL_TRUNCATE : CALL_WRITE, "/inplace/target", nth / 2 + 1);
        CHECK_INT(untorn_write(TARGET, "x", 1, NULL, &error), 0);
        CHECK(stat_of(JOURNAL).st_size <= JOURNAL_HEAD);
    }
    CHECK(died > 2);
}
