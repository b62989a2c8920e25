#include "heap.h"
#include "txn/commits.h"

static struct untorn_error error;
static struct untorn_options options;
static struct place place;
static struct state state;

static void open_state(void)
{
    CHECK_INT(place_resolve("x", &options, &place, &error), 0);
    CHECK_INT(state_open(&place, &options, STATE_CREATE, &state, &error), 0);
}

static struct slot_file made(unsigned mode)
{
    struct slot_file file = SLOT_FILE_CLOSED;
    open_state();
    CHECK_INT(slot_file_renew(&file, &state, &(struct slot_access){mode, os_user()}), 0);
    return file;
}

TEST(there_is_none_until_it_is_made)
{
    struct slot_file file;
    open_state();
    CHECK_INT(slot_file_open(&state, &file), -ENOENT);
    file = made(0640);
    CHECK_INT(mode_of(".untorn/journal/slot"), 0640);
    slot_file_close(&file);
    CHECK_INT(slot_file_open(&state, &file), 0);
    CHECK(file.writable && slot_file_fits(&file, &(struct slot_access){0640, os_user()}) &&
          !slot_file_fits(&file, &(struct slot_access){0600, os_user()}));
    slot_file_close(&file);
    slot_file_close(&file);
}

TEST(one_at_a_time_holds_it)
{
    struct slot_file file = made(0600), other;
    CHECK_INT(slot_file_open(&state, &other), 0);
    CHECK_INT(slot_file_lock(&other, &state, 0), -EWOULDBLOCK); /* [SLOT-4] */
    slot_file_close(&file);
    CHECK_INT(slot_file_lock(&other, &state, 0), 0);
    slot_file_close(&other);
}

TEST(a_lock_on_a_slot_that_was_replaced_is_none)
{
    struct slot_file file = made(0600), other;
    CHECK_INT(slot_file_open(&state, &other), 0);
    CHECK_INT(slot_file_renew(&file, &state, &(struct slot_access){0644, os_user()}),
              0); /* [SLOT-5] */
    CHECK_INT(slot_file_lock(&other, &state, 0), -ESTALE);
    CHECK_INT(slot_file_renew(&other, &state, &(struct slot_access){0644, os_user()}),
              -ESTALE); /* it is not ours to replace */
    slot_file_close(&file);
    slot_file_close(&other);
}

TEST(a_lock_on_a_slot_that_was_removed_is_none)
{
    struct slot_file file = made(0600);
    slot_file_close(&file);
    CHECK_INT(slot_file_open(&state, &file), 0);
    CHECK_INT(unlink(".untorn/journal/slot"), 0);
    CHECK_INT(slot_file_lock(&file, &state, 0), -ESTALE);
    slot_file_close(&file);
}

TEST(what_is_written_can_be_read_and_its_state_changed)
{
    struct slot_file file = made(0600);
    struct slot slot = {.state = SLOT_COMMITTED, .sequence = 5}, back;
    CHECK_INT(slot_file_write(&file, &slot), 0);
    CHECK_INT(slot_read(file.fd, &file.stat, NULL, &back), 0);
    CHECK_INT(back.state, SLOT_COMMITTED);
    slot_free(&back);
    CHECK_INT(slot_file_set(&file, &slot, SLOT_DONE), 0);
    CHECK_INT(slot_read(file.fd, &file.stat, NULL, &back), 0);
    CHECK_INT(back.state, SLOT_DONE);
    slot_free(&back);
    slot_file_close(&file);
}

TEST(a_slot_with_two_names_is_not_ours)
{
    struct slot_file file = made(0600);
    slot_file_close(&file);
    CHECK_INT(link(".untorn/journal/slot", "second"), 0);
    CHECK_INT(slot_file_open(&state, &file), -ENOENT);
}

TEST(who_could_not_change_the_file_cannot_have_it_changed)
{
    struct slot_file file = {.stat = {.owner = ALICE, .group = CREW}};
    struct place directory = {.dir_stat = {.owner = BOB, .mode = 0755}};
    struct os_stat target = {.owner = BOB, .group = CREW, .mode = 0644};
    struct slot_member replaced = {.kind = SLOT_REPLACE};
    CHECK(!slot_file_is_trusted(&file, &directory, &replaced, &target));
    target.mode = 0664;
    CHECK(slot_file_is_trusted(&file, &directory, &replaced, &target));
    target.group = BOB;
    CHECK(!slot_file_is_trusted(&file, &directory, &replaced, &target));
    target.mode = 0666;
    CHECK(slot_file_is_trusted(&file, &directory, &replaced, &target));
    target = (struct os_stat){.owner = ALICE, .mode = 0600};
    CHECK(slot_file_is_trusted(&file, &directory, &replaced, &target));
    CHECK(!slot_file_is_trusted(&file, &directory, &replaced,
                                NULL)); /* nor make one where he may not */
    directory.dir_stat.mode = 0777;
    CHECK(slot_file_is_trusted(&file, &directory, &replaced, NULL));
    file.stat.owner = 0;
    CHECK(slot_file_is_trusted(&file, &directory, &replaced, &(struct os_stat){.owner = BOB}));
}

