/* run: plain
 *
 * What a commit of four small files asks of the system. Its six flushes are most of the time; the
 * ceilings hold what the other calls were brought down to. */
#include "sets.h"

enum { CEILING = 178 };

static const struct set one_directory = {
    .files = {REPLACE("/a/w"), REPLACE("/a/x"), REPLACE("/a/y"), REPLACE("/a/z")},
    .keep = 1,
    .has_slots = true,
};

static void begin(const struct set *set)
{
    sim_start(NULL);
    set_up(set);
}

/* All calls of one more commit, which keeps the version that it replaces. */
static int calls_of(const struct set *set)
{
    begin(set);
    CHECK_INT(commit(set, NEW, 1, NULL), 0);
    CHECK(all_are(set, NEW));
    return sim_calls();
}

TEST(four_files_take_few_calls)
{
    CHECK(calls_of(&one_directory) <= CEILING);
}

TEST(each_is_renamed_once_and_its_versions_are_listed_once)
{
    calls_of(&one_directory);
    CHECK_INT(sim_calls_of(SIM_RENAME), 4);
    CHECK_INT(sim_calls_of(SIM_LINK), 0);
    CHECK_INT(sim_calls_of(SIM_LIST), 4);
    CHECK_INT(sim_calls_of(SIM_REMOVE), 4);
    CHECK_INT(sim_calls_of(SIM_RESIZE), 0);
}

TEST(their_directory_is_opened_once)
{
    calls_of(&one_directory);
    CHECK_INT(sim_calls_of(SIM_OPEN_DIR), 1 + 4); /* and the folders of their versions */
}

TEST(it_flushes_six_times)
{
    calls_of(&one_directory);
    CHECK_INT(sim_calls_of(SIM_FLUSH), 5);
    CHECK_INT(sim_calls_of(SIM_FLUSH_DIR), 1);
}

/* The counting notices: what shares less takes more. */
TEST(four_files_in_two_directories_take_more)
{
    const struct set set = {
        .files = {REPLACE("/a/w"), REPLACE("/b/x"), REPLACE("/a/y"), REPLACE("/b/z")},
        .keep = 1,
        .has_slots = true,
    };
    CHECK(calls_of(&set) > CEILING);
    CHECK(sim_calls_of(SIM_OPEN_DIR) > 1 + 4);
}

/* [TXN-2] A stage that may be the only copy needs names of its own. */
TEST(what_is_not_in_the_slot_is_named_in_stage_and_linked)
{
    const struct set set = {
        .files = {REPLACE("/a/w"), SECRET("/a/x")}, .keep = 1, .has_slots = true};
    calls_of(&set);
    CHECK_INT(sim_calls_of(SIM_RENAME), 3);
    CHECK_INT(sim_calls_of(SIM_LINK), 1);
}
