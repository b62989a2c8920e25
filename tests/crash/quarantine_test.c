/* run: budget 60
 *
 * Damaged content that is replaced, crashed everywhere: once the name shows anything else, kept/
 * has the old bytes. [QUARANTINE-1] under every profile. */
#include "oracle.h"

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
