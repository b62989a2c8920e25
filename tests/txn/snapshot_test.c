/* run: budget 40
 *
 * txn/snapshot.h: several files as they were at one moment. */
#include "harness.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <untorn.h>

#include "file/interpose.h"
#include "txn/planted.h"
#include "txn/snapshot.h"

static struct untorn_error error;
static struct untorn_options options;
static struct untorn_content contents[128];

static int read_set(const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        untorn_content_free(&contents[i]);
    return untorn_read_set(paths, count, &options, contents, &error);
}

/* "-" if there is no such file. Borrowed until the next read. */
static const char *text(size_t index)
{
    return contents[index].data ? contents[index].data : "-";
}

static const char *const two[] = {"x/a", "y/b"};

static void check_two(const char *a, const char *b)
{
    CHECK_INT(read_set(two, 2), 0);
    CHECK_TEXT(text(0), a);
    CHECK_TEXT(text(1), b);
}

/* ---- a commit in two directories, step by step ---- */

static struct plant *coordinator, *participant;

static void begin_commit(void)
{
    flushes_are_skipped = true;
    if (exists("x"))
        remove_tree("x");
    if (exists("y"))
        remove_tree("y");
    make_dir("x", 0755);
    make_dir("y", 0755);
    put("x/a", "old");
    put("y/b", "old");
    coordinator = plant_begin("x/a");
    participant = plant_begin("y/b");
    plant_member(coordinator, "a", "new");
    plant_member(participant, "b", "new");
    plant_pair(coordinator, participant);
}

static void prepare(void *context)
{
    (void)context;
    plant_write(participant, SLOT_PREPARED, 0600);
}

static void commit(void *context)
{
    (void)context;
    plant_write(coordinator, SLOT_COMMITTED, 0600);
}

static void rename_one(void *context)
{
    put("staged", "new");
    CHECK_INT(rename("staged", context), 0);
}

static void finish(void *context)
{
    struct plant *plant = *(struct plant **)context;
    CHECK_INT(slot_file_set(&plant->file, &plant->slot, SLOT_DONE), 0);
}

static const struct step {
    void (*run)(void *context);
    void *context;
} steps[] = {
    {prepare, NULL},     {commit, NULL},         {rename_one, "x/a"},
    {rename_one, "y/b"}, {finish, &participant}, {finish, &coordinator},
};
enum { STEPS = sizeof steps / sizeof *steps };

TEST(a_commit_that_stops_anywhere_is_all_old_or_all_new)
{
    begin_commit();
    check_two("old", "old");
    for (int i = 0; i < STEPS; i++) {
        steps[i].run(steps[i].context);
        if (i < 2) /* [VIEW-1] */
            check_two("old", "old");
        else
            check_two("new", "new");
    }
}

TEST(a_slot_that_is_torn_or_copied_is_no_commit)
{
    begin_commit();
    plant_write(participant, SLOT_PREPARED, 0600);
    plant_write(coordinator, SLOT_COMMITTED, 0600);
    rename_one("x/a");
    check_two("new", "new");
    put("x/a", "old"); /* whatever has the name now, it is not for the slot to say */
    CHECK_INT(system("cp y/" PLANT_SLOT " copy && mv copy y/" PLANT_SLOT), 0);
    check_two("old", "old");
    int file = open("y/" PLANT_SLOT, O_WRONLY);
    CHECK_INT(pwrite(file, "!", 1, SLOT_HEAD + 3), 1);
    close(file);
    check_two("old", "old");
}

/* One step of the commit just before every `stride`th call from the `first`. */
static void arm(enum call call, int first, int stride)
{
    memset(rules, 0, sizeof rules);
    for (int i = 0; i < STEPS; i++)
        at(call, "", first + i * stride, steps[i].run, steps[i].context);
}

/* What two readings one after the other give. */
static void read_one_by_one(void)
{
    for (int i = 0; i < 2; i++) {
        untorn_content_free(&contents[i]);
        CHECK_INT(untorn_read(two[i], NULL, &contents[i], &error), 0);
    }
}

