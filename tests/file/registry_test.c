#include "harness.h"

#include <pthread.h>

#include "file/registry.h"
#include "file/support.h"

/* A lock file as a handle opens it: every opening its own. */
static struct lock_file *open_one(const char *name)
{
    os_fd fd = OS_NONE;
    struct os_stat stat;
    CHECK_INT(os_open(OS_NONE, name, OS_READ | OS_WRITE | OS_CREATE, 0600, &fd), 0);
    CHECK_INT(os_stat(fd, NULL, &stat), 0);
    struct lock_file *file = registry_add(fd, &stat);
    CHECK(file);
    return file;
}

/* Claims, and where it is the first takes the kernel's lock. */
static enum registry_claim claim(struct lock_file *own, enum os_lock kind, struct lock_file **held)
{
    *held = NULL;
    enum registry_claim answer = registry_claim(own, kind, held);
    if (answer == CLAIM_TRY)
        CHECK_INT(os_lock(own->fd, kind), 0);
    return answer;
}

/* Whether the kernel's lock can be had by somebody outside the registry. */
static bool is_free(const char *name)
{
    os_fd fd = OS_NONE;
    CHECK_INT(os_open(OS_NONE, name, OS_READ, 0, &fd), 0);
    bool free = os_lock(fd, OS_LOCK_EXCLUSIVE) == 0;
    os_close(fd);
    return free;
}

struct attempt {
    const char *name;
    enum os_lock kind;
    enum registry_claim answer;
};

static void *try_in_thread(void *context)
{
    struct attempt *attempt = context;
    struct lock_file *own = open_one(attempt->name), *held;
    attempt->answer = claim(own, attempt->kind, &held);
    if (held)
        registry_release(held);
    registry_drop(own);
    return NULL;
}

