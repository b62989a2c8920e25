/* run: plain, budget 20
 *
 * Two users share a directory: what one of them commits, and may die of, the other finishes or
 * follows upon, although the slot is not his to write. Nothing of it comes back behind him.
 * [SLOT-5] [TXN-4] [RECOVER-6] */
#include "sets.h"

enum { DYING = 1, HERS }; /* processes */
enum { SECOND = 8 };      /* added to its outcomes */

static void use_all(void *context)
{
    touch_all(context);
}

enum { ANNA = 1000, BERT = 1001 };

/* A directory and files that both may write. The slot is hers: he may only read it. */
static void share_all(void *context)
{
    static const struct sim_attributes folder = {.mode = 0777, .owner = ANNA, .group = ANNA};
    static const struct sim_attributes file = {.mode = 0666, .owner = ANNA, .group = ANNA};
    const struct set *set = context;
    sim_make_dir("/a");
    sim_set_attributes("/a", &folder);
    for (const struct file *member = set->files; member->path; member++) {
        sim_put(member->path, member->texts[OLD]);
        sim_set_attributes(member->path, &file);
    }
    sim_process_user(ANNA, ANNA);
    sim_process_mask(0);
    CHECK_INT(commit(set, OLDER, UNTORN_KEEP_NONE, NULL), 0);
    CHECK_INT(commit(set, OLD, UNTORN_KEEP_NONE, NULL), 0);
    sim_settle();
}

/* As it was, into the same inode. */
static void put_first_back(const struct set *set)
{
    const char *old = set->files[0].texts[OLD];
    struct untorn_options options = {.keep_inode = true, .keep = UNTORN_KEEP_NONE};
    if (untorn_write(set->files[0].path, old, strlen(old), &options, NULL) == 0)
        sim_ack(SECOND + DONE);
}

/* She commits, and may be killed at that; he puts the first back. */
static void commit_and_put_back(void *context)
{
    const struct set *set = context;
    sim_process(DYING);
    sim_process_user(ANNA, ANNA);
    if (commit(set, NEW, UNTORN_KEEP_NONE, NULL) == 0)
        acknowledge(0);
    sim_process_kill(DYING);
    sim_process(0);
    sim_process_user(BERT, BERT);
    if (set->omit.at > 0)
        sim_fail(&set->omit);
    put_first_back(set);
}

/* She herself does it, by a commit of that file alone: then no slot is needed. [TXN-7] */
static void commit_and_put_back_by_commit(void *context)
{
    static const struct set one = {.files = {OVERWRITE("/a/x")}};
    sim_process_user(ANNA, ANNA);
    if (commit(context, NEW, UNTORN_KEEP_NONE, NULL) == 0)
        acknowledge(0);
    if (commit(&one, OLD, UNTORN_KEEP_NONE, NULL) == 0)
        sim_ack(SECOND + DONE);
}

/* Between both another commit of his needs a slot of his own in the place of hers, and dies. */
static void commit_and_renew_and_put_back(void *context)
{
    static const struct set beside = {.files = {REPLACE("/a/y"), REPLACE("/a/z")}};
    const struct set *set = context;
    sim_process(HERS);
    sim_process_user(ANNA, ANNA);
    CHECK_INT(commit(set, NEW, UNTORN_KEEP_NONE, NULL), 0);
    acknowledge(0);
    sim_process_kill(HERS);
    sim_process(DYING);
    sim_process_user(BERT, BERT);
    (void)commit(&beside, NEW, UNTORN_KEEP_NONE, NULL);
    sim_process_kill(DYING);
    sim_process(0);
    sim_process_user(BERT, BERT);
    put_first_back(set);
}

static const char *verify_put_back(void *context)
{
    const struct set *set = context;
    const struct file *file = &set->files[0];
    struct untorn_content content;
    if (untorn_read(file->path, NULL, &content, NULL) != 0)
        return "it cannot be read";
    bool old = is_text(content.data, file->texts[OLD]),
         new = is_text(content.data, file->texts[NEW]);
    untorn_content_free(&content);
    if (!old && !new)
        return "it is neither old nor new";
    if (sim_acked(SECOND + DONE) && !old)
        return "what he was told is lost";
    return sim_acked(DONE) && !is(&set->files[1], NEW) ? "what she was told is lost" : NULL;
}

static long put_back(const char *name, void (*workload)(void *), struct sim_fault omit, bool dies)
{
    static const struct sim_fault killed = {
        .error = EIO, .effect = SIM_DEAD, .process = DYING + 1, .forever = true};
    struct set set = {.files = {OVERWRITE("/a/x"), REPLACE("/a/y")}, .omit = omit};
    struct sim_scenario scenario = scenario_of_set(name, &set);
    struct sim_report report;
    scenario.setup = share_all;
    scenario.workload = workload;
    scenario.recover = use_all;
    scenario.verify = verify_put_back;
    scenario.context = &set;
    scenario.profiles = SIM_KILL | SIM_POSIX;
    scenario.limit = (dies ? 4 : 40) * (is_long() ? 100 : 1);
    scenario.quiet = omit.at > 0;
    if (dies)
        sim_for_each_fault(&scenario, &killed, 1, &report);
    else
        sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report.bad;
}

TEST(who_may_not_write_the_slot_makes_it_certain_too_before_he_changes_a_file)
{
    static const struct sim_fault none,
        flush = {
            .at = 1, .on = "/journal/slot", .verbs = SIM_ONLY(SIM_FLUSH), .effect = SIM_OMITTED};
    CHECK_INT(put_back("2 files, then one by another user", commit_and_put_back, none, false), 0);
    CHECK(put_back("2 files, then one by a user who does not care", commit_and_put_back, flush,
                   false) > 0);
}

TEST(a_commit_of_one_file_makes_the_one_before_it_certain)
{
    static const struct sim_fault none;
    CHECK_INT(put_back("2 files, then one by a commit", commit_and_put_back_by_commit, none, false),
              0);
}

/* Then her slot makes room for one of his. [SLOT-5] */
TEST(who_finishes_the_commit_of_another_user_makes_that_certain_too)
{
    static const struct sim_fault none;
    CHECK_INT(
        put_back("2 files, a death, then one by another user", commit_and_put_back, none, true), 0);
}

/* [TXN-4] */
TEST(a_slot_that_makes_room_for_one_of_another_user_does_not_come_back)
{
    static const struct sim_fault none;
    CHECK_INT(put_back("2 files, a death at a new slot, then one", commit_and_renew_and_put_back,
                       none, true),
              0);
}