TEST(who_may_write_a_directory_may_have_any_file_removed_from_it_unless_it_is_sticky)
{
    struct slot_file file = {.stat = {.owner = ALICE, .group = CREW}};
    struct place directory = {.dir_stat = {.owner = ALICE, .mode = 0755}};
    struct os_stat target = {.owner = BOB, .group = CREW, .mode = 0644};
    struct slot_member removed = {.kind = SLOT_REMOVE};
    CHECK(slot_file_is_trusted(&file, &directory, &removed, &target));
    directory.dir_stat.owner = BOB;
    CHECK(!slot_file_is_trusted(&file, &directory, &removed, &target));
    directory.dir_stat.mode = 01777;
    CHECK(!slot_file_is_trusted(&file, &directory, &removed, &target));
    target.owner = ALICE;
    CHECK(slot_file_is_trusted(&file, &directory, &removed, &target));
}

/* Who could put a slot into a state directory need not be one who may write where the files are. */
TEST(of_a_slot_that_lies_elsewhere_it_is_seen_whether_its_maker_may_write_the_directory)
{
    struct slot_file file = {.stat = {.owner = ALICE, .group = ALICE}, .outside = true};
    struct place directory = {.dir_stat = {.owner = BOB, .group = CREW, .mode = 0775}};
    struct os_stat target = {.owner = BOB, .group = CREW, .mode = 0644};
    struct slot_member removed = {.kind = SLOT_REMOVE}, made = {.kind = SLOT_CREATE};
    CHECK(!slot_file_is_trusted(&file, &directory, &removed, &target));
    CHECK(!slot_file_is_trusted(&file, &directory, &made, NULL));
    file.stat.group = CREW;
    CHECK(slot_file_is_trusted(&file, &directory, &removed, &target));
    CHECK(slot_file_is_trusted(&file, &directory, &made, NULL));
    directory.dir_stat.mode = 0755;
    CHECK(!slot_file_is_trusted(&file, &directory, &removed, &target));
    directory.dir_stat.owner = ALICE;
    CHECK(slot_file_is_trusted(&file, &directory, &removed, &target));
    directory.dir_stat.owner = BOB;
    directory.dir_stat.mode = 0757;
    CHECK(slot_file_is_trusted(&file, &directory, &made, NULL));
    file.stat.owner = getuid();
    directory.dir_stat.mode = 0755;
    CHECK(slot_file_is_trusted(&file, &directory, &made, NULL));
}

/* ---- what fails, or happens meanwhile ---- */

TEST(a_lock_that_cannot_be_had_is_an_error_and_a_signal_is_none)
{
    struct slot_file file = made(0600);
    slot_file_close(&file);
    CHECK_INT(slot_file_open(&state, &file), 0);
    fail(CALL_FLOCK, "/slot", 1, ENOLCK);
    CHECK_INT(slot_file_lock(&file, &state, UINT64_MAX), -ENOLCK);
    forget_rules();
    fail(CALL_FLOCK, "/slot", 1, EINTR);
    fail(CALL_FLOCK, "/slot", 2, EWOULDBLOCK);
    CHECK_INT(slot_file_lock(&file, &state, UINT64_MAX), 0);
    slot_file_close(&file);
}

TEST(a_slot_that_may_only_be_read_is_opened_so)
{
    static const int codes[] = {EACCES, EROFS, EPERM};
    struct slot_file file = made(0600);
    slot_file_close(&file);
    for (int i = 0; i < 3; i++) {
        fail(CALL_OPEN, "/slot", 1, codes[i]);
        if (codes[i] == EPERM) /* it may be openat2 that is forbidden: then another is tried */
            fail(CALL_OPEN, "/slot", 2, EPERM);
        CHECK_INT(slot_file_open(&state, &file), 0);
        CHECK(!file.writable && !slot_file_fits(&file, &(struct slot_access){0600, os_user()}));
        slot_file_close(&file);
        forget_rules();
    }
}