static enum registry_claim ask_another_thread(const char *name, enum os_lock kind)
{
    pthread_t thread;
    struct attempt attempt = {name, kind, CLAIM_TRY};
    CHECK_INT(pthread_create(&thread, NULL, try_in_thread, &attempt), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    return attempt.answer;
}

/* [REGISTRY-1] */
TEST(a_thread_that_holds_a_lock_takes_it_again_and_it_ends_with_the_last_release)
{
    struct lock_file *a = open_one("f"), *b = open_one("f"), *first, *second, *third;
    CHECK_INT(claim(a, OS_LOCK_EXCLUSIVE, &first), CLAIM_TRY);
    CHECK(first == a);
    CHECK_INT(claim(b, OS_LOCK_EXCLUSIVE, &second), CLAIM_NESTED);
    CHECK(second == a);
    CHECK_INT(claim(b, OS_LOCK_SHARED, &third), CLAIM_NESTED);
    registry_release(first); /* not in the order they were taken */
    CHECK(!is_free("f"));
    registry_release(third);
    CHECK(!is_free("f"));
    registry_release(second);
    CHECK(is_free("f"));
    registry_drop(a);
    registry_drop(b);
}

/* [REGISTRY-1] */
TEST(threads_exclude_each_other)
{
    struct lock_file *own = open_one("f"), *held;
    CHECK_INT(claim(own, OS_LOCK_EXCLUSIVE, &held), CLAIM_TRY);
    CHECK_INT(ask_another_thread("f", OS_LOCK_EXCLUSIVE), CLAIM_TAKEN);
    CHECK_INT(ask_another_thread("f", OS_LOCK_SHARED), CLAIM_TAKEN);
    CHECK_INT(ask_another_thread("g", OS_LOCK_EXCLUSIVE), CLAIM_TRY);
    registry_release(held);
    CHECK_INT(ask_another_thread("f", OS_LOCK_EXCLUSIVE), CLAIM_TRY);
    registry_drop(own);
}

/* [REGISTRY-1] */
TEST(threads_share_what_all_hold_shared)
{
    struct lock_file *own = open_one("f"), *held;
    CHECK_INT(claim(own, OS_LOCK_SHARED, &held), CLAIM_TRY);
    CHECK_INT(ask_another_thread("f", OS_LOCK_SHARED), CLAIM_TRY);
    CHECK_INT(ask_another_thread("f", OS_LOCK_EXCLUSIVE), CLAIM_TAKEN);
    registry_release(held);
    registry_drop(own);
}

TEST(exclusive_inside_ones_own_shared_is_a_deadlock)
{
    struct lock_file *a = open_one("f"), *b = open_one("f"), *first, *second;
    CHECK_INT(claim(a, OS_LOCK_SHARED, &first), CLAIM_TRY);
    CHECK_INT(claim(b, OS_LOCK_SHARED, &second), CLAIM_NESTED);
    registry_release(second);
    CHECK_INT(claim(b, OS_LOCK_EXCLUSIVE, &second), CLAIM_DEADLOCK);
    CHECK(second == NULL);
    registry_release(first);
    CHECK_INT(claim(b, OS_LOCK_EXCLUSIVE, &second), CLAIM_TRY);
    registry_release(second);
    registry_drop(a);
    registry_drop(b);
}

struct sharer {
    pthread_barrier_t barrier;
};

static void *share_meanwhile(void *context)
{
    struct sharer *sharer = context;
    struct lock_file *own = open_one("f"), *held;
    CHECK_INT(claim(own, OS_LOCK_SHARED, &held), CLAIM_TRY);
    pthread_barrier_wait(&sharer->barrier);
    pthread_barrier_wait(&sharer->barrier);
    registry_release(held);
    registry_drop(own);
    return NULL;
}

TEST(it_is_a_deadlock_also_while_other_threads_share_the_lock)
{
    struct sharer sharer;
    pthread_t thread;
    struct lock_file *own = open_one("f"), *again = open_one("f"), *held, *none;
    CHECK_INT(pthread_barrier_init(&sharer.barrier, NULL, 2), 0);
    CHECK_INT(claim(own, OS_LOCK_SHARED, &held), CLAIM_TRY);
    CHECK_INT(pthread_create(&thread, NULL, share_meanwhile, &sharer), 0);
    pthread_barrier_wait(&sharer.barrier);
    CHECK_INT(claim(again, OS_LOCK_EXCLUSIVE, &none), CLAIM_DEADLOCK);
    pthread_barrier_wait(&sharer.barrier);
    CHECK_INT(pthread_join(thread, NULL), 0);
    registry_release(held);
    registry_drop(own);
    registry_drop(again);
}

TEST(a_file_stays_open_until_its_last_reference_goes)
{
    struct lock_file *own = open_one("f"), *held;
    int before = open_descriptors();
    CHECK_INT(claim(own, OS_LOCK_EXCLUSIVE, &held), CLAIM_TRY);
    registry_drop(own);
    CHECK(!is_free("f"));
    CHECK_INT(open_descriptors(), before);
    registry_release(held);
    CHECK(is_free("f"));
    CHECK_INT(open_descriptors(), before - 1);
    registry_drop(NULL);
}

TEST(a_thread_knows_what_it_holds_exclusively)
{
    struct lock_file *own = open_one("f"), *held;
    struct os_stat stat = own->stat;
    CHECK(!registry_holds(&stat));
    CHECK_INT(claim(own, OS_LOCK_SHARED, &held), CLAIM_TRY);
    CHECK(!registry_holds(&stat));
    registry_release(held);
    CHECK_INT(claim(own, OS_LOCK_EXCLUSIVE, &held), CLAIM_TRY);
    CHECK(registry_holds(&stat));
    registry_release(held);
    CHECK(!registry_holds(&stat));
    registry_drop(own);
}

struct forked {
    struct lock_file *own, *held;
};

static void be_the_child(void *context)
{
    struct forked *forked = context;
    CHECK_INT(forked->own->fd, OS_NONE);
    CHECK(!registry_holds(&forked->own->stat));
    CHECK(!is_free("f"));
    registry_release(forked->held);
    CHECK(!is_free("f"));
    registry_drop(forked->own);
    CHECK(!is_free("f"));
    struct lock_file *own = open_one("f"), *held = NULL;
    CHECK_INT(registry_claim(own, OS_LOCK_EXCLUSIVE, &held), CLAIM_TRY);
    CHECK_INT(os_lock(own->fd, OS_LOCK_EXCLUSIVE), -EWOULDBLOCK);
    registry_release(held);
    registry_drop(own);
}

/* [REGISTRY-2] */
TEST(the_child_of_a_fork_holds_nothing_and_ends_nothing)
{
    struct forked forked = {.own = open_one("f")};
    CHECK_INT(claim(forked.own, OS_LOCK_EXCLUSIVE, &forked.held), CLAIM_TRY);
    in_child(be_the_child, &forked);
    CHECK(!is_free("f"));
    CHECK(registry_holds(&forked.own->stat));
    registry_release(forked.held);
    CHECK(is_free("f"));
    registry_drop(forked.own);
}

TEST(waiters_are_remembered_once_for_each_file)
{
    struct os_stat a = {.device = 1, .inode = 1}, b = {.device = 1, .inode = 2};
    CHECK(!registry_take_waiters(&a));
    registry_note_waiters(&a);
    registry_note_waiters(&a);
    CHECK(!registry_take_waiters(&b));
    CHECK(registry_take_waiters(&a));
    CHECK(!registry_take_waiters(&a));
    for (unsigned i = 1; i < 100; i++) {
        a.inode = i;
        registry_note_waiters(&a);
    }
    CHECK(registry_take_waiters(&a));
    a.inode = 1;
    CHECK(!registry_take_waiters(&a));
}

static void check_self(void *context)
{
    struct os_process self;
    (void)context;
    registry_self(&self);
    CHECK_INT(self.pid, getpid());
}

TEST(a_process_knows_itself_also_after_a_fork)
{
    check_self(NULL);
    check_self(NULL);
    in_child(check_self, NULL);
}

enum { THREADS = 16, ROUNDS = 300 };
static int counter;

static void *count_under_lock(void *context)
{
    struct lock_file *own = open_one("f"), *held;
    (void)context;
    for (int i = 0; i < ROUNDS;) {
        if (registry_claim(own, OS_LOCK_EXCLUSIVE, &held) != CLAIM_TRY) {
            os_sleep_ns(1000);
            continue;
        }
        CHECK_INT(os_lock(own->fd, OS_LOCK_EXCLUSIVE), 0);
        int seen = counter;
        if (i % 16 == 0)
            os_sleep_ns(1000);
        counter = seen + 1;
        registry_release(held);
        i++;
    }
    registry_drop(own);
    return NULL;
}

/* [REGISTRY-1] */
TEST(many_threads_never_hold_one_lock_together)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, count_under_lock, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    CHECK_INT(counter, THREADS * ROUNDS);
}