/* [SNAPSHOT-1] Every step at every call; the control is reading the files one by one, which must be
 * caught with a mixture. */
static void walk(enum call call, int stride, bool control, int *ret_mixed)
{
    bool reached = true;
    *ret_mixed = 0;
    for (int first = 1; reached; first++) {
        begin_commit();
        arm(call, first, stride);
        if (control)
            read_one_by_one();
        else
            CHECK_INT(read_set(two, 2), 0);
        reached = rules[call][0].seen >= first;
        memset(rules, 0, sizeof rules);
        CHECK(strcmp(text(0), "old") == 0 || strcmp(text(0), "new") == 0);
        *ret_mixed += strcmp(text(0), text(1)) != 0;
        plant_die(coordinator);
        plant_die(participant);
    }
}

TEST(a_commit_that_runs_while_a_set_is_read_is_never_seen_in_part)
{
    work_in_memory();
    static const enum call calls[] = {CALL_OPEN, CALL_STAT, CALL_READ};
    int mixed, mixed_control = 0;
    for (int stride = 1; stride <= 7; stride += 2) {
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
            walk(calls[i], stride, false, &mixed);
            CHECK_INT(mixed, 0);
            walk(calls[i], stride, true, &mixed);
            mixed_control += mixed;
        }
    }
    CHECK(mixed_control > 0);
}

/* ---- single files ---- */

TEST(files_are_read_where_nothing_of_untorn_is)
{
    make_dir("x", 0755);
    put("x/a", "1");
    put("b", "");
    const char *const paths[] = {"x/a", "b", "none", "x/none", "no/such/directory", "x/../b"};
    CHECK_INT(read_set(paths, 6), 0);
    CHECK_TEXT(text(0), "1");
    CHECK_TEXT(text(1), "");
    for (int i = 2; i < 5; i++) {
        CHECK(!contents[i].data);
        CHECK_INT(contents[i].size, 0);
    }
    CHECK_TEXT(text(5), "");
    CHECK(!exists(".untorn") && !exists("x/.untorn"));
    CHECK_INT(read_set(paths, 0), 0);
}

TEST(the_file_at_fault_is_named_and_nothing_is_given)
{
    put("a", "1");
    make_dir("d", 0755);
    const char *const paths[] = {"a", "d"};
    CHECK_INT(read_set(paths, 2), -UNTORN_NOT_A_FILE);
    CHECK_TEXT(error.path, "d");
    CHECK(!contents[0].data && !contents[1].data);
    CHECK_INT(symlink("a", "l"), 0);
    options.symlink = UNTORN_REFUSE_LINK;
    const char *const links[] = {"a", "l"};
    CHECK_INT(read_set(links, 2), -UNTORN_LINK_REFUSED);
    CHECK_TEXT(error.path, "l");
    options.symlink = UNTORN_FOLLOW;
    CHECK_INT(read_set(links, 2), 0);
    CHECK_TEXT(text(1), "1");
}

static void replace_a(void *context)
{
    static int count;
    (void)context;
    char name[16];
    snprintf(name, sizeof name, "n%d", ++count);
    put(name, "changed");
    CHECK_INT(rename(name, "a"), 0);
}

TEST(a_file_that_changed_meanwhile_is_read_again)
{
    put("a", "1");
    put("b", "2");
    const char *const paths[] = {"a", "b"};
    at(CALL_OPEN, "/b", 1, replace_a, NULL);
    CHECK_INT(read_set(paths, 2), 0);
    CHECK_TEXT(text(0), "changed");
    CHECK_TEXT(text(1), "2");
}

TEST(a_file_that_never_rests_ends_the_call_in_time)
{
    put("a", "1");
    put("b", "2");
    const char *const paths[] = {"a", "b"};
    always_at(CALL_OPEN, "/b", replace_a, NULL);
    options.wait_ms = 200;
    CHECK_INT(read_set(paths, 2), -UNTORN_RESTLESS);
    CHECK(!contents[0].data && !contents[1].data);
}

