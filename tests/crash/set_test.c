/* run: plain, budget 80
 *
 * Several files that are committed together, through every crash that a profile allows, and again
 * through every crash inside the recovery: all old or all new, acknowledged means new, nothing left
 * over. [TXN-1] [TXN-2] [TXN-3] [TXN-4] [RECOVER-3] [RECOVER-4] [RECOVER-6] */
#include "sets.h"

/* ---- the work ---- */

static void setup(void *context)
{
    set_up(context);
}

static void recover(void *context)
{
    touch_all(context);
}

static void work(void *context)
{
    const struct set *set = context;
    struct untorn_options options = {.level = set->level,
                                     .keep = set->keeps ? 0 : UNTORN_KEEP_NONE};
    if (set->omit.at)
        sim_fail(&set->omit);
    if (commit(set, NEW, UNTORN_KEEP_NONE, NULL) == 0)
        sim_ack(0);
    if (set->again && commit(set, OLD, UNTORN_KEEP_NONE, NULL) == 0)
        sim_ack(1);
    if (set->changes && untorn_write(set->changes, "single", 6, &options, NULL) == 0)
        sim_ack(2);
    sim_fail(NULL);
}

/* ---- the oracle ---- */

static const char *verify_single(const struct set *set, int new, int old, int single, int count)
{
    if (single == 0)
        return sim_acked(2) ? "the single write that was acknowledged is lost" : NULL;
    int rest = set->again ? old : new;
    return rest == count - 1 ? NULL : "after the single write another file is not as it was";
}

static const char *judge_set(const struct set *set)
{
    int old = 0, new = 0, single = 0, count = 0;
    bool durable = set->level == UNTORN_DURABLE || sim_profile() == SIM_PROFILE_KILL;
    for (const struct file *file = set->files; file->path; file++, count++) {
        bool is_single = is_text(sim_get(file->path), "single");
        old += is(file, OLD);
        new += is(file, NEW);
        single += set->changes && strcmp(set->changes, file->path) == 0 && is_single;
        if (!is(file, OLD) && !is(file, NEW) && !is_single)
            return "a file is neither old nor new";
    }
    const char *left = judge_left_over();
    if (left)
        return left;
    if (set->changes && (single > 0 || sim_acked(2)))
        return verify_single(set, new, old, single, count);
    if (old < count && new < count)
        return "some files are old, some new";
    if (!durable)
        return NULL;
    if (sim_acked(1) && old < count)
        return "the second commit, which was acknowledged, is lost";
    return sim_acked(0) && !set->again && new < count ? "what was acknowledged is lost" : NULL;
}

/* The different verdicts of an exploration, in the order of their addresses. */
static const char *verdicts[8];

static const char *verify(void *context)
{
    const char *verdict = judge_set(context), *next = verdict;
    for (int i = 0; next && i < 8; i++) {
        if (next == verdicts[i])
            break;
        if (!verdicts[i] || next < verdicts[i]) {
            const char *moved = verdicts[i];
            verdicts[i] = next;
            next = moved;
        }
    }
    return verdict;
}

static struct sim_report explore_set(const char *name, struct set set)
{
    struct sim_scenario scenario = scenario_of_set(name, &set);
    scenario.setup = setup;
    scenario.workload = work;
    scenario.recover = recover;
    scenario.verify = verify;
    scenario.context = &set;
    struct sim_report report;
    memset(verdicts, 0, sizeof verdicts);
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report;
}

/* ---- sets ---- */

/* A long run looks at all states of all of them, but for the last, and for the first set in its
 * directories: these are left to UNTORN_LONG=all. */
static const struct {
    const char *name;
    struct set set;
} sets[] = {
    {"1 file", {.files = {REPLACE("/a/x")}}},
    {"2 files", {.files = {REPLACE("/a/x"), REPLACE("/a/y")}, .faulty_recoveries = 50}},
    {"2 directories", {.files = {REPLACE("/a/x"), REPLACE("/b/x")}}},
    {"2 directories, one made, one removed",
     {.files = {CREATE("/a/x"), REMOVE("/b/x")}, .faulty_recoveries = 50}},
    {"3 files, one made, one removed",
     {.files = {REPLACE("/a/x"), CREATE("/a/y"), REMOVE("/a/z")}, .limit = 60}},
    {"in place and replaced", {.files = {REPLACE("/a/x"), OVERWRITE("/a/y")}, .limit = 12}},
    {"2 files, one a secret", {.files = {REPLACE("/a/x"), SECRET("/a/y")}, .limit = 300}},
    {"one replaced, a secret in place", {.files = {REPLACE("/a/x"), SECRET_OVERWRITE("/a/y")}}},
    {"4 files",
     {.files = {REPLACE("/a/w"), REPLACE("/a/x"), REPLACE("/a/y"), REPLACE("/a/z")}, .limit = 12}},
    {"4 files, one made, one removed",
     {.files = {REPLACE("/a/w"), CREATE("/a/x"), REPLACE("/a/y"), REMOVE("/a/z")}, .limit = 12}},
    {"4 files in 2 directories",
     {.files = {REPLACE("/a/x"), CREATE("/a/y"), REPLACE("/b/x"), REMOVE("/b/y")}, .limit = 12}},
    {"3 directories", {.files = {REPLACE("/a/x"), REPLACE("/b/x"), REPLACE("/c/x")}, .limit = 12}},
    {"4 files in 3 directories",
     {.files = {REPLACE("/a/x"), CREATE("/b/x"), REMOVE("/b/y"), REPLACE("/c/x")},
      .limit = 12,
      .long_limit = 300}},
};

