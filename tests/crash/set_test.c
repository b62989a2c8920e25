/* run: plain, budget 60
 *
 * Several files that are committed together, through every crash that a profile allows, and again
 * through every crash inside the recovery: all old or all new, acknowledged means new, nothing left
 * over. [TXN-1] [TXN-2] [TXN-3] [TXN-4] [RECOVER-3] [RECOVER-4] [RECOVER-6] */
#include "oracle.h"

#include <errno.h>

enum { FILES_MAX = 5, NOTHING = 63 };

struct file {
    const char *path;
    const char *old, *new; /* NULL: there is none */
    bool keep_inode;
    bool secret; /* closed to others: its bytes do not lie in the slot [SLOT-3] */
};

struct set {
    struct file files[FILES_MAX + 1];
    enum untorn_level level;
    bool again;          /* a second commit follows, back to the old content */
    const char *changes; /* then this one file is written by itself, "single" */
    bool has_slots;      /* there was a commit before */
    struct sim_fault omit;
    unsigned profiles;
    int limit; /* of states for each crash point, unless the run is a long one; 0: all */
    int faulty_recoveries;
    bool quiet;
};

/* ---- the work ---- */

static int commit(const struct set *set, bool back)
{
    struct untorn_options all = {.level = set->level, .keep = UNTORN_KEEP_NONE};
    struct untorn_transaction *save = NULL;
    int rc = untorn_transaction_begin(&all, &save, NULL);
    for (const struct file *file = set->files; rc == 0 && file->path; file++) {
        const char *text = back ? file->old : file->new;
        struct untorn_options options = {.keep_inode = file->keep_inode};
        rc = text ? untorn_transaction_put(save, file->path, text, strlen(text), &options, NULL)
                  : untorn_transaction_remove(save, file->path, &options, NULL);
    }
    if (rc == 0)
        rc = untorn_transaction_commit(save, NULL);
    untorn_transaction_free(save);
    return rc;
}

static void put_old(const struct file *file)
{
    sim_put(file->path, file->old);
    struct sim_attributes attributes = sim_attributes(file->path);
    attributes.mode = file->secret ? 0600 : 0644;
    sim_set_attributes(file->path, &attributes);
}

static void setup(void *context)
{
    const struct set *set = context;
    sim_make_dir("/a");
    sim_make_dir("/b");
    sim_make_dir("/c");
    for (const struct file *file = set->files; file->path; file++)
        if (file->old)
            put_old(file);
    if (!set->has_slots)
        return;
    CHECK_INT(commit(set, false), 0);
    CHECK_INT(commit(set, true), 0);
    sim_settle();
}

static void work(void *context)
{
    const struct set *set = context;
    struct untorn_options options = {.level = set->level, .keep = UNTORN_KEEP_NONE};
    if (set->omit.at)
        sim_fail(&set->omit);
    if (commit(set, false) == 0)
        sim_ack(0);
    if (set->again && commit(set, true) == 0)
        sim_ack(1);
    if (set->changes && untorn_write(set->changes, "single", 6, &options, NULL) == 0)
        sim_ack(2);
    sim_fail(NULL);
}

static int leave(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    (void)context, (void)old, (void)change;
    return 0;
}

/* What any next call on the files does. */
static void recover(void *context)
{
    const struct set *set = context;
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    for (const struct file *file = set->files; file->path; file++)
        (void)untorn_update(file->path, leave, NULL, &options, NULL);
}

/* ---- the oracle ---- */

static bool is(const struct file *file, const char *text)
{
    const char *now = sim_get(file->path);
    return text ? now && strcmp(now, text) == 0 : !now;
}

static const char *verify_single(const struct set *set, int new, int old, int single, int count)
{
    if (single == 0)
        return sim_acked(2) ? "the single write that was acknowledged is lost" : NULL;
    int rest = set->again ? old : new;
    return rest == count - 1 ? NULL : "after the single write another file is not as it was";
}