/* [STATE-2] */
TEST(a_folder_is_known_by_its_birth_too)
{
    struct os_stat folder = {.device = 1, .inode = 2, .born = 3}, other = folder;
    CHECK(!registry_knows_folder(&folder));
    registry_note_folder(&folder);
    CHECK(registry_knows_folder(&folder));
    other.born = 4; /* it had the number before, or has it now */
    CHECK(!registry_knows_folder(&other));
    other.born = 0;
    registry_note_folder(&other);
    CHECK(!registry_knows_folder(&other));
    for (uint64_t i = 0; i < 40; i++) {
        other.inode = 100 + i;
        other.born = 1;
        registry_note_folder(&other);
        CHECK(registry_knows_folder(&other));
    }
    CHECK(!registry_knows_folder(&folder)); /* only the latest are remembered */
}

TEST(a_lock_that_comes_after_another_is_known)
{
    struct lock_file *files[2] = {open_one("a"), open_one("b")}, *held;
    struct lock_file *first = files[files[0]->stat.inode > files[1]->stat.inode];
    struct lock_file *last = files[files[0]->stat.inode < files[1]->stat.inode];
    CHECK(!registry_holds_after(&first->stat));
    CHECK_INT(claim(last, OS_LOCK_EXCLUSIVE, &held), CLAIM_TRY);
    CHECK(registry_holds_after(&first->stat));
    CHECK(!registry_holds_after(&last->stat));
    registry_release(held);
    CHECK(!registry_holds_after(&first->stat));
    registry_drop(first);
    registry_drop(last);
}

static void *see_none(void *context)
{
    (void)context;
    CHECK(!registry_next_transaction(NULL));
    return NULL;
}

TEST(each_thread_sees_its_own_open_transactions_the_newest_first)
{
    struct open_transaction one = {0}, two = {0};
    pthread_t thread;
    CHECK(!registry_next_transaction(NULL));
    registry_open_transaction(&one);
    registry_open_transaction(&two);
    CHECK(registry_next_transaction(NULL) == &two);
    CHECK(registry_next_transaction(&two) == &one);
    CHECK(!registry_next_transaction(&one));
    CHECK_INT(pthread_create(&thread, NULL, see_none, NULL), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    registry_close_transaction(&two);
    registry_close_transaction(&two);
    CHECK(registry_next_transaction(NULL) == &one);
    registry_close_transaction(&one);
    CHECK(!registry_next_transaction(NULL));
}
