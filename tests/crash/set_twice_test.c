/* run: plain, budget 50
 *
 * One commit after the other, while calls fail: once, twice, from then on. Whatever the first was
 * told, and the second, holds after every crash, and nothing of the first comes back behind the
 * second. [SLOT-6] [RECOVER-4] [RECOVER-7] [INPLACE-5] */
#include "sets.h"

/* ---- the library's own, with what a broken one would do ---- */

#include "txn/slotfile.h"

/* What the coordinator says is not made durable, before it is given up or carried out. */
static enum { FORGETS_NOTHING, FORGETS_NO, FORGETS_YES } manner;

static int settle_in_this_manner(struct slot_file *file)
{
    struct slot slot = {0};
    bool says_yes = slot_read_head(file->fd, &slot) == 0 && slot_is_active(&slot);
    return manner == (says_yes ? FORGETS_YES : FORGETS_NO) ? 0 : slot_file_settle(file);
}

#define slot_file_settle settle_in_this_manner
#include "txn/recover.c"
#undef slot_file_settle

/* ---- the work ---- */

enum { SECOND = 8 }; /* added to its outcomes */
enum { DYING = 1 };  /* the process whose flush fails */

static void setup(void *context)
{
    set_up(context);
}

/* Of what it finds, so that it shows whether the first commit counted for it. */
static int add_mark(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    char text[64];
    (void)context;
    int size = snprintf(text, sizeof text, "%s!", (const char *)old->data);
    return untorn_change_set(change, text, (size_t)size);
}

/* The second: of all files, or of one of them alone. */
static void commit_twice(void *context)
{
    const struct set *set = context;
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    acknowledge(commit(set, NEW, UNTORN_KEEP_NONE, NULL));
    int rc = set->changes ? untorn_update(set->changes, add_mark, NULL, &options, NULL)
                          : commit(set, OLDER, UNTORN_KEEP_NONE, NULL);
    sim_ack(SECOND + (rc < 0 ? FAILED : rc == 0 ? DONE : UNSETTLED));
}

/* All that the process does after the flush that failed is as if it had been killed with it. */
static void die_with_the_flush(void *context, int call)
{
    static const struct sim_fault dead = {
        .effect = SIM_DEAD, .at = 1, .error = EIO, .process = DYING + 1, .forever = true};
    (void)context, (void)call;
    if (sim_fault_fired())
        sim_fail(&dead);
}

/* The second commit is that of another process, which finds what the first left. */
static void die_and_commit(void *context)
{
    const struct set *set = context;
    sim_process(DYING);
    sim_set_meanwhile(die_with_the_flush, NULL);
    int rc = commit(set, NEW, UNTORN_KEEP_NONE, NULL);
    sim_set_meanwhile(NULL, NULL);
    sim_process_kill(DYING);
    sim_process(0);
    acknowledge(rc == 0 ? 0 : UNTORN_UNSETTLED_SET); /* nobody was told */
    rc = commit(set, OLDER, UNTORN_KEEP_NONE, NULL);
    sim_ack(SECOND + (rc < 0 ? FAILED : rc == 0 ? DONE : UNSETTLED));
}

/* Between a commit that cannot be withdrawn and the use of one of its files, another commit uses
 * the slot of the first, and dies before it has flushed that. */
static void commit_and_die_and_change(void *context)
{
    static const struct set beside = {.files = {REPLACE("/a/y"), REPLACE("/a/z")}};
    static const struct sim_fault deadly_flush = {.at = 1,
                                                  .error = EIO,
                                                  .on = "/a/.untorn/journal/slot",
                                                  .verbs = SIM_ONLY(SIM_FLUSH),
                                                  .process = DYING + 1,
                                                  .effect = SIM_DEAD};
    const struct set *set = context;
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    acknowledge(commit(set, NEW, UNTORN_KEEP_NONE, NULL));
    if (!sim_fault_fired())
        return;
    sim_process(DYING);
    sim_fail(&deadly_flush);
    sim_set_meanwhile(die_with_the_flush, NULL);
    (void)commit(&beside, NEW, UNTORN_KEEP_NONE, NULL);
    sim_set_meanwhile(NULL, NULL);
    sim_process_kill(DYING);
    sim_process(0);
    int rc = untorn_update(set->changes, add_mark, NULL, &options, NULL);
    sim_ack(SECOND + (rc < 0 ? FAILED : rc == 0 ? DONE : UNSETTLED));
}