/* As each writer of ours does: only who has the lock. */
static void replace_a_under_its_lock(void *context)
{
    int lock = open(".untorn/lock/a", O_RDWR);
    CHECK(lock >= 0);
    if (flock(lock, LOCK_EX | LOCK_NB) == 0)
        replace_a(context);
    close(lock);
}

TEST(who_finds_no_rest_takes_the_locks_of_the_writers)
{
    CHECK_INT(untorn_write("a", "1", 1, NULL, &error), 0);
    CHECK_INT(untorn_write("b", "2", 1, NULL, &error), 0);
    const char *const paths[] = {"a", "b"};
    always_at(CALL_OPEN, "/b", replace_a_under_its_lock, NULL);
    CHECK_INT(read_set(paths, 2), 0);
    CHECK_TEXT(text(0), "changed");
    CHECK_TEXT(text(1), "2");
}

static int remaking;

static void make_folder_anew(void *context)
{
    (void)context;
    if (remaking-- <= 0)
        return;
    remove_tree(".untorn");
    make_dir("in-between", 0700); /* so that the new one has another inode */
    make_dir(".untorn", 0700);
    remove_tree("in-between");
}

TEST(a_folder_of_ours_that_comes_to_rest_late_is_waited_for)
{
    put("a", "1");
    make_dir(".untorn", 0700);
    const char *const paths[] = {"a"};
    remaking = 3 * LIMIT_TRIES;
    always_at(CALL_OPEN, "/.untorn", make_folder_anew, NULL);
    CHECK_INT(read_set(paths, 1), 0);
    CHECK_TEXT(text(0), "1");
    CHECK(remaking <= 0);
}

static void overwrite(void *context)
{
    struct untorn_options in_place = {.keep_inode = true};
    (void)context;
    CHECK_INT(untorn_write("a", "2", 1, &in_place, NULL), 0);
}

TEST(a_file_that_was_overwritten_in_place_meanwhile_is_read_again)
{
    CHECK_INT(untorn_write("a", "1", 1, NULL, &error), 0);
    put("b", "2");
    const char *const paths[] = {"a", "b"};
    at(CALL_OPEN, "/b", 1, overwrite, NULL);
    CHECK_INT(read_set(paths, 2), 0);
    CHECK_TEXT(text(0), "2");
}

/* ---- a busy directory ---- */

static struct plant *busy;
static int commits;

/* A whole commit of other files. */
static void commit_others(void *context)
{
    (void)context;
    commits++;
    busy->slot.sequence++;
    plant_write(busy, SLOT_COMMITTED, 0600);
    CHECK_INT(slot_file_set(&busy->file, &busy->slot, SLOT_DONE), 0);
}

/* [SNAPSHOT-2] */
TEST(commits_of_other_files_in_the_directory_do_not_keep_readers_waiting)
{
    CHECK_INT(untorn_write("a", "1", 1, NULL, &error), 0);
    CHECK_INT(untorn_write("b", "2", 1, NULL, &error), 0);
    put("c", "3");
    busy = plant_begin("c");
    plant_member(busy, "c", "4");
    plant_write(busy, SLOT_IDLE, 0600);
    const char *const paths[] = {"a", "b"};
    always_at(CALL_OPEN, "/b", commit_others, NULL);
    CHECK_INT(read_set(paths, 2), 0);
    CHECK_TEXT(text(0), "1");
    CHECK_TEXT(text(1), "2");
    CHECK(commits > 4);
    CHECK_INT(count_entries(".untorn/lock", ""), 2);
}

TEST(a_lock_that_the_reader_itself_holds_is_not_waited_for_long)
{
    CHECK_INT(untorn_write("a", "1", 1, NULL, &error), 0);
    CHECK_INT(untorn_write("b", "2", 1, NULL, &error), 0);
    put("c", "3");
    busy = plant_begin("c");
    plant_member(busy, "c", "4");
    plant_write(busy, SLOT_IDLE, 0600);
    struct untorn_lock *lock;
    CHECK_INT(untorn_lock("a", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, &error), 0);
    const char *const paths[] = {"a", "b"};
    always_at(CALL_OPEN, "/b", commit_others, NULL);
    uint64_t begin = os_clock_ns();
    CHECK_INT(read_set(paths, 2), 0);
    CHECK(os_clock_ns() - begin < 3000000000ull);
    untorn_unlock(lock);
}

