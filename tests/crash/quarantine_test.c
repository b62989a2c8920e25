/* run: budget 60
 *
 * Damaged content that is replaced, crashed everywhere: once the name shows anything else, kept/
 * has the old bytes. [QUARANTINE-1] under every profile. */
#include "oracle.h"

#include <errno.h>

/* Not JSON, and longer than a unit of the disk. */
static const char *damaged_content(void)
{
    static char text[1200];
    size_t used = (size_t)snprintf(text, sizeof text, "{");
    for (int i = 0; used < 700; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "\"key %d\": %d,\n", i, i);
    return text;
}

static int write_new(const struct trial *trial)
{
    return untorn_write(trial->path, trial->new, strlen(trial->new), &trial->options, NULL);
}

/* Whether a file in kept/ has the bytes. */
static bool is_kept(const char *text)
{
    static const char folder[] = "/d/.untorn/kept/damaged-a.json.";
    char path[256];
    for (const char *tree = sim_tree("/d"); *tree; tree += strcspn(tree, "\n") + 1) {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(tree, "\n"), tree);
        if (strncmp(path, folder, sizeof folder - 1) == 0 && is_text(sim_get(path), text))
            return true;
    }
    return false;
}

static const char *verify(void *context)
{
    const struct trial *trial = context;
    const char *text = sim_get(trial->path), *verdict = judge(trial, text);
    if (!verdict && !is_text(text, trial->old) && !is_kept(trial->old))
        return "the damaged content is gone";
    if (!verdict)
        verdict = judge_next(trial);
    return !verdict && !is_kept(trial->old) ? "the next writer kept nothing of the damaged content"
                                            : verdict;
}

/* Whether the version before is in history: that needs no reading. */
static bool is_version(const struct trial *trial)
{
    struct untorn_content content;
    int rc = untorn_version_read(trial->path, 1, NULL, &content, NULL);
    bool is = rc == 0 && is_text(content.data, trial->old);
    untorn_content_free(&content);
    return is;
}

/* What could not be read is not known to be damaged: it goes where every version goes. */
static const char *verify_unreadable(void *context)
{
    const struct trial *trial = context;
    const char *text = sim_get(trial->path), *verdict = judge(trial, text);
    if (!verdict && !is_text(text, trial->old) && !is_kept(trial->old) && !is_version(trial))
        return "the damaged content is gone";
    return verdict ? verdict : judge_next(trial);
}

/* Of what never can be read nobody keeps anything. */
static const char *verify_unread(void *context)
{
    const struct trial *trial = context;
    const char *verdict = judge(trial, sim_get(trial->path));
    return verdict ? verdict : judge_next(trial);
}

static long explore_kept(struct trial trial, const char *name)
{
    struct sim_scenario scenario = scenario_of(&trial, name);
    struct sim_report report;
    scenario.verify = verify;
    scenario.limit /= 10; /* it makes many folders, in every order */
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report.bad;
}

static struct trial replace(void)
{
    return (struct trial){
        .path = "/d/a.json", .old = damaged_content(), .new = "{\"n\": 1}\n", .act = write_new};
}

static void with_kept_folder(const struct trial *trial)
{
    CHECK_INT(untorn_write("/d/b", "", 0, NULL, NULL), 0);
    sim_put(trial->path, trial->old);
}

TEST(damaged_content_is_never_gone_after_any_crash)
{
    struct trial trial = replace();
    CHECK_INT(explore_kept(trial, "no .untorn yet"), 0);
    trial.prepare = with_kept_folder;
    CHECK_INT(explore_kept(trial, "with .untorn"), 0);
    trial.options.level = UNTORN_ORDERED;
    CHECK_INT(explore_kept(trial, "ordered"), 0);
    trial.options.level = UNTORN_CACHE;
    trial.profiles = SIM_KILL;
    CHECK_INT(explore_kept(trial, "cache"), 0);
}

/* ---- a crash in what comes next ---- */

/* The next who writes, over what the crash left: perhaps a copy of which a part is there. */
static void write_again(void *context)
{
    struct trial trial = *(struct trial *)context;
    trial.options.if_changed = true;
    (void)write_new(&trial);
}

TEST(it_is_never_gone_after_a_crash_of_the_next_writer_either)
{
    struct trial trial = replace();
    trial.prepare = with_kept_folder;
    struct sim_scenario scenario = scenario_of(&trial, "crash, write again, crash");
    struct sim_report report;
    scenario.verify = verify;
    scenario.recover = write_again;
    scenario.limit = is_long() ? 20000 : 400;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    CHECK_INT(report.bad, 0);
    CHECK(report.deeper > 0);
}

