/* untorn/lock.h: locks that a caller holds, and who holds one. */
#include "harness.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>

#include <untorn.h>

#include "base/limits.h"
#include "file/interpose.h"
#include "file/support.h"

static struct untorn_error error;
static const struct untorn_options at_once = {.wait_ms = UNTORN_TRY_ONCE};

static int save(const char *path, const char *text)
{
    return untorn_write(path, text, strlen(text), &at_once, &error);
}

static struct untorn_lock *take(const char *path, enum untorn_lock_kind kind)
{
    struct untorn_lock *lock = NULL;
    CHECK_INT(untorn_lock(path, kind, &at_once, &lock, &error), 0);
    CHECK(lock);
    return lock;
}

/* What another process gets when it asks for the lock at once. */
static int elsewhere(const char *path, enum untorn_lock_kind kind)
{
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct untorn_lock *lock;
        int rc = untorn_lock(path, kind, &at_once, &lock, NULL);
        untorn_unlock(lock);
        _exit(-rc);
    }
    return -end_of(child);
}

TEST(inside_a_lock_the_other_calls_nest)
{
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    CHECK_INT(save("f", "one"), 0);
    CHECK_INT(untorn_append("f", "two", 3, UNTORN_RECORDS_TEXT, &at_once, &error), 0);
    struct untorn_lock *inner = take("f", UNTORN_LOCK_EXCLUSIVE);
    untorn_unlock(lock);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    untorn_unlock(inner);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), 0);
    CHECK_TEXT(text_of("f"), "one\ntwo\n");
}

TEST(a_lock_needs_no_file_and_makes_none)
{
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    untorn_unlock(lock);
    CHECK(!exists("f"));
    untorn_unlock(NULL);
    untorn_lock_release(NULL);
}

TEST(different_files_have_different_locks)
{
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    CHECK_INT(elsewhere("g", UNTORN_LOCK_EXCLUSIVE), 0);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    untorn_unlock(lock);
}

TEST(a_link_and_its_file_have_one_lock)
{
    put("f", "");
    CHECK_INT(symlink("f", "link"), 0);
    struct untorn_lock *lock = take("link", UNTORN_LOCK_EXCLUSIVE);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    untorn_unlock(lock);
}

TEST(shared_locks_go_together_and_writing_inside_one_is_a_deadlock)
{
    struct untorn_lock *lock = take("f", UNTORN_LOCK_SHARED);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_SHARED), 0);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    CHECK_INT(save("f", "x"), -UNTORN_DEADLOCK);
    CHECK_INT(untorn_append("f", "x", 1, UNTORN_RECORDS_TEXT, NULL, &error), -UNTORN_DEADLOCK);
    CHECK(!exists("f"));
    untorn_unlock(lock);
    CHECK_INT(save("f", "x"), 0);
}

TEST(a_handle_is_locked_and_released_as_often_as_wanted)
{
    struct untorn_lock *lock = NULL;
    int before = open_descriptors();
    CHECK_INT(untorn_lock_open("f", &at_once, &lock, &error), 0);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), 0);
    for (int i = 0; i < 1000; i++) {
        CHECK_INT(
            untorn_lock_acquire(lock, i % 2 ? UNTORN_LOCK_SHARED : UNTORN_LOCK_EXCLUSIVE, &error),
            0);
        untorn_lock_release(lock);
        untorn_lock_release(lock);
    }
    CHECK_INT(untorn_lock_acquire(lock, UNTORN_LOCK_EXCLUSIVE, NULL), 0);
    CHECK_INT(untorn_lock_acquire(lock, UNTORN_LOCK_EXCLUSIVE, &error), -UNTORN_INVALID);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    untorn_unlock(lock);
    CHECK_INT(open_descriptors(), before);
}

TEST(a_handle_outlives_the_removal_of_our_folder)
{
    struct untorn_lock *lock = NULL;
    CHECK_INT(untorn_lock_open("f", &at_once, &lock, &error), 0);
    for (int i = 0; i < 3; i++) {
        remove_tree(".untorn");
        CHECK_INT(untorn_lock_acquire(lock, UNTORN_LOCK_EXCLUSIVE, &error), 0);
        CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
        untorn_lock_release(lock);
    }
    untorn_unlock(lock);
}

