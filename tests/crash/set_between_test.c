/* run: plain, budget 20
 *
 * A commit is done, but the disk still says COMMITTED. Then somebody else puts something over its
 * slot that is never flushed: he does not flush, is killed before, or takes it back. Then one of
 * the files of the first commit changes alone, durably, back to what it was before. No power loss
 * may bring the first commit back: it would find the file as it was, and make it new. [RECOVER-6]
 * [SLOT-7] */
#include "oracle.h"

#include <errno.h>

enum { DYING = 1 }; /* the process that comes between */
enum { CHANGED_BACK };

enum between { NOTHING, UNFLUSHED, SAME_DIRECTORY, TWO_DIRECTORIES };

struct story {
    const char *name;
    enum between between;
    bool dies;    /* and whoever comes next gives up what it left */
    bool toggles; /* overwritten in place, on and off; else made and removed */
};

/* ---- the work ---- */

static int commit_two(const char *one, const char *other, const char *text,
                      const struct untorn_options *options)
{
    struct untorn_transaction *transaction;
    int rc = untorn_transaction_begin(options, &transaction, NULL);
    if (rc == 0)
        rc = untorn_transaction_put(transaction, one, text, strlen(text), options, NULL);
    if (rc == 0)
        rc = untorn_transaction_put(transaction, other, text, strlen(text), options, NULL);
    if (rc == 0)
        rc = untorn_transaction_commit(transaction, NULL);
    untorn_transaction_free(transaction);
    return rc;
}

static int remove_alone(const char *path)
{
    struct untorn_transaction *transaction;
    int rc = untorn_transaction_begin(NULL, &transaction, NULL);
    if (rc == 0)
        rc = untorn_transaction_remove(transaction, path, NULL, NULL);
    if (rc == 0)
        rc = untorn_transaction_commit(transaction, NULL);
    untorn_transaction_free(transaction);
    return rc;
}

/* Slots with room for all that is to come, and durable. */
static void setup(void *context)
{
    const struct story *story = context;
    const char *text = "a rather long line, so that no slot has to grow after this";
    sim_make_dir("/d");
    sim_make_dir("/q");
    CHECK_INT(commit_two("/d/x", "/d/y", text, NULL), 0);
    CHECK_INT(commit_two("/q/x", "/q/y", text, NULL), 0);
    CHECK_INT(commit_two("/q/x", "/d/y", text + 1, NULL), 0);
    if (story->toggles) {
        CHECK_INT(untorn_write("/d/a", "off", 3, NULL, NULL), 0);
        CHECK_INT(untorn_write("/d/b", "off", 3, NULL, NULL), 0);
    }
    sim_settle();
}

static void come_between(const struct story *story)
{
    struct untorn_options unflushed = {.level = UNTORN_CACHE};
    if (story->between == UNFLUSHED)
        CHECK_INT(commit_two("/d/c", "/d/e", "1", &unflushed), 0);
    if (story->between != SAME_DIRECTORY && story->between != TWO_DIRECTORIES)
        return;
    sim_process(DYING);
    (void)commit_two(story->between == SAME_DIRECTORY ? "/d/c" : "/q/x", "/d/e", "1", NULL);
    if (story->dies)
        sim_process_kill(DYING);
    sim_process(0);
    if (story->dies && story->between == TWO_DIRECTORIES)
        (void)untorn_write("/d/e", "2", 1, NULL, NULL);
}

static void workload(void *context)
{
    const struct story *story = context;
    struct untorn_options in_place = {.keep_inode = true};
    CHECK_INT(commit_two("/d/a", "/d/b", "on", story->toggles ? &in_place : NULL), 0);
    come_between(story);
    int rc =
        story->toggles ? untorn_write("/d/a", "off", 3, &in_place, NULL) : remove_alone("/d/a");
    if (rc == 0)
        sim_ack(CHANGED_BACK);
}

/* Whoever comes to the other file finishes what he finds. */
static const char *verify(void *context)
{
    const struct story *story = context;
    (void)untorn_write("/d/b", "next", 4, NULL, NULL);
    bool is_back = is_text(sim_get("/d/a"), story->toggles ? "off" : NULL);
    return sim_acked(CHANGED_BACK) && !is_back ? "what was acknowledged is taken back" : NULL;
}

/* ---- running ---- */

static struct sim_scenario scenario_of_story(struct story *story)
{
    return (struct sim_scenario){
        .name = story->name,
        .setup = setup,
        .workload = workload,
        .verify = verify,
        .context = story,
        .profiles = SIM_POSIX | SIM_EXT4 | SIM_XFS | SIM_BTRFS,
        .options = {.unit = 512, .seed = 1, .reuse = SIM_REUSE_AFTER_RESTART},
        .limit = is_long() ? 1000 : 60,
        .together = "/.untorn/lock/",
    };
}

static struct sim_report crash(struct story story)
{
    struct sim_report report;
    struct sim_scenario scenario = scenario_of_story(&story);
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report;
}

static struct sim_report crash_with(struct story story, const struct sim_fault *fault)
{
    struct sim_report report;
    struct sim_scenario scenario = scenario_of_story(&story);
    sim_for_each_fault(&scenario, fault, 1, &report);
    sim_print(&scenario, &report);
    CHECK(report.faults > 0);
    return report;
}

static const struct sim_fault killed = {
    .at = 1, .error = EIO, .effect = SIM_DEAD, .process = DYING + 1, .forever = true};
static const struct sim_fault flush_fails = {
    .error = EIO, .verbs = SIM_ONLY(SIM_FLUSH), .process = DYING + 1};

TEST(a_commit_that_is_done_does_not_come_back)
{
    CHECK_INT(crash((struct story){.name = "nothing between"}).bad, 0);
    CHECK_INT(crash((struct story){.name = "nothing between, in place", .toggles = true}).bad, 0);
}

TEST(nor_behind_a_commit_that_flushes_nothing)
{
    CHECK_INT(crash((struct story){.name = "unflushed between", .between = UNFLUSHED}).bad, 0);
    CHECK_INT(crash((struct story){.name = "unflushed between, in place",
                                   .between = UNFLUSHED,
                                   .toggles = true})
                  .bad,
              0);
}

TEST(nor_behind_one_that_dies_at_any_call)
{
    struct story story = {.name = "killed between", .between = SAME_DIRECTORY, .dies = true};
    CHECK_INT(crash_with(story, &killed).bad, 0);
}

TEST(nor_behind_one_of_two_directories_that_is_given_up)
{
    struct story story = {.name = "given up between", .between = TWO_DIRECTORIES, .dies = true};
    CHECK_INT(crash_with(story, &killed).bad, 0);
}

TEST(nor_behind_one_that_is_taken_back_because_a_flush_fails)
{
    struct story story = {.name = "taken back between", .between = TWO_DIRECTORIES};
    CHECK_INT(crash_with(story, &flush_fails).bad, 0);
    story.between = SAME_DIRECTORY;
    CHECK_INT(crash_with(story, &flush_fails).bad, 0);
}

/* The oracle itself: a flush of the slot that is left out must show. */
TEST(a_change_that_does_not_wait_for_the_slot_is_caught)
{
    struct story story = {.name = "without the flush", .between = UNFLUSHED};
    struct sim_scenario scenario = scenario_of_story(&story);
    struct sim_fault omitted = {.verbs = SIM_ONLY(SIM_FLUSH), .effect = SIM_OMITTED};
    struct sim_report report;
    scenario.quiet = true;
    sim_for_each_fault(&scenario, &omitted, 1, &report);
    CHECK(report.bad > 0);
    CHECK(strstr(report.story, "taken back") != NULL);
}