/* ---- calls that fail ---- */

enum { READING = SIM_ONLY(SIM_READ_AT), OPENING = SIM_ONLY(SIM_OPEN) };
enum { OTHER = ((1u << SIM_VERBS) - 1) & ~(unsigned)(READING | OPENING) };

/* Some of the usual faults, of these calls. */
struct some {
    unsigned verbs;
    bool (*takes)(const struct sim_fault *fault);
    const char *(*verify)(void *context);
};

static bool is_denial(const struct sim_fault *fault)
{
    return fault->error == EACCES;
}

static bool is_no_denial(const struct sim_fault *fault)
{
    return !is_denial(fault);
}

static bool passes(const struct sim_fault *fault)
{
    return !is_denial(fault) && !fault->forever;
}

static bool stays(const struct sim_fault *fault)
{
    return !passes(fault);
}

static struct sim_report fail_each(struct trial trial, const char *name, struct some some)
{
    struct sim_scenario scenario = scenario_of(&trial, name);
    struct sim_report report, total = {0};
    trial.faulty = true;
    scenario.verify = some.verify;
    scenario.limit = is_long() ? 2000 : 40;
    memset(outcomes, 0, sizeof outcomes);
    for (size_t i = 0; i < sim_usual_fault_count; i++) {
        struct sim_fault fault = sim_usual_faults[i];
        fault.verbs = fault.verbs ? fault.verbs & some.verbs : some.verbs;
        if (fault.verbs && some.takes(&fault)) {
            sim_for_each_fault(&scenario, &fault, 1, &report);
            sim_report_add(&total, &report);
        }
    }
    sim_print(&scenario, &total);
    printf("      outcomes: %ld done, %ld failed, %ld not settled\n", outcomes[DONE],
           outcomes[FAILED], outcomes[UNSETTLED]);
    return total;
}

TEST(it_is_never_gone_where_a_call_fails)
{
    static const struct some calls = {OTHER | OPENING, is_no_denial, verify},
                             denials = {OTHER, is_denial, verify},
                             reads = {READING, passes, verify_unreadable},
                             unread = {READING, stays, verify_unread},
                             closed = {OPENING, is_denial, verify_unread};
    struct trial trial = replace();
    trial.prepare = with_kept_folder;
    CHECK_INT(fail_each(trial, "each call fails", calls).bad, 0);
    CHECK_INT(fail_each(trial, "each call is denied", denials).bad, 0);
    CHECK_INT(fail_each(trial, "what is read fails", reads).bad, 0);
    CHECK_INT(fail_each(trial, "nothing can be read", unread).bad, 0);
    CHECK_INT(fail_each(trial, "what is opened is denied", closed).bad, 0);
    trial.prepare = NULL;
    trial.profiles = is_long() ? 0 : SIM_KILL;
    CHECK_INT(fail_each(trial, "each call fails, no .untorn yet", calls).bad, 0);
}

/* A copy that is not flushed, and the file is replaced all the same. */
TEST(a_flush_of_the_copy_that_is_left_out_is_noticed)
{
    static const struct sim_fault forgotten = {
        .effect = SIM_OMITTED, .verbs = SIM_ONLY(SIM_FLUSH), .on = "/kept/"};
    struct trial trial = replace();
    trial.prepare = with_kept_folder;
    trial.quiet = true;
    struct sim_scenario scenario = scenario_of(&trial, "the copy is not flushed");
    struct sim_report report;
    scenario.verify = verify;
    sim_for_each_fault(&scenario, &forgotten, 1, &report);
    sim_print(&scenario, &report);
    CHECK(report.bad > 0);
}

TEST(a_flush_that_does_nothing_is_noticed)
{
    struct trial trial = replace();
    trial.prepare = with_kept_folder;
    trial.quiet = true;
    trial.broken = SIM_FLUSH_LIES;
    CHECK(explore_kept(trial, "lying flush") > 0);
    trial.broken = SIM_FLUSH_DIR_LIES;
    CHECK(explore_kept(trial, "lying directory flush") > 0);
    trial.broken = 0;
    trial.options.level = UNTORN_CACHE;
    CHECK(explore_kept(trial, "cache, but the power goes") > 0);
}
