/* run: plain, budget 20
 *
 * Two users share a directory: what one of them commits, and may die of, the other finishes or
 * follows upon, although the slot is not his to write. Nothing of it comes back behind him.
 * [SLOT-5] [TXN-4] [RECOVER-6]
 *
 * And root commits files of both, each in a directory of his own: each finishes what is his,
 * wherever it crashes, and together that is all of it or nothing. [RECOVER-9] */
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

/* ---- each in a directory of his own ---- */

static void give(const char *path, uint32_t user, unsigned mode)
{
    struct sim_attributes attributes = {.mode = mode, .owner = user, .group = user};
    sim_set_attributes(path, &attributes);
}

static void set_up_apart(void *context)
{
    const struct set *set = context;
    sim_make_dir("/a");
    sim_make_dir("/b");
    give("/a", ANNA, 0755);
    give("/b", BERT, 0755);
    for (const struct file *file = set->files; file->path; file++) {
        if (!file->texts[OLD])
            continue;
        sim_put(file->path, file->texts[OLD]);
        give(file->path, file->path[1] == 'a' ? ANNA : BERT, 0644);
    }
    sim_process_mask(022);
    CHECK_INT(commit(set, OLDER, UNTORN_KEEP_NONE, NULL), 0);
    CHECK_INT(commit(set, OLD, UNTORN_KEEP_NONE, NULL), 0);
    sim_settle();
}

static void commit_as_root(void *context)
{
    const struct set *set = context;
    acknowledge(commit(set, NEW, UNTORN_KEEP_NONE, NULL));
}

static void use_his(const struct set *set, uint32_t user, char directory)
{
    sim_process_user(user, user);
    for (const struct file *file = set->files; file->path; file++)
        if (file->path[1] == directory)
            (void)untorn_update(file->path, leave, NULL, NULL, NULL);
    sim_process_user(0, 0);
}

static void each_uses_his(void *context)
{
    const struct set *set = context;
    if (set->omit.at > 0)
        sim_fail(&set->omit);
    use_his(set, ANNA, 'a');
    use_his(set, BERT, 'b');
}

static void each_uses_his_the_other_first(void *context)
{
    use_his(context, BERT, 'b');
    use_his(context, ANNA, 'a');
}

static const char *verify_apart(void *context)
{
    const struct set *set = context;
    if (!all_are(set, OLD) && !all_are(set, NEW))
        return "some files are old, some new";
    if (sim_acked(DONE) && !all_are(set, NEW))
        return "what was acknowledged is lost";
    /* A stage of root's in their folders is for root to sweep. */
    return has_entry("/kept/") ? "something is kept as a conflict" : NULL;
}

static long explore_apart(const char *name, struct set set, void (*recover)(void *))
{
    struct sim_scenario scenario = scenario_of_set(name, &set);
    struct sim_report report;
    scenario.setup = set_up_apart;
    scenario.workload = commit_as_root;
    scenario.recover = recover;
    scenario.verify = verify_apart;
    scenario.context = &set;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report.bad;
}

static const struct set of_two = {
    .files = {REPLACE("/a/x"), REPLACE("/b/y"), REMOVE("/b/z")}, .limit = 100, .long_limit = 20000};

TEST(each_finishes_what_is_his)
{
    CHECK_INT(explore_apart("3 files of 2 users, she first", of_two, each_uses_his), 0);
    CHECK_INT(explore_apart("3 files of 2 users, he first", of_two, each_uses_his_the_other_first),
              0);
}

/* ---- what is broken shows ---- */

/* The coordinator forgets before its answer for the other is durable. */
TEST(an_answer_that_is_not_durable_is_caught)
{
    struct set set = of_two;
    set.omit = (struct sim_fault){
        .at = 1, .on = "/journal", .verbs = SIM_ONLY(SIM_FLUSH_DIR), .effect = SIM_OMITTED};
    set.quiet = true;
    set.profiles = SIM_POSIX;
    CHECK(explore_apart("3 files of 2 users, a forgetful recovery", set, each_uses_his) > 0);
}