static void explore_all(bool has_slots, int limit)
{
    struct sim_report total = {0};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct set set = sets[i].set;
        set.has_slots = has_slots;
        set.limit = limit ? limit : set.limit;
        if (!has_slots && i > 0)
            set.long_limit = 100;
        struct sim_report report = explore_set(sets[i].name, set);
        sim_report_add(&total, &report);
        CHECK_INT(report.bad, 0);
        CHECK(!is_long() || (set.long_limit && !is_exhaustive()) || !report.sampled);
    }
    CHECK(total.deeper > 0);
}

TEST(a_set_is_all_old_or_all_new_after_every_crash)
{
    explore_all(true, 0);
}

TEST(so_is_the_first_set_in_its_directories)
{
    explore_all(false, 5);
}

TEST(a_set_at_level_cache_is_whole_after_every_kill)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct set set = sets[i].set;
        set.level = UNTORN_CACHE;
        set.profiles = SIM_KILL;
        CHECK_INT(explore_set(sets[i].name, set).bad, 0);
    }
}

TEST(what_alice_says_of_a_set_is_reported)
{
    struct set set = sets[1].set;
    set.has_slots = set.quiet = true;
    set.profiles = SIM_ALICE;
    set.limit = 20;
    CHECK(explore_set("2 files, alice (report only)", set).states > 0);
}

TEST(a_set_at_level_ordered_is_whole_too)
{
    struct set set = sets[2].set;
    set.has_slots = true;
    set.level = UNTORN_ORDERED;
    set.profiles = SIM_KILL | SIM_POSIX;
    CHECK_INT(explore_set("2 directories, ordered", set).bad, 0);
}

/* ---- what was left out on purpose must show ---- */

static long omit(const char *name, struct set set, struct sim_fault fault)
{
    fault.effect = SIM_OMITTED;
    set.omit = fault;
    set.quiet = set.has_slots = true;
    set.profiles = SIM_POSIX;
    return explore_set(name, set).bad;
}

static const struct set two = {.files = {REPLACE("/a/x"), REPLACE("/a/y")}};
static const struct set secret = {.files = {REPLACE("/a/x"), SECRET("/a/y")}};
static const struct set made_and_removed = {.files = {CREATE("/a/x"), REMOVE("/a/y")}};
static const struct set apart = {.files = {REPLACE("/a/x"), REPLACE("/b/x")}};

TEST(a_flush_of_the_stages_that_is_left_out_is_caught)
{
    CHECK(omit("no flush of stages", two,
               (struct sim_fault){
                   .at = 1, .forever = true, .verbs = SIM_ONLY(SIM_FLUSH), .on = "/stage/"}) > 0);
}

TEST(a_flush_of_the_slot_before_the_renames_that_is_left_out_is_caught)
{
    CHECK(omit("no flush of the slot", two,
               (struct sim_fault){.at = 1, .verbs = SIM_ONLY(SIM_FLUSH), .on = "/slot"}) > 0);
}

TEST(a_flush_of_the_names_of_stages_that_is_left_out_is_caught)
{
    CHECK(omit("no flush of a stage's name", secret,
               (struct sim_fault){.at = 1, .verbs = SIM_ONLY(SIM_FLUSH_DIR), .on = "/stage"}) > 0);
}

TEST(done_before_the_flush_of_the_directory_is_caught)
{
    CHECK(omit("no flush of the directory", two,
               (struct sim_fault){.at = 1, .verbs = SIM_ONLY(SIM_FLUSH_DIR), .on = "/a/"}) > 0);
}

TEST(a_flush_of_done_before_a_single_change_that_is_left_out_is_caught)
{
    struct set set = two;
    set.changes = "/a/y";
    struct sim_fault second = {.at = 2, .verbs = SIM_ONLY(SIM_FLUSH), .on = "/slot"};
    CHECK(omit("no flush of done", set, second) > 0);
}

TEST(a_flush_of_a_participant_that_is_left_out_is_caught)
{
    CHECK(omit("no flush of the participant", apart,
               (struct sim_fault){
                   .at = 1, .verbs = SIM_ONLY(SIM_FLUSH), .on = "/b/.untorn/journal/slot"}) > 0);
}

/* ---- lock files that are chosen together: decision 0026 ---- */