/* ---- rights, and what is left ---- */

static const char *listing(void)
{
    static char texts[2][1 << 16];
    static int next;
    char *result = memset(texts[next++ % 2], 0, sizeof texts[0]);
    FILE *pipe = popen("find . -printf '%p %i %s %m\\n' | sort", "r");
    CHECK(pipe && fread(result, 1, sizeof texts[0] - 1, pipe) > 0);
    pclose(pipe);
    return result;
}

static void read_new_two(void *context)
{
    (void)context;
    check_two("new", "new");
}

/* [SNAPSHOT-3] */
TEST(a_set_is_read_without_the_right_to_write_and_nothing_is_made)
{
    need_root();
    begin_commit();
    plant_write(participant, SLOT_PREPARED, 0644);
    plant_write(coordinator, SLOT_COMMITTED, 0644);
    rename_one("x/a");
    plant_die(coordinator);
    plant_die(participant);
    CHECK_INT(chmod("x", 0555), 0);
    CHECK_INT(chmod("y", 0555), 0);
    const char *before = listing();
    in_child_as(ALICE, CREW, read_new_two, NULL);
    read_new_two(NULL);
    CHECK_TEXT(listing(), before);
}

TEST(many_files_are_read_with_few_descriptors)
{
    work_in_memory();
    enum { MANY = 1000 };
    static char names[MANY][16];
    static const char *paths[MANY];
    static struct untorn_content all[MANY];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "f%d", i);
        put(names[i], names[i]);
        paths[i] = names[i];
    }
    struct rlimit few = {128, 128};
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
    int before = open_descriptors();
    CHECK_INT(untorn_read_set(paths, MANY, NULL, all, &error), 0);
    for (int i = 0; i < MANY; i++)
        CHECK_TEXT(all[i].data, names[i]);
    CHECK_INT(open_descriptors(), before);
}

TEST(every_call_that_fails_leaves_nothing_open_or_given)
{
    begin_commit();
    plant_write(participant, SLOT_PREPARED, 0644);
    plant_write(coordinator, SLOT_COMMITTED, 0644);
    rename_one("x/a");
    plant_die(coordinator);
    plant_die(participant);
    int before = open_descriptors();
    static const enum call calls[] = {CALL_OPEN, CALL_STAT, CALL_READ};
    options.wait_ms = 50;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        for (int n = 1; n < 200; n++) {
            memset(rules, 0, sizeof rules);
            fail(calls[i], "", n, EIO);
            int rc = read_set(two, 2);
            bool reached = rules[calls[i]][0].seen >= n;
            memset(rules, 0, sizeof rules);
            CHECK_INT(open_descriptors(), before);
            if (rc == 0) {
                CHECK_TEXT(text(0), "new");
                CHECK_TEXT(text(1), "new");
            } else {
                CHECK(!contents[0].data && !contents[1].data);
            }
            if (!reached)
                break;
        }
    }
}

/* ---- with commits of living writers ---- */

static const char *const three[] = {"x/a", "x/b", "y/c"};
enum { READERS = 8, COMMITS = 60 };

static int commit_number(int number)
{
    char line[64];
    struct untorn_transaction *save = NULL;
    struct untorn_options soon = {.wait_ms = 5000};
    snprintf(line, sizeof line, "%d", number);
    int rc = untorn_transaction_begin(&soon, &save, &error);
    for (int i = 0; rc == 0 && i < 3; i++)
        rc = untorn_transaction_put(save, three[i], line, strlen(line), NULL, &error);
    if (rc == 0)
        rc = untorn_transaction_commit(save, &error);
    untorn_transaction_free(save);
    return rc;
}

static void read_for_ever(void *context)
{
    int *reads = context, last = 0;
    for (;;) {
        CHECK_INT(read_set(three, 3), 0);
        CHECK_TEXT(text(1), text(0));
        CHECK_TEXT(text(2), text(0));
        CHECK(atoi(text(0)) >= last); /* never back */
        last = atoi(text(0));
        __atomic_add_fetch(reads, 1, __ATOMIC_RELAXED);
    }
}