TEST(a_handle_that_could_not_be_opened_anew_is_tried_again)
{
    struct untorn_lock *lock = NULL;
    make_dir("d", 0700);
    CHECK_INT(untorn_lock_open("d/f", &at_once, &lock, &error), 0);
    remove_tree("d");
    CHECK_INT(untorn_lock_acquire(lock, UNTORN_LOCK_EXCLUSIVE, &error), -UNTORN_MISSING);
    CHECK_INT(untorn_lock_acquire(lock, UNTORN_LOCK_EXCLUSIVE, &error), -UNTORN_MISSING);
    make_dir("d", 0700);
    CHECK_INT(untorn_lock_acquire(lock, UNTORN_LOCK_EXCLUSIVE, &error), 0);
    CHECK_INT(elsewhere("d/f", UNTORN_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    untorn_unlock(lock);
}

TEST(on_failure_there_is_no_lock)
{
    struct untorn_lock *lock = (struct untorn_lock *)&error;
    int before = open_descriptors();
    CHECK_INT(untorn_lock("missing/f", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, &error),
              -UNTORN_MISSING);
    CHECK(lock == NULL);
    lock = (struct untorn_lock *)&error;
    CHECK_INT(untorn_lock_open("", NULL, &lock, &error), -UNTORN_INVALID);
    CHECK(lock == NULL);
    CHECK_INT(open_descriptors(), before);
}

TEST(missing_directories_are_made_for_a_lock_when_asked_for)
{
    struct untorn_options options = {.parents = true};
    struct untorn_lock *lock = NULL;
    CHECK_INT(untorn_lock("a/b/f", UNTORN_LOCK_EXCLUSIVE, &options, &lock, &error), 0);
    CHECK(exists("a/b/.untorn/lock/f"));
    untorn_unlock(lock);
}

/* ---- forks ---- */

static void be_the_child(void *context)
{
    struct untorn_lock *inherited = context;
    CHECK_INT(save("f", "child"), -UNTORN_LOCKED);
    untorn_lock_release(inherited);
    CHECK_INT(untorn_lock_acquire(inherited, UNTORN_LOCK_EXCLUSIVE, &error), -UNTORN_LOCKED);
    untorn_unlock(inherited);
    CHECK_INT(save("f", "child"), -UNTORN_LOCKED);
    CHECK_INT(save("g", "child"), 0);
}

/* [REGISTRY-2] [LOCK-4] */
TEST(a_child_of_a_fork_holds_nothing_and_nothing_it_does_ends_the_lock)
{
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    CHECK_INT(save("f", "parent"), 0);
    in_child(be_the_child, lock);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    CHECK_INT(save("f", "parent again"), 0);
    untorn_unlock(lock);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), 0);
}

static void wait_in_child(struct partner_context *partner)
{
    partner_ready(partner);
}

TEST(a_child_that_lives_on_does_not_keep_the_lock)
{
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    struct partner partner = partner_start(wait_in_child, NULL);
    untorn_unlock(lock);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), 0);
    partner_end(&partner);
}

/* Ends when the file "stop" is there. */
static void live_on(void *context)
{
    (void)context;
    put("alive", "");
    for (int i = 0; i < 10000 && !exists("stop"); i++)
        usleep(1000);
    _exit(0);
}

static void be_outlived(struct partner_context *partner)
{
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    (void)lock;
    start_child(live_on, NULL);
    while (!exists("alive"))
        usleep(1000);
    partner_ready(partner);
    raise(SIGKILL);
}

/* [REGISTRY-2] [LOCK-4] */
TEST(a_child_that_outlives_its_killed_parent_does_not_keep_the_lock)
{
    struct partner partner = partner_start(be_outlived, NULL);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    CHECK_INT(write(partner.to, "e", 1), 1);
    CHECK_INT(end_of(partner.pid), -SIGKILL);
    int rc = elsewhere("f", UNTORN_LOCK_EXCLUSIVE);
    put("stop", "");
    CHECK_INT(rc, 0);
}

static void use_handle_of_parent(void *context)
{
    CHECK_INT(untorn_lock_acquire(context, UNTORN_LOCK_EXCLUSIVE, &error), 0);
    CHECK_INT(save("f", "child"), 0);
    untorn_unlock(context);
}

