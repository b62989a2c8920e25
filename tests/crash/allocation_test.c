/* run: plain
 *
 * Every allocation of the library failing in turn: the outcome is honest, nothing leaks or hangs.
 */
#include "heap.h"
#include "oracle.h"

static int leak_guarded(const struct trial *trial, int (*act)(const struct trial *))
{
    long before = heap.live;
    int rc = act(trial);
    if (heap.live > before)
        sim_note("memory leaked");
    CHECK(heap.live <= before);
    return rc;
}

static int write_it(const struct trial *trial)
{
    return untorn_write(trial->path, trial->new, strlen(trial->new), &trial->options, NULL);
}

static int set_new(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    const struct trial *trial = context;
    (void)old;
    return untorn_change_set(change, trial->new, strlen(trial->new)) == 0 ? 0 : 1;
}

static int update_it(const struct trial *trial)
{
    return untorn_update(trial->path, set_new, (void *)(uintptr_t)trial, &trial->options, NULL);
}

static int append_it(const struct trial *trial)
{
    return untorn_append(trial->path, "{\"n\":2}\n", 8, UNTORN_RECORDS_BY_NAME, &trial->options,
                         NULL);
}

static int write_new(const struct trial *trial)
{
    return leak_guarded(trial, write_it);
}

static int update_new(const struct trial *trial)
{
    return leak_guarded(trial, update_it);
}

static int append_new(const struct trial *trial)
{
    return leak_guarded(trial, append_it);
}

static void starve_all(struct trial trial, const char *name)
{
    struct sim_scenario scenario = scenario_of(&trial, name);
    struct sim_report report;
    heap_needed();
    heap.decides = sim_allocation_fails;
    memset(outcomes, 0, sizeof outcomes);
    sim_for_each_allocation_failure(&scenario, &report);
    sim_print(&scenario, &report);
    CHECK_INT(report.bad, 0);
    CHECK(report.faults > 0);
    CHECK(outcomes[FAILED] > 0);
}

static struct trial starving(int (*act)(const struct trial *))
{
    return (struct trial){.path = "/d/a.jsonl",
                          .old = "{\"n\":1}\n",
                          .new = "{\"n\":1}\n{\"n\":2}\n",
                          .act = act,
                          .prepare = with_state_folder,
                          .profiles = SIM_KILL | SIM_POSIX};
}

TEST(a_write_without_memory_fails_and_leaves_the_old_content)
{
    starve_all(starving(write_new), "write without memory");
}

TEST(an_update_without_memory_fails_and_leaves_the_old_content)
{
    starve_all(starving(update_new), "update without memory");
}

/* It is whole: nothing of it is kept aside as damaged. */
TEST(a_document_that_cannot_be_judged_for_want_of_memory_stays)
{
    struct trial trial = starving(write_new);
    trial.path = "/d/a.json";
    trial.new = "{\"n\":2}\n";
    starve_all(trial, "write of JSON without memory");
    trial.path = "/d/a.toml";
    trial.old = "n = 1\n[t]\na = {b = 1}\n";
    trial.new = "n = 2\n";
    starve_all(trial, "write of TOML without memory");
}

TEST(an_overwrite_in_place_without_memory_fails_or_is_finished_by_the_next_call)
{
    struct trial trial = starving(write_new);
    trial.options.keep_inode = true;
    trial.in_place = true;
    starve_all(trial, "in place without memory");
}

TEST(an_append_without_memory_fails_and_leaves_the_old_records)
{
    struct trial trial = starving(append_new);
    trial.unit = 4096;
    trial.profiles = SIM_KILL;
    starve_all(trial, "append without memory");
}