static void use_all(void *context)
{
    touch_all(context);
}

static bool is_marked(const struct set *set)
{
    const char *text = set->changes ? sim_get(set->changes) : NULL;
    return text && *text && text[strlen(text) - 1] == '!';
}

/* Whether all are of that content, but for the mark. */
static bool all_seem(const struct set *set, enum content_of what)
{
    char text[64];
    for (const struct file *file = set->files; file->path; file++) {
        bool is_changed = is_marked(set) && strcmp(file->path, set->changes) == 0;
        snprintf(text, sizeof text, "%s%s", file->texts[what], is_changed ? "!" : "");
        if (!is_text(sim_get(file->path), text))
            return false;
    }
    return true;
}

/* What may be there, as bits of enum content_of. */
static unsigned allowed(const struct set *set)
{
    unsigned first = sim_acked(DONE)     ? 1u << NEW
                     : sim_acked(FAILED) ? 1u << OLD
                                         : 1u << OLD | 1u << NEW;
    bool begun = sim_acked(DONE) || sim_acked(FAILED) || sim_acked(UNSETTLED);
    if (!begun || sim_acked(SECOND + FAILED) || set->changes)
        return first;
    return sim_acked(SECOND + DONE) ? 1u << OLDER : first | 1u << OLDER;
}

static const char *verify(void *context)
{
    const struct set *set = context;
    if (sim_alive() && (sim_acked(UNSETTLED) || sim_acked(SECOND + UNSETTLED)))
        use_all(context); /* not settled: then the next call settles it */
    if (set->changes && sim_acked(SECOND + (is_marked(set) ? FAILED : DONE)))
        return "the second change is not what was told";
    for (int what = OLDER; what <= NEW; what++)
        if (all_seem(set, (enum content_of)what))
            return allowed(set) >> what & 1 ? NULL : "the files are not what was told";
    return "the files do not belong together";
}

/* Not of directories: names whose flush failed are lost or not, and no later flush helps. */
static const struct sim_fault faults[] = {
    {.error = EIO, .verbs = SIM_ONLY(SIM_FLUSH), .times = 2},
    {.error = EIO, .verbs = SIM_ONLY(SIM_FLUSH)},
    {.error = EIO, .verbs = SIM_ONLY(SIM_FLUSH), .forever = true},
    {.error = EIO, .verbs = SIM_ONLY(SIM_FLUSH), .effect = SIM_REVERTED},
    {.error = EIO, .verbs = ~SIM_ONLY(SIM_FLUSH_DIR)},
    {.error = EIO, .verbs = ~SIM_ONLY(SIM_FLUSH_DIR), .times = 2},
    {.error = ENOSPC, .verbs = SIM_ONLY(SIM_WRITE_AT), .effect = SIM_HALF_DONE, .forever = true},
    {.error = ENOSPC,
     .verbs = SIM_ONLY(SIM_WRITE_AT) | SIM_ONLY(SIM_FLUSH),
     .effect = SIM_HALF_DONE,
     .times = 3}, /* also what withdraws it is half done */
};
enum { FAULTS = sizeof faults / sizeof *faults, FEW_FAULTS = 2 };

static const struct sim_fault deadly[] = {
    {.error = EIO, .verbs = SIM_ONLY(SIM_FLUSH), .process = DYING + 1},
    {.error = EIO, .verbs = SIM_ONLY(SIM_FLUSH), .process = DYING + 1, .effect = SIM_REVERTED},
};
enum { DEADLY = sizeof deadly / sizeof *deadly };

struct kind {
    void (*workload)(void *);
    const struct sim_fault *faults;
    size_t count;
};

static long fail_and(struct kind kind, const char *name, struct set set, unsigned broken)
{
    struct sim_scenario scenario = scenario_of_set(name, &set);
    scenario.setup = setup;
    scenario.workload = kind.workload;
    scenario.recover = use_all;
    scenario.verify = verify;
    scenario.context = &set;
    scenario.profiles = SIM_KILL | SIM_POSIX;
    scenario.limit = set.limit * (is_long() && !set.quiet ? 10 : 1);
    scenario.broken = broken;
    struct sim_report report = {0};
    sim_for_each_fault(&scenario, kind.faults, kind.count, &report);
    sim_print(&scenario, &report);
    return report.bad;
}

