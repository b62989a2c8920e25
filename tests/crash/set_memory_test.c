/* run: plain
 *
 * Every allocation of a commit of several files, and of the recovery of one, failing in turn. */
#include "heap.h"
#include "leave.h"
#include "oracle.h"

static const char *const paths[] = {"/a/x", "/a/y", "/b/x"};
enum { FILES = 3 };

static int commit_all(void)
{
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    struct untorn_transaction *save = NULL;
    int rc = untorn_transaction_begin(&options, &save, NULL);
    for (int i = 0; rc == 0 && i < FILES; i++)
        rc = untorn_transaction_put(save, paths[i], "new", 3, NULL, NULL);
    if (rc == 0)
        rc = untorn_transaction_commit(save, NULL);
    untorn_transaction_free(save);
    return rc;
}

static int touch(const char *path)
{
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    return untorn_update(path, leave, NULL, &options, NULL);
}

static void setup(void *context)
{
    bool unfinished = *(bool *)context;
    struct sim_fault fault = {
        .at = 1, .error = EIO, .forever = true, .verbs = SIM_ONLY(SIM_RENAME), .on = "/b/"};
    sim_make_dir("/a");
    sim_make_dir("/b");
    CHECK_INT(commit_all(), 0);
    for (int i = 0; i < FILES; i++)
        sim_put(paths[i], "old");
    if (unfinished)
        sim_fail(&fault);
    CHECK_INT(unfinished ? commit_all() : 0, unfinished ? UNTORN_UNSETTLED_SET : 0);
    sim_fail(NULL);
}

static void work(void *context)
{
    long before = heap.live;
    acknowledge(*(bool *)context ? touch("/b/x") : commit_all());
    CHECK(heap.live <= before);
}

static void count_files(int *old, int *new)
{
    *old = *new = 0;
    for (int i = 0; i < FILES; i++) {
        *old += is_text(sim_get(paths[i]), "old");
        *new += is_text(sim_get(paths[i]), "new");
    }
}

static const char *verify(void *context)
{
    bool unfinished = *(bool *)context;
    int old, new;
    count_files(&old, &new);
    if (!unfinished && sim_acked(FAILED) && old < FILES)
        return "it failed, and yet a file changed";
    for (int i = 0; i < FILES; i++)
        if (touch(paths[i]) != 0)
            return "the next call fails";
    count_files(&old, &new);
    if (old < FILES && new < FILES)
        return "some files are old, some new";
    return new < FILES && (unfinished || sim_acked(DONE)) ? "what counts is lost" : NULL;
}

static void starve_all(const char *name, bool unfinished)
{
    struct sim_scenario scenario = {
        .name = name,
        .setup = setup,
        .workload = work,
        .verify = verify,
        .context = &unfinished,
        .profiles = SIM_KILL,
        .options = {.unit = 4096, .reuse = SIM_REUSE_AFTER_RESTART},
    };
    struct sim_report report;
    heap_needed();
    heap.decides = sim_allocation_fails;
    sim_for_each_allocation_failure(&scenario, &report);
    sim_print(&scenario, &report);
    CHECK_INT(report.bad, 0);
    CHECK(report.faults > 0);
    CHECK(outcomes[FAILED] > 0);
}

TEST(a_commit_without_memory_fails_and_leaves_all_files_as_they_were)
{
    starve_all("commit without memory", false);
}

TEST(a_recovery_without_memory_fails_and_the_next_one_finishes_it)
{
    starve_all("recovery without memory", true);
}
