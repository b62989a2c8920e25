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
    CHECK_INT(slot_file_renew(&file, &state, mode), 0);
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
    CHECK(file.writable && slot_file_fits(&file, 0640) && !slot_file_fits(&file, 0600));
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
    CHECK_INT(slot_file_renew(&file, &state, 0644), 0); /* [SLOT-5] */
    CHECK_INT(slot_file_lock(&other, &state, 0), -ESTALE);
    CHECK_INT(slot_file_renew(&other, &state, 0644), -ESTALE); /* it is not ours to replace */
    slot_file_close(&file);
    slot_file_close(&other);
}

TEST(what_is_written_can_be_read_and_its_state_changed)
{
    struct slot_file file = made(0600);
    struct slot slot = {.state = SLOT_COMMITTED, .sequence = 5}, back;
    CHECK_INT(slot_file_write(&file, &slot), 0);
    CHECK_INT(slot_read(file.fd, &file.stat, &back), 0);
    CHECK_INT(back.state, SLOT_COMMITTED);
    slot_free(&back);
    CHECK_INT(slot_file_set(&file, &slot, SLOT_DONE), 0);
    CHECK_INT(slot_read(file.fd, &file.stat, &back), 0);
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
    CHECK(!slot_file_is_trusted(&file, &directory, &target));
    target.mode = 0664;
    CHECK(slot_file_is_trusted(&file, &directory, &target));
    target.group = BOB;
    CHECK(!slot_file_is_trusted(&file, &directory, &target));
    target.mode = 0666;
    CHECK(slot_file_is_trusted(&file, &directory, &target));
    target = (struct os_stat){.owner = ALICE, .mode = 0600};
    CHECK(slot_file_is_trusted(&file, &directory, &target));
    CHECK(!slot_file_is_trusted(&file, &directory, NULL)); /* nor make one where he may not */
    directory.dir_stat.mode = 0777;
    CHECK(slot_file_is_trusted(&file, &directory, NULL));
    file.stat.owner = 0;
    CHECK(slot_file_is_trusted(&file, &directory, &(struct os_stat){.owner = BOB}));
}
