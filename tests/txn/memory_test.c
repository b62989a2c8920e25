/* run: plain
 *
 * Every allocation fails in turn while commits of several files are read and looked for: the answer
 * is right or there is none, nothing leaks, nothing changes. */
#include "heap.h"

#include <untorn.h>

#include "txn/planted.h"
#include "txn/record.h"

static struct untorn_error error;
static const char *const paths[] = {"x/a", "x/b", "y/c"};
static struct untorn_content contents[3];

/* Runs `call` with each of its allocations failing in turn; it takes and gives back all its memory
 * itself. Returns how many there were. */
static int walk(void (*call)(bool starved))
{
    heap_needed();
    call(false); /* what stays for the next call is allocated */
    for (int n = 1;; n++) {
        int open_before = open_descriptors();
        long live_before = heap.live;
        heap_fail(n);
        call(true);
        bool failed = heap_failed();
        CHECK_INT(heap.live, live_before);
        CHECK_INT(open_descriptors(), open_before);
        if (!failed)
            return n - 1;
    }
}

static int read_all(void)
{
    return untorn_read_set(paths, 3, NULL, contents, &error);
}

static void free_all(void)
{
    for (int i = 0; i < 3; i++)
        untorn_content_free(&contents[i]);
}

/* A commit in two directories that died after its first rename. */
static void leave_commit(void)
{
    make_dir("x", 0755);
    make_dir("y", 0755);
    put("x/b", "old");
    put("y/c", "old");
    struct plant *coordinator = plant_begin("x/b"), *participant = plant_begin("y/c");
    plant_member(coordinator, "a", "new");
    plant_member(coordinator, "b", "new");
    plant_staged(participant, "c", "new");
    plant_pair(coordinator, participant);
    plant_write(participant, SLOT_PREPARED, 0600);
    plant_write(coordinator, SLOT_COMMITTED, 0600);
    put("x/a", "new");
    plant_die(participant);
    plant_die(coordinator);
}

static void read_commit(bool starved)
{
    int rc = read_all();
    CHECK(rc == 0 || (starved && rc == -UNTORN_NO_MEMORY));
    for (int i = 0; i < 3; i++)
        CHECK(rc == 0 ? strcmp(contents[i].data, "new") == 0 : !contents[i].data);
    free_all();
}

TEST(a_commit_under_way_is_read_right_or_not_at_all)
{
    leave_commit();
    CHECK(walk(read_commit) > 10);
    CHECK_TEXT(text_of("x/b"), "old");
}

static void write_records(void)
{
    static char x[4200];
    make_dir("x", 0755);
    make_dir("y", 0755);
    strcpy(x, full_path("x"));
    struct setting setting = {0};
    setting_open(&setting, "x/a");
    struct untorn_hash old = untorn_hash("old", 3), new = untorn_hash("new", 3);
    struct record_member members[] = {{x, "a", true, true, old, new},
                                      {x, "b", true, true, old, new}};
    for (unsigned char i = 1; i <= 2; i++) {
        struct record record = {.id = {i}, .sequence = i, .count = i, .members = members};
        CHECK_INT(record_write(&setting.state, setting.place.dir, &record, 0644), 0);
    }
    setting_close(&setting);
    put("x/a", "new");
    put("x/b", "old");
    put("y/c", "other");
}

static void read_mixed(bool starved)
{
    int rc = read_all();
    CHECK(rc == -UNTORN_MIXED || (starved && rc == -UNTORN_NO_MEMORY));
    CHECK_INT(contents[0].data != NULL, rc == -UNTORN_MIXED);
    free_all();
}

TEST(a_mixture_is_told_or_nothing_is)
{
    write_records();
    CHECK(walk(read_mixed) > 10);
}

static int count;

static void note(void *context, const struct untorn_finding *finding)
{
    (void)context, (void)finding;
    count++;
}

static void look(bool starved)
{
    struct untorn_check what = {.found = note};
    size_t still_open;
    count = 0;
    int rc = untorn_check("x", &what, NULL, &still_open, &error);
    CHECK(rc == 0 || (starved && rc == -UNTORN_NO_MEMORY));
    CHECK(rc != 0 || count == 2);
}

TEST(what_is_left_is_found_or_nothing_is_said)
{
    leave_commit();
    CHECK(walk(look) > 5);
}

static void look_at_mixed(bool starved)
{
    struct untorn_check what = {.found = note};
    size_t still_open;
    count = 0;
    int rc = untorn_check("x", &what, NULL, &still_open, &error);
    CHECK(rc == 0 || (starved && rc == -UNTORN_NO_MEMORY));
    CHECK(rc != 0 || count == 1);
}

TEST(a_mixture_is_found_or_nothing_is_said)
{
    write_records();
    CHECK(walk(look_at_mixed) > 5);
}