static long fail_die_and_commit(const char *name, struct set set)
{
    return fail_and((struct kind){die_and_commit, deadly, DEADLY}, name, set, 0);
}

static long fail_and_commit(const char *name, struct set set, unsigned broken)
{
    bool is_first = !set.has_slots && !set.files[0].keep_inode; /* so much is made then */
    size_t count = is_first && !is_long() ? FEW_FAULTS : FAULTS;
    return fail_and((struct kind){commit_twice, faults, count}, name, set, broken);
}

static const struct set in_place = {.files = {OVERWRITE("/a/x")}, .limit = 12};
static const struct set two = {
    .files = {REPLACE("/a/x"), REPLACE("/a/y")}, .has_slots = true, .limit = 12};
static const struct set apart = {
    .files = {REPLACE("/a/x"), REPLACE("/b/x")}, .has_slots = true, .limit = 12};
static const struct set one_of_two = {
    .files = {REPLACE("/a/x"), REPLACE("/b/x")}, .has_slots = true, .changes = "/b/x", .limit = 12};
static const struct set first = {.files = {REPLACE("/a/x"), REPLACE("/b/x")}, .limit = 2};

TEST(what_failed_does_not_come_back_behind_a_second_commit)
{
    CHECK_INT(fail_and_commit("1 file in place, twice", in_place, 0), 0);
    CHECK_INT(fail_and_commit("2 files, twice", two, 0), 0);
    CHECK_INT(fail_and_commit("2 directories, twice", apart, 0), 0);
    CHECK_INT(fail_and_commit("2 directories, then one file", one_of_two, 0), 0);
    CHECK_INT(fail_and_commit("2 directories for the first time, twice", first, 0), 0);
    CHECK(outcomes[FAILED] > 0 && outcomes[UNSETTLED] > 0 && outcomes[DONE] > 0);
}

TEST(what_died_of_a_failed_flush_does_not_spoil_a_second_commit)
{
    struct set fresh = two;
    fresh.has_slots = false;
    CHECK_INT(fail_die_and_commit("2 files, a death", two), 0);
    CHECK_INT(fail_die_and_commit("2 directories, a death", apart), 0);
    CHECK_INT(fail_die_and_commit("2 files for the first time, a death", fresh), 0);
    CHECK_INT(fail_die_and_commit("2 directories for the first time, a death", first), 0);
}

TEST(a_commit_that_was_not_withdrawn_does_not_come_back_from_behind_another)
{
    static const struct sim_fault twice = {.error = EIO, .verbs = SIM_ONLY(SIM_FLUSH), .times = 2};
    struct kind kind = {commit_and_die_and_change, &twice, 1};
    CHECK_INT(fail_and(kind, "2 directories, another commit, then one file", one_of_two, 0), 0);
}

/* ---- what is broken shows ---- */

TEST(a_withdrawal_that_is_not_made_durable_is_caught)
{
    struct set set = one_of_two;
    set.quiet = true;
    manner = FORGETS_NO;
    CHECK(fail_and_commit("2 directories, a forgetful recovery", set, 0) > 0);
    manner = FORGETS_NOTHING;
}

TEST(a_commit_that_is_carried_out_without_being_made_durable_is_caught)
{
    struct set set = two;
    set.quiet = true;
    manner = FORGETS_YES;
    CHECK(fail_die_and_commit("2 files, a hasty recovery", set) > 0);
    manner = FORGETS_NOTHING;
}

TEST(a_block_that_stays_spoilt_is_caught)
{
    struct set set = in_place;
    set.quiet = true;
    CHECK(fail_and_commit("1 file in place, blocks stay spoilt", set, SIM_SPOILT_STAYS) > 0);
    set = first;
    set.quiet = true;
    CHECK(fail_and_commit("2 directories for the first time, blocks stay spoilt", set,
                          SIM_SPOILT_STAYS) > 0);
}