/* He could read and write it all the while. Root may mean it for him. */
TEST(a_slot_of_another_fits_only_who_means_it_for_him)
{
    struct slot_file file = made(0600);
    file.stat.owner = BOB;
    CHECK(!slot_file_fits(&file, &(struct slot_access){0600, os_user()}));
    CHECK(slot_file_fits(&file, &(struct slot_access){0600, BOB}));
    slot_file_close(&file);
}

static void remove_slot(void *context)
{
    (void)context;
    CHECK_INT(unlink(".untorn/journal/slot"), 0);
}

static void make_slot(void *context)
{
    (void)context;
    put(".untorn/journal/slot", "");
}

static void lock_slot(void *context)
{
    int *file = context;
    *file = open(".untorn/journal/slot", O_RDONLY);
    CHECK(*file >= 0);
    CHECK_INT(os_lock(fd_of(*file), OS_LOCK_EXCLUSIVE), 0);
}

/* [SLOT-5] */
TEST(a_slot_that_another_makes_or_removes_meanwhile_is_looked_at_anew)
{
    int other = -1;
    struct slot_file file = made(0600);
    at(CALL_UNLINK, "/slot", 1, remove_slot, NULL);
    CHECK_INT(slot_file_renew(&file, &state, &(struct slot_access){0600, os_user()}), -ESTALE);
    forget_rules();
    at(CALL_OPEN, "/slot", 1, make_slot, NULL);
    CHECK_INT(slot_file_renew(&file, &state, &(struct slot_access){0600, os_user()}), -ESTALE);
    forget_rules();
    remove_slot(NULL);
    at(CALL_FLOCK, "/slot", 1, lock_slot, &other);
    CHECK_INT(slot_file_renew(&file, &state, &(struct slot_access){0600, os_user()}), -ESTALE);
    close(other);
    slot_file_close(&file);
}

TEST(a_slot_that_cannot_be_made_is_an_error)
{
    static const struct {
        enum call call;
        int nth, code;
    } faults[] = {{CALL_OPEN, 1, ENOSPC},
                  {CALL_CHMOD, 2, EIO},
                  {CALL_STAT, 1, EIO},
                  {CALL_STAT, 2, EIO},
                  {CALL_FLOCK, 1, ENOLCK}};
    struct slot_file file = SLOT_FILE_CLOSED;
    open_state();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        fail(faults[i].call, "/slot", faults[i].nth, faults[i].code);
        CHECK_INT(slot_file_renew(&file, &state, &(struct slot_access){0640, os_user()}),
                  -faults[i].code);
        forget_rules();
        slot_file_close(&file);
        unlink(".untorn/journal/slot");
    }
    state_rest(&state); /* then our folder is opened again */
    CHECK_INT(slot_file_renew(&file, &state, &(struct slot_access){0640, os_user()}), 0);
    slot_file_close(&file);
}

static struct slot head_of(const struct slot_file *file)
{
    struct slot slot;
    CHECK_INT(slot_read_head(file->fd, &slot), 0);
    return slot;
}

/* [SLOT-6] */
TEST(what_is_settled_is_written_again_and_flushed)
{
    struct slot slot = {.state = SLOT_DONE, .sequence = 5, .rooted = true};
    struct slot_file file = made(0600);
    CHECK_INT(slot_file_write(&file, &slot), 0);
    const struct rule *writes = watch(CALL_WRITE, "/slot"), *flushes = watch(CALL_FSYNC, "/slot");
    CHECK_INT(slot_file_settle(&file), 0);
    CHECK_INT(writes->seen, 1);
    CHECK_INT(flushes->seen, 1);
    CHECK_INT(head_of(&file).state, SLOT_DONE);
    CHECK_INT(head_of(&file).sequence, 5);
    CHECK_INT(os_resize(file.fd, 0), 0);
    CHECK_INT(slot_file_settle(&file), 0);
    CHECK_INT(head_of(&file).state, SLOT_IDLE);
    forget_rules();
    slot_file_close(&file);
}