static const char *verify(void *context)
{
    const struct set *set = context;
    int old = 0, new = 0, single = 0, count = 0;
    bool durable = set->level == UNTORN_DURABLE || sim_profile() == SIM_PROFILE_KILL;
    for (const struct file *file = set->files; file->path; file++, count++) {
        old += is(file, file->old);
        new += is(file, file->new);
        single += set->changes && strcmp(set->changes, file->path) == 0 && is(file, "single");
        if (!is(file, file->old) && !is(file, file->new) && !is(file, "single"))
            return "a file is neither old nor new";
    }
    const char *tree = sim_tree("/");
    if (strstr(tree, "/stage/") && strstr(strstr(tree, "/stage/") + 7, "."))
        for (const char *at = tree; (at = strstr(at, "/stage/")) != NULL; at += 7)
            if (at[7] != '\n')
                return "a stage is left over";
    for (const char *at = tree; (at = strstr(at, "/kept/")) != NULL; at += 6)
        if (at[6] != '\n')
            return "something is kept as a conflict";
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

static struct sim_report explore_set(const char *name, struct set set)
{
    struct sim_scenario scenario = {
        .name = name,
        .setup = setup,
        .workload = work,
        .recover = recover,
        .verify = verify,
        .context = &set,
        .profiles = set.profiles ? set.profiles : (unsigned)SIM_ALL_GATES,
        .options = {.unit = 512, .reuse = SIM_REUSE_AFTER_RESTART},
        .quiet = set.quiet,
        .limit = set.limit && !is_long() ? set.limit : 1000000,
        .faulty_recoveries = set.faulty_recoveries,
    };
    struct sim_report report;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report;
}

/* ---- sets ---- */

#define REPLACE(path)                                                                              \
    {                                                                                              \
        path, "old " path, "new " path, false, false                                               \
    }
#define CREATE(path)                                                                               \
    {                                                                                              \
        path, NULL, "new " path, false, false                                                      \
    }
#define REMOVE(path)                                                                               \
    {                                                                                              \
        path, "old " path, NULL, false, false                                                      \
    }
#define OVERWRITE(path)                                                                            \
    {                                                                                              \
        path, "old " path, "new " path, true, false                                                \
    }

#define SECRET(path)                                                                               \
    {                                                                                              \
        path, "old " path, "new " path, false, true                                                \
    }

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
    {"4 files",
     {.files = {REPLACE("/a/w"), REPLACE("/a/x"), REPLACE("/a/y"), REPLACE("/a/z")}, .limit = 12}},
    {"4 files in 2 directories",
     {.files = {REPLACE("/a/x"), CREATE("/a/y"), REPLACE("/b/x"), REMOVE("/b/y")}, .limit = 12}},
    {"3 directories", {.files = {REPLACE("/a/x"), REPLACE("/b/x"), REPLACE("/c/x")}, .limit = 12}},
    {"4 files in 3 directories",
     {.files = {REPLACE("/a/x"), CREATE("/b/x"), REMOVE("/b/y"), REPLACE("/c/x")}, .limit = 12}},
};

static void explore_all(bool has_slots, int limit)
{
    struct sim_report total = {0};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct set set = sets[i].set;
        set.has_slots = has_slots;
        set.limit = limit ? limit : set.limit;
        struct sim_report report = explore_set(sets[i].name, set);
        sim_report_add(&total, &report);
        CHECK_INT(report.bad, 0);
    }
    CHECK(total.deeper > 0);
}

TEST(a_set_is_all_old_or_all_new_after_every_crash)
{
    explore_all(true, 0);
}

TEST(so_is_the_first_set_in_its_directories)
{
    explore_all(false, 10);
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

TEST(a_set_at_level_ordered_is_whole_too)
{
    struct set set = sets[2].set;
    set.has_slots = true;
    set.level = UNTORN_ORDERED;
    set.profiles = SIM_POSIX;
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

/* ---- one commit after the other, and single changes in between ---- */

TEST(a_second_commit_and_a_single_change_after_it_are_whole_too)
{
    struct set set = two;
    set.has_slots = true;
    set.profiles = SIM_POSIX;
    set.changes = "/a/y";
    CHECK_INT(explore_set("a commit, then one file", set).bad, 0);
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
    acknowledge(commit(context, false));
}

static const char *verify_outcome(void *context)
{
    const struct set *set = context;
    bool old = true, new = true;
    for (const struct file *file = set->files; file->path; file++) {
        old = old && is(file, file->old);
        new = new &&is(file, file->new);
    }
    if (!old && !new && !sim_alive())
        return "some files are old, some new";
    if (sim_acked(FAILED) && !old)
        return "it failed, and yet a file changed";
    if (sim_acked(DONE) && !new)
        return "it was done, and yet a file is old";
    if (!sim_alive())
        return NULL;
    recover(context);
    old = new = true;
    for (const struct file *file = set->files; file->path; file++) {
        old = old && is(file, file->old);
        new = new &&is(file, file->new);
    }
    return old || new ? NULL : "some files stay old, some new";
}

static const struct sim_fault faults[] = {
    {.error = EIO},
    {.error = EIO, .forever = true},
    {.error = ENOSPC, .forever = true, .effect = SIM_HALF_DONE},
    {.error = EIO, .verbs = SIM_ONLY(SIM_FLUSH), .effect = SIM_REVERTED},
    {.error = EINTR},
    {.error = EIO, .verbs = SIM_ONLY(SIM_RENAME), .effect = SIM_DONE_ANYWAY},
    {.verbs = SIM_ONLY(SIM_READ_AT) | SIM_ONLY(SIM_WRITE_AT), .effect = SIM_SHORT},
};

static struct sim_report fail_everywhere(const char *name, struct set set)
{
    struct sim_scenario scenario = {
        .name = name,
        .setup = setup,
        .workload = work_with_outcome,
        .recover = recover,
        .verify = verify_outcome,
        .context = &set,
        .profiles = SIM_KILL | SIM_POSIX,
        .options = {.unit = 512, .reuse = SIM_REUSE_AFTER_RESTART},
        .limit = is_long() ? 1000 : 20,
    };
    struct sim_report report = {0};
    sim_for_each_fault(&scenario, faults, sizeof faults / sizeof *faults, &report);
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