static bool all_have_read(const int *reads)
{
    for (int i = 0; i < READERS; i++)
        if (__atomic_load_n(&reads[i], __ATOMIC_RELAXED) == 0)
            return false;
    return true;
}

/* [SNAPSHOT-2] */
TEST(eight_readers_in_a_loop_see_no_mixture_and_keep_no_writer_out)
{
    pid_t readers[READERS];
    int *reads = mmap(NULL, READERS * sizeof *reads, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(reads != MAP_FAILED);
    make_dir("x", 0755);
    make_dir("y", 0755);
    CHECK_INT(commit_number(1), 0);
    for (int i = 0; i < READERS; i++)
        readers[i] = start_child(read_for_ever, &reads[i]);
    for (int i = 2; i < COMMITS || (!all_have_read(reads) && i < 100 * COMMITS); i++)
        CHECK_INT(commit_number(i), 0);
    for (int i = 0; i < READERS; i++) {
        CHECK_INT(kill(readers[i], SIGKILL), 0);
        CHECK_INT(end_of(readers[i]), -SIGKILL); /* it had not ended by a check that failed */
        CHECK(reads[i] > 0);
    }
}

static void begin_commit_for_real(void)
{
    if (exists("x"))
        remove_tree("x");
    if (exists("y"))
        remove_tree("y");
    make_dir("x", 0755);
    make_dir("y", 0755);
    CHECK_INT(commit_number(1), 0);
}

struct kill_point {
    enum call call;
    int nth;
};

static void die(void *context)
{
    (void)context;
    _exit(9);
}

static void commit_and_die_at(void *context)
{
    const struct kill_point *point = context;
    at(point->call, "", point->nth, die, NULL);
    (void)commit_number(2);
    _exit(0);
}

/* Killed before every rename of a commit, and before every write and flush. */
TEST(a_commit_that_was_killed_is_all_old_or_all_new_until_it_is_finished)
{
    static const enum call calls[] = {CALL_RENAME, CALL_WRITE, CALL_FSYNC, CALL_UNLINK};
    work_in_memory();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        int status = 9;
        for (int nth = 1; status == 9; nth++) {
            begin_commit_for_real();
            struct kill_point point = {calls[i], nth};
            status = end_of(start_child(commit_and_die_at, &point));
            CHECK_INT(read_set(three, 3), 0);
            CHECK_TEXT(text(1), text(0));
            CHECK_TEXT(text(2), text(0));
        }
        CHECK_TEXT(text(0), "2"); /* the last one came to its end */
    }
}

static int looks, looks_old, looks_new;

static void look_at_three(void *context)
{
    (void)context;
    CHECK_INT(read_set(three, 3), 0);
    CHECK_TEXT(text(1), text(0));
    CHECK_TEXT(text(2), text(0));
    looks++;
    looks_old += strcmp(text(0), "1") == 0;
    looks_new += strcmp(text(0), "2") == 0;
}

/* Killed before its first rename and before every other; then finished by who meets it in either
 * directory, and looked at before every rename, write and removal of that. */
TEST(a_recovery_is_never_seen_in_part)
{
    static const enum call calls[] = {CALL_RENAME, CALL_WRITE, CALL_UNLINK};
    int status = 9;
    work_in_memory();
    for (int nth = 1; status == 9; nth++) {
        for (int from = 0; from < 3; from += 2) {
            begin_commit_for_real();
            struct kill_point point = {CALL_RENAME, nth};
            status = end_of(start_child(commit_and_die_at, &point));
            memset(rules, 0, sizeof rules);
            for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
                always_at(calls[i], "", look_at_three, NULL);
            size_t still_open;
            struct untorn_check what = {.repair = true};
            CHECK_INT(untorn_check(three[from], &what, NULL, &still_open, &error), 0);
            memset(rules, 0, sizeof rules);
            look_at_three(NULL);
        }
    }
    CHECK(looks > 10 && looks_old > 0 && looks_new > 0);
}
