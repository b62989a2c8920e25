/* run: budget 20
 *
 * Readers at every moment of a commit of several files: all old or all new. [VIEW-1] */
#include "oracle.h"

#include <errno.h>

#include <untorn/transaction.h>

#include "base/limits.h"

enum { MEMBERS = 4 };

static const struct member {
    const char *path, *old, *new;
} members[MEMBERS] = {
    {"/x/a", "old a", "new a"},
    {"/x/b", NULL, "new b"},
    {"/y/c", "old c", "new c"},
    {"/y/d", "old d", NULL},
};

struct watch {
    int looks, olds, news;
    bool large; /* one of them is too large for the slot */
};

static char large_text[LIMIT_INLINE + 10];

static const char *new_of(const struct watch *watch, int index)
{
    return watch->large && index == 2 ? large_text : members[index].new;
}

static bool is(const struct untorn_content *content, const char *text)
{
    return text ? content->data && strcmp(content->data, text) == 0 : !content->data;
}

/* All of them one by one, at one moment of the writer. */
static void look_at_each(const struct watch *watch, bool new)
{
    for (int i = 0; i < MEMBERS; i++) {
        struct untorn_content content;
        struct untorn_error error;
        int rc = untorn_read(members[i].path, NULL, &content, &error);
        CHECK(rc == 0 || rc == -UNTORN_MISSING);
        CHECK(is(&content, new ? new_of(watch, i) : members[i].old));
        untorn_content_free(&content);
    }
}

static void look(void *context, int call)
{
    struct watch *watch = context;
    struct untorn_content contents[MEMBERS];
    const char *paths[MEMBERS];
    struct untorn_error error;
    bool old = true, new = true;
    (void)call;
    sim_process(1);
    for (int i = 0; i < MEMBERS; i++)
        paths[i] = members[i].path;
    CHECK_INT(untorn_read_set(paths, MEMBERS, NULL, contents, &error), 0);
    for (int i = 0; i < MEMBERS; i++) {
        old &= is(&contents[i], members[i].old);
        new &= is(&contents[i], new_of(watch, i));
        untorn_content_free(&contents[i]);
    }
    CHECK(old || new);
    CHECK(!old || watch->news == 0); /* what was new does not become old again */
    look_at_each(watch, new);
    CHECK_INT(sim_open_handles(), 0);
    watch->looks++;
    watch->olds += old;
    watch->news += new;
}

static void setup(void)
{
    memset(large_text, 'x', sizeof large_text - 1);
    sim_start(&(struct sim_options){.unit = 512});
    sim_make_dir("/x");
    sim_make_dir("/y");
    for (int i = 0; i < MEMBERS; i++)
        if (members[i].old)
            sim_put(members[i].path, members[i].old);
    sim_settle();
}

static int commit(const struct watch *watch, struct untorn_error *error)
{
    struct untorn_transaction *save = NULL;
    int rc = untorn_transaction_begin(NULL, &save, error);
    for (int i = 0; rc == 0 && i < MEMBERS; i++) {
        const char *path = members[i].path, *new = new_of(watch, i);
        rc = new ? untorn_transaction_put(save, path, new, strlen(new), NULL, error)
                 : untorn_transaction_remove(save, path, NULL, error);
    }
    if (rc == 0)
        rc = untorn_transaction_commit(save, error);
    untorn_transaction_free(save);
    return rc;
}

static int watch_commit(struct watch *watch)
{
    struct untorn_error error;
    sim_set_meanwhile(look, watch);
    int rc = commit(watch, &error);
    sim_set_meanwhile(NULL, NULL);
    CHECK_TEXT(sim_misuse(), NULL);
    return rc;
}

TEST(readers_see_all_old_or_all_new_while_files_are_committed)
{
    for (int large = 0; large < 2; large++) {
        struct watch watch = {.large = large};
        setup();
        CHECK_INT(watch_commit(&watch), 0);
        look(&watch, 0);
        printf("    %d looks: %d old, %d new\n", watch.looks, watch.olds, watch.news);
        CHECK(watch.olds > 10 && watch.news > 10);
    }
}

/* Looking makes none of these calls, so that a fault hits the commit alone. */
static const enum sim_verb verbs[] = {SIM_WRITE_AT, SIM_FLUSH,  SIM_FLUSH_DIR,
                                      SIM_RENAME,   SIM_REMOVE, SIM_RESIZE};