TEST(a_handle_that_was_not_held_can_be_used_on_both_sides_of_a_fork)
{
    struct untorn_lock *lock = NULL;
    CHECK_INT(untorn_lock_open("f", &at_once, &lock, &error), 0);
    in_child(use_handle_of_parent, lock);
    CHECK_INT(untorn_lock_acquire(lock, UNTORN_LOCK_EXCLUSIVE, &error), 0);
    CHECK_INT(elsewhere("f", UNTORN_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    untorn_unlock(lock);
    CHECK_TEXT(text_of("f"), "child");
}

/* ---- threads ---- */

enum { THREADS = 16, ROUNDS = 40 };

static void *count_up(void *context)
{
    char text[32];
    for (int i = 0; i < ROUNDS; i++) {
        struct untorn_lock *lock = NULL;
        CHECK_INT(untorn_lock("counter", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, NULL), 0);
        FILE *file = fopen("counter", "r+");
        int number = 0;
        CHECK_INT(fscanf(file, "%d", &number), 1);
        rewind(file);
        snprintf(text, sizeof text, "%d\n", number + 1);
        fputs(text, file);
        fclose(file);
        untorn_unlock(lock);
    }
    return context;
}

/* [REGISTRY-1] */
TEST(threads_that_lock_count_right)
{
    pthread_t threads[THREADS];
    put("counter", "0\n");
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, count_up, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    char expected[32];
    snprintf(expected, sizeof expected, "%d\n", THREADS * ROUNDS);
    CHECK_TEXT(text_of("counter"), expected);
}

static void *try_in_thread(void *context)
{
    struct untorn_lock *lock;
    *(int *)context = untorn_lock("f", UNTORN_LOCK_EXCLUSIVE, &at_once, &lock, NULL);
    untorn_unlock(lock);
    return NULL;
}

TEST(a_thread_is_kept_out_by_another_of_its_own_process)
{
    pthread_t thread;
    int rc = 0;
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    CHECK_INT(pthread_create(&thread, NULL, try_in_thread, &rc), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    CHECK_INT(rc, -UNTORN_LOCKED);
    untorn_unlock(lock);
    CHECK_INT(pthread_create(&thread, NULL, try_in_thread, &rc), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    CHECK_INT(rc, 0);
}

/* ---- several ---- */

TEST(several_are_locked_together_and_one_file_twice_nests)
{
    static const char *const paths[] = {"c", "a", "b", "a", "./c"};
    struct untorn_lock *locks[5];
    CHECK_INT(untorn_lock_all(paths, 5, UNTORN_LOCK_EXCLUSIVE, &at_once, locks, &error), 0);
    for (int i = 0; i < 5; i++) {
        CHECK(locks[i]);
        CHECK_INT(elsewhere(paths[i], UNTORN_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    }
    untorn_unlock(locks[1]);
    CHECK_INT(elsewhere("a", UNTORN_LOCK_EXCLUSIVE), -UNTORN_LOCKED);
    untorn_unlock(locks[3]);
    CHECK_INT(elsewhere("a", UNTORN_LOCK_EXCLUSIVE), 0);
    untorn_unlock(locks[0]);
    untorn_unlock(locks[2]);
    untorn_unlock(locks[4]);
    CHECK_INT(untorn_lock_all(NULL, 0, UNTORN_LOCK_EXCLUSIVE, NULL, NULL, &error), 0);
}

TEST(locks_on_different_file_systems_have_an_order_too)
{
    char elsewhere_path[64];
    snprintf(elsewhere_path, sizeof elsewhere_path, "/dev/shm/untorn-test.%d", getpid());
    make_dir(elsewhere_path, 0700);
    strcat(elsewhere_path, "/f");
    const char *paths[] = {"b", elsewhere_path, "a"};
    struct untorn_lock *locks[3];
    int rc = untorn_lock_all(paths, 3, UNTORN_LOCK_EXCLUSIVE, &at_once, locks, &error);
    for (int i = 0; i < 3; i++)
        untorn_unlock(locks[i]);
    *strrchr(elsewhere_path, '/') = '\0';
    remove_tree(elsewhere_path);
    CHECK_INT(rc, 0);
}

TEST(all_are_released_when_one_cannot_be_had)
{
    static const char *const good[] = {"a", "b"}, *const bad[] = {"a", "missing/b"};
    for (int i = 0; i < 2; i++)
        untorn_unlock(take("b", 0)); /* a handle that finds all there has fewer descriptors */
    struct untorn_lock *locks[2] = {(void *)&error, (void *)&error}, *held = take("b", 0);
    int before = open_descriptors();
    CHECK_INT(untorn_lock_all(bad, 2, UNTORN_LOCK_EXCLUSIVE, &at_once, locks, &error),
              -UNTORN_MISSING);
    CHECK(!locks[0] && !locks[1]);
    CHECK_TEXT(error.path, "missing/b");
    CHECK_INT(untorn_lock_all(good, 2, UNTORN_LOCK_SHARED, &at_once, locks, NULL), 0);
    untorn_unlock(locks[0]);
    untorn_unlock(locks[1]);
    untorn_unlock(held);
    held = take("b", UNTORN_LOCK_SHARED);
    CHECK_INT(untorn_lock_all(good, 2, UNTORN_LOCK_EXCLUSIVE, &at_once, locks, NULL),
              -UNTORN_DEADLOCK);
    CHECK(!locks[0] && !locks[1]);
    CHECK_INT(elsewhere("a", UNTORN_LOCK_EXCLUSIVE), 0);
    CHECK_INT(open_descriptors(), before);
    untorn_unlock(held);
}

static char taken[16];

static void note_taken(void *context)
{
    strcat(taken, context);
}

/* In which order the locks of `paths` are taken. Borrowed until the next call. */
static const char *order_of(const char *const *paths)
{
    struct untorn_lock *locks[3];
    taken[0] = '\0';
    at(CALL_FLOCK, "/lock/a", 1, note_taken, "a");
    at(CALL_FLOCK, "/lock/b", 1, note_taken, "b");
    at(CALL_FLOCK, "/lock/c", 1, note_taken, "c");
    CHECK_INT(untorn_lock_all(paths, 3, UNTORN_LOCK_EXCLUSIVE, NULL, locks, &error), 0);
    forget_rules();
    for (int i = 0; i < 3; i++)
        untorn_unlock(locks[i]);
    CHECK_INT(strlen(taken), 3);
    return taken;
}

/* [LOCK-3] */
TEST(locks_are_taken_in_one_order_whatever_the_order_of_the_list)
{
    static const char *const lists[][3] = {
        {"a", "b", "c"}, {"a", "c", "b"}, {"b", "a", "c"},
        {"b", "c", "a"}, {"c", "a", "b"}, {"c", "b", "a"},
    };
    char first[16];
    strcpy(first, order_of(lists[0]));
    for (int i = 1; i < 6; i++)
        CHECK_TEXT(order_of(lists[i]), first);
}

static void lock_in_reverse(struct partner_context *partner)
{
    static const char *const paths[] = {"c", "b", "a"};
    struct untorn_lock *locks[3];
    partner_ready(partner);
    for (int i = 0; i < 100; i++) {
        CHECK_INT(untorn_lock_all(paths, 3, UNTORN_LOCK_EXCLUSIVE, NULL, locks, &error), 0);
        for (int j = 0; j < 3; j++)
            untorn_unlock(locks[j]);
    }
}

/* [LOCK-3] */
TEST(lists_in_different_orders_never_wait_in_a_circle)
{
    static const char *const paths[] = {"a", "b", "c"};
    struct untorn_lock *locks[3];
    struct partner partner = partner_start(lock_in_reverse, NULL);
    CHECK_INT(write(partner.to, "e", 1), 1);
    for (int i = 0; i < 100; i++) {
        CHECK_INT(untorn_lock_all(paths, 3, UNTORN_LOCK_EXCLUSIVE, NULL, locks, &error), 0);
        for (int j = 0; j < 3; j++)
            untorn_unlock(locks[j]);
    }
    finish_child(partner.pid);
}

/* ---- who ---- */

static struct untorn_holder ask(const char *path)
{
    struct untorn_holder holder;
    CHECK_INT(untorn_who(path, NULL, &holder, &error), 0);
    return holder;
}

TEST(asking_who_holds_a_lock_creates_nothing)
{
    struct untorn_holder holder = ask("f");
    CHECK(!holder.held);
    CHECK_INT(count_entries(".", ""), 0);
    make_dir(".untorn", 0700);
    CHECK(!ask("f").held);
    CHECK_INT(count_entries(".untorn", ""), 0);
    CHECK_INT(untorn_who("missing/f", NULL, &holder, &error), -UNTORN_MISSING);
}

static void hold(struct partner_context *partner)
{
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    partner_ready(partner);
    untorn_unlock(lock);
}

TEST(the_holder_of_a_lock_is_named)
{
    int64_t now = time(NULL);
    char host[256] = "";
    CHECK_INT(gethostname(host, sizeof host - 1), 0);
    struct partner partner = partner_start(hold, NULL);
    struct untorn_holder holder = ask("f");
    CHECK(holder.held && holder.alive && !holder.shared);
    CHECK_INT(holder.pid, partner.pid);
    CHECK(holder.since >= now - 5 && holder.since <= now + 60);
    CHECK_TEXT(holder.host, host);
    CHECK(strstr(holder.command, "locks"));
    partner_end(&partner);
    CHECK(!ask("f").held);
}

TEST(readers_hold_a_lock_without_a_name)
{
    struct untorn_lock *lock = take("f", UNTORN_LOCK_SHARED);
    struct untorn_holder holder = ask("f");
    CHECK(holder.held && holder.shared);
    CHECK_INT(holder.pid, 0);
    CHECK_TEXT(holder.command, "");
    untorn_unlock(lock);
}

TEST(a_foreign_lock_file_can_be_asked_about)
{
    struct untorn_options options = {.lock_file = "app.lock"};
    struct untorn_holder holder;
    CHECK_INT(untorn_who("f", &options, &holder, &error), 0);
    CHECK(!holder.held);
    CHECK(!exists("app.lock"));
    put("app.lock", "");
    int theirs = open("app.lock", O_RDONLY);
    CHECK_INT(flock(theirs, LOCK_EX), 0);
    CHECK_INT(untorn_who("f", &options, &holder, &error), 0);
    CHECK(holder.held);
    CHECK_INT(holder.pid, 0);
    close(theirs);
    options.lock_file = "missing/app.lock";
    CHECK_INT(untorn_who("f", &options, &holder, &error), -UNTORN_MISSING);
}

TEST(who_that_cannot_be_found_out_is_told)
{
    struct untorn_holder holder;
    struct untorn_options options = {.lock_file = "app.lock"};
    struct untorn_lock *lock = take("f", UNTORN_LOCK_EXCLUSIVE);
    put("app.lock", "");
    fail(CALL_OPEN, "/lock/f", 1, EMFILE);
    CHECK_INT(untorn_who("f", NULL, &holder, &error), -UNTORN_FAILED);
    fail(CALL_OPEN, "/app.lock", 1, EMFILE);
    CHECK_INT(untorn_who("f", &options, &holder, &error), -UNTORN_FAILED);
    fail(CALL_FLOCK, "/lock/f", 1, ENOLCK);
    CHECK_INT(untorn_who("f", NULL, &holder, &error), -UNTORN_FAILED);
    forget_rules();
    untorn_unlock(lock);
}

/* ---- network mounts ---- */

TEST(on_a_network_mount_a_lock_is_flagged_and_strict_refuses)
{
    struct untorn_options options = {.strict = true};
    struct untorn_lock *lock = NULL;
    pretended_filesystem = NFS;
    CHECK_INT(untorn_lock("f", UNTORN_LOCK_EXCLUSIVE, NULL, &lock, &error), 0);
    untorn_unlock(lock);
    CHECK_INT(untorn_lock("f", UNTORN_LOCK_EXCLUSIVE, &options, &lock, &error),
              -UNTORN_UNSUPPORTED);
    CHECK(strstr(error.detail, "nfs"));
    CHECK(error.flags & UNTORN_FLAG_NETWORK);
    CHECK_INT(untorn_write("f", "x", 1, NULL, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_NETWORK);
}
