/* run: plain, budget 20
 *
 * A commit stops half way, the directory of one of its files is moved away, the rest is finished,
 * and the directory comes back. Wherever it crashes, what comes back knows that the commit counted.
 * So it is where the directory stays, and its files cannot be changed for a while.
 * [RECOVER-3] [RECOVER-4] [RECOVER-9] */
#include "sets.h"

#include "os/os.h"

enum { FINISHED = 8, BACK }; /* acknowledged: what is in reach, and all of it */

static void setup(void *context)
{
    set_up(context);
}

static int move(const char *from, const char *to)
{
    os_fd root = OS_NONE;
    int rc = os_open_dir(OS_NONE, "/", false, &root);
    if (rc == 0)
        rc = os_rename(root, from, root, to, OS_NO_REPLACE);
    if (rc == 0)
        rc = os_flush_dir(root);
    (void)os_close(root);
    return rc;
}

static int use(const struct file *file)
{
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    return untorn_update(file->path, leave, NULL, &options, NULL);
}

/* The file in /b, which is the second, cannot be put in place. */
static void commit_half(const struct set *set)
{
    static const struct sim_fault fault = {
        .at = 1, .error = EIO, .on = "/b/", .verbs = SIM_ONLY(SIM_RENAME), .forever = true};
    sim_fail(&fault);
    acknowledge(commit(set, NEW, UNTORN_KEEP_NONE, NULL));
    sim_fail(&set->omit);
}

static void move_and_finish(void *context)
{
    const struct set *set = context;
    commit_half(set);
    CHECK_INT(move("b", "away"), 0);
    if (use(&set->files[0]) == 0)
        sim_ack(FINISHED);
    CHECK_INT(move("away", "b"), 0);
    if (use(&set->files[1]) == 0)
        sim_ack(BACK);
}

static void mark_and_finish(void *context)
{
    static const struct sim_fault denied = {
        .at = 1, .error = EPERM, .on = "/b/", .verbs = SIM_ONLY(SIM_RENAME), .forever = true};
    const struct set *set = context;
    commit_half(set);
    sim_fail(&denied);
    if (use(&set->files[0]) == 0)
        sim_ack(FINISHED);
    sim_fail(&set->omit);
    if (use(&set->files[1]) == 0)
        sim_ack(BACK);
}

static void come_back(void *context)
{
    if (sim_exists("/away"))
        (void)move("away", "b"); /* its calls fail too, and then it is done again */
    touch_all(context);
}

static const char *verify(void *context)
{
    const struct set *set = context;
    if (sim_exists("/away"))
        return "the directory is away";
    if (!all_are(set, OLD) && !all_are(set, NEW))
        return "some files are old, some new";
    bool told = sim_acked(UNSETTLED) || sim_acked(FINISHED) || sim_acked(BACK);
    return told && !all_are(set, NEW) ? "the commit did not count" : judge_left_over();
}

static struct sim_report explore_half(const char *name, struct set set, void (*workload)(void *))
{
    struct sim_scenario scenario = scenario_of_set(name, &set);
    struct sim_report report;
    scenario.setup = setup;
    scenario.workload = workload;
    scenario.recover = come_back;
    scenario.verify = verify;
    scenario.context = &set;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report;
}

static struct sim_report explore_away(const char *name, struct set set)
{
    return explore_half(name, set, move_and_finish);
}

static const struct set apart = {.files = {REPLACE("/a/x"), REPLACE("/b/x")},
                                 .has_slots = true,
                                 .limit = 200,
                                 .long_limit = 20000,
                                 .faulty_recoveries = 2000};

TEST(a_directory_that_was_away_learns_that_the_commit_counted)
{
    struct set first = apart;
    CHECK_INT(explore_away("1 of 2 directories away", apart).bad, 0);
    CHECK(outcomes[UNSETTLED] == 1);
    first.has_slots = false;
    first.limit = first.long_limit = 50;
    CHECK_INT(explore_away("1 of 2 directories away, for the first time", first).bad, 0);
}

TEST(a_directory_whose_files_were_marked_learns_that_the_commit_counted)
{
    CHECK_INT(explore_half("1 of 2 directories marked", apart, mark_and_finish).bad, 0);
    CHECK(outcomes[UNSETTLED] == 1);
}

/* ---- what is broken shows ---- */

TEST(an_answer_whose_name_is_not_made_durable_is_caught)
{
    struct set set = apart;
    set.omit = (struct sim_fault){.at = 1,
                                  .on = "/a/.untorn/journal",
                                  .verbs = SIM_ONLY(SIM_FLUSH_DIR),
                                  .effect = SIM_OMITTED};
    set.quiet = true;
    set.profiles = SIM_POSIX;
    CHECK(explore_away("1 of 2 directories away, a forgetful recovery", set).bad > 0);
}