/* Whether that comes to the same verdicts, of fewer states. */
static void compare_choices(const char *name, struct set set)
{
    const char *apart_verdicts[8];
    set.has_slots = true;
    set.profiles = SIM_POSIX;
    struct sim_report free_locks = explore_set(name, set);
    memcpy(apart_verdicts, verdicts, sizeof verdicts);
    set.together = true;
    struct sim_report fewer = explore_set(name, set);
    CHECK_INT(memcmp(apart_verdicts, verdicts, sizeof verdicts), 0);
    CHECK(fewer.distinct < free_locks.distinct);
    CHECK((fewer.bad > 0) == set.quiet && (free_locks.bad > 0) == set.quiet);
}

TEST(choosing_lock_files_together_comes_to_the_same_verdicts)
{
    static const struct {
        const struct set *set;
        struct sim_fault fault;
    } cases[] = {
        {&two, {.at = 0}},
        {&apart, {.at = 0}},
        {&made_and_removed, {.at = 0}},
        {&two, {.at = 1, .forever = true, .verbs = SIM_ONLY(SIM_FLUSH), .on = "/stage/"}},
        {&two, {.at = 1, .verbs = SIM_ONLY(SIM_FLUSH), .on = "/slot"}},
        {&two, {.at = 1, .verbs = SIM_ONLY(SIM_FLUSH_DIR), .on = "/a/"}},
        {&secret, {.at = 1, .verbs = SIM_ONLY(SIM_FLUSH_DIR), .on = "/stage"}},
        {&apart, {.at = 1, .verbs = SIM_ONLY(SIM_FLUSH), .on = "/b/.untorn/journal/slot"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct set set = *cases[i].set;
        set.omit = cases[i].fault;
        set.omit.effect = SIM_OMITTED;
        set.quiet = set.omit.at > 0;
        compare_choices(set.quiet ? "lock files, a flush left out" : "lock files", set);
    }
}

/* ---- one commit after the other, and single changes in between ---- */

TEST(a_second_commit_and_a_single_change_after_it_are_whole_too)
{
    struct set set = two;
    set.has_slots = true;
    set.profiles = SIM_POSIX;
    set.changes = "/a/y";
    CHECK_INT(explore_set("a commit, then one file", set).bad, 0);
    set.keeps = true;
    set.limit = 200;
    CHECK_INT(explore_set("a commit, then one file, kept", set).bad, 0);
    set.keeps = false;
    set.wipes = true;
    CHECK_INT(explore_set("a commit, then one file, all wiped", set).bad, 0);
    set.wipes = false;
    set.limit = 0;
    set.changes = NULL;
    set.again = true;
    CHECK_INT(explore_set("two commits", set).bad, 0);
    set = apart;
    set.has_slots = true;
    set.profiles = SIM_POSIX;
    set.changes = "/b/x";
    CHECK_INT(explore_set("2 directories, then one file", set).bad, 0);
}

/* ---- failing calls ---- */

/* Failed is all old, done is all new, and what is not settled is settled by the next call. */
static void work_with_outcome(void *context)
{
    acknowledge(commit(context, NEW, UNTORN_KEEP_NONE, NULL));
}

static const char *verify_outcome(void *context)
{
    bool old = all_are(context, OLD), new = all_are(context, NEW);
    if (!old && !new && !sim_alive())
        return "some files are old, some new";
    if (sim_acked(FAILED) && !old)
        return "it failed, and yet a file changed";
    if (sim_acked(DONE) && !new)
        return "it was done, and yet a file is old";
    if (!sim_alive())
        return NULL;
    recover(context);
    return all_are(context, OLD) || all_are(context, NEW) ? NULL : "some files stay old, some new";
}

static struct sim_report fail_everywhere(const char *name, struct set set)
{
    struct sim_scenario scenario = scenario_of_set(name, &set);
    scenario.setup = setup;
    scenario.workload = work_with_outcome;
    scenario.recover = recover;
    scenario.verify = verify_outcome;
    scenario.context = &set;
    scenario.profiles = SIM_KILL | SIM_POSIX;
    scenario.limit = is_long() ? 100 : 20;
    struct sim_report report = {0};
    sim_for_each_fault(&scenario, set_faults, SET_FAULTS, &report);
    sim_print(&scenario, &report);
    return report;
}

TEST(whatever_call_fails_the_outcome_is_true)
{
    struct set set = apart;
    set.has_slots = true;
    CHECK_INT(fail_everywhere("2 directories, failing calls", set).bad, 0);
    set = sets[4].set;
    CHECK_INT(fail_everywhere("3 files for the first time, failing calls", set).bad, 0);
    set = sets[5].set;
    set.has_slots = true;
    CHECK_INT(fail_everywhere("in place, failing calls", set).bad, 0);
    CHECK(outcomes[FAILED] > 0 && outcomes[UNSETTLED] > 0 && outcomes[DONE] > 0);
}