TEST(a_slot_is_grounded_with_room_for_what_it_is_to_say)
{
    struct slot slot = {.state = SLOT_DONE, .sequence = 5};
    struct slot_file file = made(0600);
    const struct rule *flushes = watch(CALL_FSYNC, "/slot");
    CHECK_INT(slot_file_ground(&file, 700), 0);
    CHECK_INT(flushes->seen, 1);
    CHECK_INT(stat_of(".untorn/journal/slot").st_size, 1024);
    CHECK_INT(file.stat.size, 1024);
    CHECK_INT(slot_file_write(&file, &slot), 0);
    CHECK_INT(slot_file_ground(&file, 10000), 0);
    CHECK_INT(flushes->seen, 3); /* that it was DONE too */
    CHECK_INT(slot_read_head(file.fd, &slot), -ENODATA);
    CHECK_INT(stat_of(".untorn/journal/slot").st_size, 15360); /* more than it needs */
    slot = (struct slot){.state = SLOT_IDLE, .sequence = 6};
    CHECK_INT(slot_file_write(&file, &slot), 0);
    CHECK_INT(slot_file_ground(&file, 700), 0);
    CHECK_INT(flushes->seen, 4); /* of what is idle nothing can come back */
    forget_rules();
    slot_file_close(&file);
}

TEST(a_slot_that_cannot_be_grounded_has_no_room)
{
    static const enum call calls[] = {CALL_READ, CALL_TRUNCATE, CALL_WRITE, CALL_FSYNC};
    struct slot_file file = made(0600);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        fail(calls[i], "/slot", 1, EIO);
        CHECK_INT(slot_file_ground(&file, 700), -EIO);
        CHECK_INT(file.stat.size, 0);
        forget_rules();
    }
    slot_file_close(&file);
}

TEST(nothing_is_left_behind_what_a_slot_is_trimmed_to)
{
    static char bytes[200000];
    struct slot_file file = made(0600);
    memset(bytes, 'x', sizeof bytes);
    put_bytes(".untorn/journal/slot", bytes, 5000);
    file.stat.size = 5000;
    CHECK_INT(slot_file_trim(&file, 512), 0);
    CHECK_INT(get_bytes(".untorn/journal/slot", bytes, sizeof bytes), 5000);
    CHECK_INT(bytes[511], 'x');
    CHECK(bytes[512] == 0 && memcmp(bytes + 512, bytes + 513, 5000 - 513) == 0);
    CHECK_INT(slot_file_trim(&file, 5000), 0);
    memset(bytes, 'x', sizeof bytes);
    put_bytes(".untorn/journal/slot", bytes, sizeof bytes); /* more than is worth keeping */
    file.stat.size = sizeof bytes;
    fail(CALL_TRUNCATE, "/slot", 1, EIO);
    CHECK_INT(slot_file_trim(&file, 600), -EIO);
    CHECK_INT(file.stat.size, sizeof bytes);
    CHECK_INT(slot_file_trim(&file, 600), 0);
    CHECK_INT(stat_of(".untorn/journal/slot").st_size, 600);
    CHECK_INT(file.stat.size, 600);
    slot_file_close(&file);
}

TEST(a_slot_that_cannot_be_settled_is_told)
{
    static const enum call calls[] = {CALL_READ, CALL_WRITE, CALL_FSYNC};
    struct slot_file file = made(0600);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        fail(calls[i], "/slot", 1, EIO);
        CHECK_INT(slot_file_settle(&file), -EIO);
        forget_rules();
    }
    file.writable = false; /* then it is only flushed */
    CHECK_INT(os_resize(file.fd, 0), 0);
    CHECK_INT(slot_file_settle(&file), 0);
    CHECK_INT(stat_of(".untorn/journal/slot").st_size, 0);
    slot_file_close(&file);
}

TEST(without_our_folder_no_slot_is_made)
{
    struct slot_file file = SLOT_FILE_CLOSED;
    open_state();
    remove_tree(".untorn");
    CHECK_INT(slot_file_renew(&file, &state, &(struct slot_access){0640, os_user()}), -ENOENT);
}

TEST(without_memory_nothing_is_locked_or_written)
{
    struct slot slot = {.state = SLOT_COMMITTED};
    struct slot_file file = made(0600);
    heap_needed();
    heap_fail(1);
    int rc = slot_file_write(&file, &slot);
    CHECK(heap_failed());
    CHECK_INT(rc, -ENOMEM);
    CHECK_INT(stat_of(".untorn/journal/slot").st_size, 0);
    slot_file_close(&file);
    CHECK_INT(slot_file_open(&state, &file), 0);
    int before = open_descriptors();
    heap_fail(1);
    rc = slot_file_lock(&file, &state, 0);
    CHECK(heap_failed());
    CHECK_INT(rc, -ENOMEM);
    CHECK_INT(open_descriptors(), before - 1); /* closed, and its lock with it */
    slot_file_close(&file);
}