/* One fault at each call in turn: what failed was never seen, what is not settled or done stays. */
static void watch_faults(enum sim_verb verb, bool forever, int *ends)
{
    bool fired = true;
    for (int at = 1; fired; at++) {
        struct watch watch = {0};
        struct sim_fault fault = {
            .at = at, .error = EIO, .forever = forever, .verbs = SIM_ONLY(verb)};
        setup();
        sim_fail(&fault);
        int rc = watch_commit(&watch);
        fired = sim_fault_fired();
        sim_fail(NULL);
        ends[rc < 0 ? 0 : rc == 0 ? 1 : 2]++;
        if (rc < 0)
            CHECK_INT(watch.news, 0);
        look(&watch, 0);
        if (rc < 0)
            CHECK_INT(watch.news, 0);
        if (rc == 0)
            CHECK(watch.news > 0);
    }
}

TEST(a_commit_that_failed_was_never_seen)
{
    int ends[3] = {0};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        watch_faults(verbs[i], false, ends);
        watch_faults(verbs[i], true, ends);
    }
    printf("    %d failed, %d done, %d not settled\n", ends[0], ends[1], ends[2]);
    CHECK(ends[0] > 0 && ends[1] > 0 && ends[2] > 0);
}

/* ---- after a crash ---- */

static void crash_setup(void *context)
{
    (void)context;
    memset(large_text, 'x', sizeof large_text - 1);
    sim_make_dir("/x");
    sim_make_dir("/y");
    for (int i = 0; i < MEMBERS; i++)
        if (members[i].old)
            sim_put(members[i].path, members[i].old);
}

static void crash_workload(void *context)
{
    struct untorn_error error;
    if (commit(context, &error) == 0)
        sim_ack(0);
}

/* Without any recovery: by reading alone. */
static const char *crash_verify(void *context)
{
    const struct watch *watch = context;
    struct untorn_content contents[MEMBERS];
    const char *paths[MEMBERS];
    struct untorn_error error;
    bool old = true, new = true;
    for (int i = 0; i < MEMBERS; i++)
        paths[i] = members[i].path;
    if (untorn_read_set(paths, MEMBERS, NULL, contents, &error) != 0)
        return untorn_status_name(error.status);
    for (int i = 0; i < MEMBERS; i++) {
        old &= is(&contents[i], members[i].old);
        new &= is(&contents[i], new_of(watch, i));
        untorn_content_free(&contents[i]);
    }
    if (!old && !new)
        return "a reader sees a mixture";
    return sim_acked(0) && !new ? "a reader sees an acknowledged commit undone" : NULL;
}

TEST(readers_see_all_old_or_all_new_after_every_crash_before_anybody_recovers)
{
    for (int large = 0; large < 2; large++) {
        struct watch watch = {.large = large};
        struct sim_scenario scenario = {
            .name = large ? "set, one large" : "set",
            .setup = crash_setup,
            .workload = crash_workload,
            .verify = crash_verify,
            .context = &watch,
            .profiles = SIM_ALL_GATES,
            .limit = 300,
        };
        struct sim_report report;
        sim_explore(&scenario, &report);
        sim_print(&scenario, &report);
        CHECK_INT(report.bad, 0);
        CHECK(report.distinct > 50);
    }
}

/* What a program sees that knows nothing of untorn. */
static const char *raw_verify(void *context)
{
    const struct watch *watch = context;
    bool old = true, new = true;
    for (int i = 0; i < MEMBERS; i++) {
        const char *now = sim_get(members[i].path), *will = new_of(watch, i);
        old &= is_text(now, members[i].old);
        new &= is_text(now, will);
    }
    return old || new ? NULL : "a mixture";
}

/* The control: the crashes do leave mixtures on the disk. */
TEST(what_lies_on_the_disk_before_recovery_can_be_a_mixture)
{
    struct watch watch = {0};
    struct sim_scenario scenario = {
        .name = "set, read raw",
        .setup = crash_setup,
        .workload = crash_workload,
        .verify = raw_verify,
        .context = &watch,
        .profiles = SIM_KILL,
        .quiet = true,
    };
    struct sim_report report;
    sim_explore(&scenario, &report);
    CHECK(report.bad > 0);
}
