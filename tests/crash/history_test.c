/* run: budget 30
 *
 * Earlier versions, crashed everywhere: what [PAST-1] to [PAST-3] and [VERSIONS-1] to [VERSIONS-3]
 * promise. The file is old or new; with the old content it has the versions it had, with the new
 * one those it should have; and the next writer leaves exactly what is meant to stay. */
#include "oracle.h"

#include <errno.h>

#include "file/past.h"
#include "file/replace.h"

enum { LOST = 3 }; /* acknowledged beside the outcome: the call said that nothing was kept */

struct history {
    const char *name;
    const char *setup; /* each letter is a version, the last one the file */
    int (*act)(const struct history *history, struct untorn_error *error);
    struct untorn_options options;
    const struct sim_device *device; /* of the directory; NULL: an ordinary one */

    const char *before, *after;     /* the file: a letter, or empty if there is none */
    const char *kept_before, *kept; /* its versions, newest first */
    bool copied; /* the old version is kept, as a copy, while it still is the file */
    bool faulty; /* a call fails: what is lost by it is told only when the call returns */
    unsigned profiles, broken;
    bool quiet;
};

static const char *path = "/d/a";

static void setup(void *context)
{
    const struct history *history = context;
    struct untorn_options options = {.keep = 8};
    sim_make_dir("/d");
    if (history->device)
        sim_mount("/d", history->device);
    for (const char *text = history->setup; *text; text++)
        CHECK_INT(untorn_write(path, text, 1, &options, NULL), 0);
}

static void act(void *context)
{
    const struct history *history = context;
    struct untorn_error error;
    acknowledge(history->act(history, &error));
    if (error.flags & UNTORN_FLAG_HISTORY_LOST)
        sim_ack(LOST);
}

/* The versions as a user gets them, a letter each; NULL if one is damaged or cannot be read. */
static const char *read_versions(void)
{
    static char texts[64];
    size_t count = 0;
    for (unsigned number = 1; number < sizeof texts; number++) {
        struct untorn_content content;
        int rc = untorn_version_read(path, number, NULL, &content, NULL);
        if (rc == 0)
            texts[count++] = content.data[0];
        untorn_content_free(&content);
        if (rc == -UNTORN_NO_VERSION || rc == -UNTORN_MISSING)
            break;
        if (rc != 0)
            return NULL;
    }
    texts[count] = '\0';
    return texts;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* A version that the file has become again goes first [PAST-8], but may still be there. */
static const char *without(const char *versions, const char *text, const char *wanted)
{
    static char others[16];
    char *end = others;
    for (const char *at = versions; *at; at++)
        if (*at != *text || strchr(wanted, *at))
            *end++ = *at;
    *end = '\0';
    return others;
}

/* What is there right after the crash. */
static const char *judge_versions(const struct history *history, const char *text)
{
    static char verdict[200];
    const char *versions = read_versions();
    bool new = strcmp(text, history->after) == 0;
    const char *wanted = new ? history->kept : history->kept_before;
    if (!versions)
        return "a version is damaged";
    if (sim_acked(LOST) || (history->faulty && !sim_acked(DONE) && !sim_acked(FAILED)))
        return NULL;
    while (!new && history->copied &&*text && begins_with(versions, text))
        versions++;
    if (new)
        versions = without(versions, text, wanted);
    if (!begins_with(versions, wanted)) {
        snprintf(verdict, sizeof verdict,
                 "the file is \"%s\" and its versions are \"%s\", not \"%s\"", text, versions,
                 wanted);
        return verdict;
    }
    /* What is to go may still be there, but nothing that never was a version. */
    for (const char *more = versions + strlen(wanted); *more; more++)
        if (!new || !strchr(history->kept_before, *more))
            return "there is a version that never was";
    return NULL;
}

/* The next writer keeps two, and nothing else of ours is left. But where the hint that stages may
 * lie about could not be written, and then its writer was killed, one stays (file/owner.h). */
static const char *judge_next_writer(const char *text, bool faulty)
{
    bool may_miss_stages = faulty && !sim_alive() && sim_profile() == SIM_PROFILE_KILL;
    struct untorn_options options = {.keep = 2};
    struct untorn_error error;
    char expected[3] = "";
    const char *had = read_versions();
    while (*text && *had == *text)
        had++; /* the same content is kept once */
    snprintf(expected, sizeof expected, "%.1s%.1s", text, had);
    if (untorn_write(path, "z", 1, &options, &error) != 0)
        return "the next call fails";
    if (*text && strcmp(read_versions(), expected) != 0)
        return "the next writer did not keep what it should";
    int count = 0;
    for (const char *tree = sim_tree("/d"); *tree; tree += strcspn(tree, "\n") + 1) {
        char line[300];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(tree, "\n"), tree);
        count += strstr(line, "/history/a/") && line[strlen(line) - 1] != '/';
        if (strstr(line, "/stage/a.") && !may_miss_stages)
            return "a stage is left over";
    }
    return *text && count != (int)strlen(expected) ? "litter is left over" : NULL;
}

static const char *verify(void *context)
{
    const struct history *history = context;
    bool power_loss = sim_profile() != SIM_PROFILE_KILL;
    const char *text = sim_get(path) ? sim_get(path) : "";
    bool old = strcmp(text, history->before) == 0, new = strcmp(text, history->after) == 0;
    if (!old && !new)
        return "the content is neither old nor new";
    if (sim_acked(FAILED) && !old)
        return "the call said it failed, but the content is new";
    if (sim_acked(DONE) && !new && (history->options.level == UNTORN_DURABLE || !power_loss))
        return "the call said it was done, but the content is old";
    const char *verdict = judge_versions(history, text);
    return verdict ? verdict : judge_next_writer(text, history->faulty);
}

static struct sim_scenario scenario(struct history *history)
{
    return (struct sim_scenario){
        .name = history->name,
        .setup = setup,
        .workload = act,
        .verify = verify,
        .context = history,
        .profiles = history->profiles ? history->profiles : SIM_ALL_GATES,
        .options = {.unit = 512, .seed = 1, .reuse = SIM_REUSE_AFTER_RESTART},
        .broken = history->broken,
        .limit = history->quiet ? 5000 : 200000,
        .quiet = history->quiet,
    };
}

static long crash(struct history history)
{
    struct sim_scenario crashing = scenario(&history);
    struct sim_report report;
    sim_explore(&crashing, &report);
    sim_print(&crashing, &report);
    crashing.options.reuse = SIM_REUSE_AT_ONCE;
    if (report.bad == 0)
        sim_explore(&crashing, &report);
    return report.bad;
}

/* What the next call that looks at the file does. */
static void recover(void *context)
{
    struct untorn_check check = {.repair = true};
    size_t open = 0;
    (void)context;
    (void)untorn_check(path, &check, NULL, &open, NULL);
}

static struct sim_report crash_twice(struct history history)
{
    struct sim_scenario crashing = scenario(&history);
    struct sim_report report;
    crashing.recover = recover;
    sim_explore(&crashing, &report);
    sim_print(&crashing, &report);
    return report;
}

static long crash_with_faults(struct history history)
{
    struct sim_scenario failing = scenario(&history);
    struct sim_report report;
    history.faulty = true;
    failing.limit = is_long() ? 50000 : 300;
    sim_for_each_fault(&failing, sim_usual_faults, sim_usual_fault_count, &report);
    sim_print(&failing, &report);
    return report.bad;
}

/* ---- replacing ---- */

static int write_d(const struct history *history, struct untorn_error *error)
{
    return untorn_write(path, "d", 1, &history->options, error);
}

static struct history keep_two(void)
{
    return (struct history){.name = "keep 2",
                            .setup = "abc",
                            .act = write_d,
                            .options = {.keep = 2},
                            .before = "c",
                            .kept_before = "ba",
                            .after = "d",
                            .kept = "cb"};
}

static struct history keep_first(void)
{
    struct history history = keep_two();
    history.name = "first version";
    history.setup = history.before = "a";
    history.kept_before = "";
    history.kept = "a";
    return history;
}

/* [PAST-1] [PAST-2] [VERSIONS-1] */
TEST(a_replace_keeps_the_old_version_after_every_crash)
{
    CHECK_INT(crash(keep_two()), 0);
    struct history history = keep_two();
    history.name = "keep 1";
    history.options.keep = 0;
    history.kept = "c";
    CHECK_INT(crash(history), 0);
}

TEST(it_does_so_after_a_crash_in_the_recovery_too)
{
    struct history history = keep_two();
    CHECK_INT(crash_twice(history).bad, 0);
    history = keep_first();
    CHECK_INT(crash_twice(history).bad, 0);
    history.name = "a flush that does nothing";
    history.broken = SIM_FLUSH_LIES;
    history.quiet = true;
    CHECK(crash_twice(history).bad > 0);
    history = keep_two();
    history.name = "keep 2, alice (report only)";
    history.profiles = SIM_ALICE;
    history.quiet = true;
    (void)crash_twice(history);
}

/* [VERSIONS-3] */
TEST(the_first_version_of_a_file_is_kept_after_every_crash)
{
    CHECK_INT(crash(keep_first()), 0);
    struct history history = keep_first();
    history.broken = SIM_FLUSH_DIR_LIES;
    history.quiet = true;
    CHECK(crash(history) > 0);
}

/* [PAST-3] */
TEST(a_content_that_comes_back_is_kept_once_after_every_crash)
{
    struct history history = keep_two();
    history.name = "comes back";
    history.setup = "dbac";
    history.options.keep = 8;
    history.kept_before = "abd";
    history.kept = "cabd";
    CHECK_INT(crash(history), 0);
    history.setup = "cbac"; /* what goes out is in history already */
    history.kept_before = "abc";
    history.kept = "cab";
    CHECK_INT(crash(history), 0);
}

/* Without a flush nothing is ordered but by a file system that orders names. */
TEST(the_other_levels_keep_versions_through_a_kill)
{
    struct history history = keep_two();
    history.name = "ordered";
    history.options.level = UNTORN_ORDERED;
    history.profiles = SIM_KILL | SIM_EXT4 | SIM_XFS;
    CHECK_INT(crash(history), 0);
    history.name = "cache";
    history.options.level = UNTORN_CACHE;
    history.profiles = SIM_KILL;
    CHECK_INT(crash(history), 0);
}

/* [PAST-1] What a swap in two steps, or a flush that does nothing, breaks is noticed. */
TEST(a_swap_that_is_not_atomic_is_noticed)
{
    struct history history = keep_two();
    history.quiet = true;
    history.broken = SIM_RENAME_SPLIT;
    CHECK(crash(history) > 0);
    history.profiles = SIM_KILL;
    CHECK(crash(history) > 0);
}

TEST(a_flush_that_does_nothing_is_noticed)
{
    struct history history = keep_two();
    history.quiet = true;
    history.broken = SIM_FLUSH_LIES;
    CHECK(crash(history) > 0);
    history.broken = SIM_FLUSH_DIR_LIES;
    CHECK(crash(history) > 0);
}

TEST(a_fault_at_any_call_keeps_the_version_or_says_that_it_did_not)
{
    CHECK_INT(crash_with_faults(keep_two()), 0);
    CHECK_INT(crash_with_faults(keep_first()), 0);
}

/* ---- file systems that lack something ---- */

static const struct sim_device no_exchange = {.no_exchange = true};
static const struct sim_device no_links = {.no_exchange = true, .no_hard_link = true};

/* [VERSIONS-2] The old version has two names for a moment. */
TEST(without_exchange_the_old_version_is_kept_after_every_crash)
{
    struct history history = keep_two();
    history.name = "no exchange";
    history.device = &no_exchange;
    CHECK_INT(crash(history), 0);
    CHECK_INT(crash_with_faults(history), 0);
    history.broken = SIM_FLUSH_DIR_LIES;
    history.quiet = true;
    CHECK(crash(history) > 0);
}

TEST(without_hard_links_the_old_version_is_copied_after_every_crash)
{
    struct history history = keep_two();
    history.name = "neither exchange nor hard links";
    history.device = &no_links;
    history.copied = true;
    CHECK_INT(crash(history), 0);
    CHECK_INT(crash_with_faults(history), 0);
    history.broken = SIM_FLUSH_LIES;
    history.quiet = true;
    CHECK(crash(history) > 0);
}

static void check_copied(const struct sim_device *device, unsigned expected)
{
    struct history history = keep_first();
    struct untorn_error error;
    history.device = device;
    sim_start(NULL);
    setup(&history);
    CHECK_INT(write_d(&history, &error), 0);
    CHECK_INT(error.flags, expected);
    CHECK_TEXT(read_versions(), "a");
}

TEST(only_a_copy_is_told)
{
    check_copied(NULL, 0);
    check_copied(&no_exchange, 0);
    check_copied(&no_links, UNTORN_FLAG_HISTORY_COPIED);
}

/* ---- in place ---- */

TEST(an_overwrite_in_place_keeps_a_copy_of_the_old_version)
{
    struct history history = keep_two();
    struct untorn_error error;
    history.options.keep_inode = true;
    sim_start(NULL);
    setup(&history);
    CHECK_INT(write_d(&history, &error), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_IN_PLACE);
    CHECK_TEXT(read_versions(), "cb");
}

static const char *verify_in_place(void *context)
{
    const struct history *history = context;
    struct untorn_content content;
    char text[2] = "";
    if (untorn_read(path, NULL, &content, NULL) != 0)
        return "it cannot be read";
    if (content.size == 1)
        text[0] = *(const char *)content.data;
    untorn_content_free(&content);
    if (strcmp(text, history->before) != 0 && strcmp(text, history->after) != 0)
        return "the content is neither old nor new";
    const char *versions = read_versions();
    if (!versions)
        return "a version is damaged";
    /* The copy comes before: for a moment the old version is kept, and still the file. */
    if (strcmp(text, history->before) == 0)
        return begins_with(versions, "ba") || begins_with(versions, "cba") ? NULL : "lost";
    return begins_with(versions, history->kept) ? NULL : "the old version was not kept";
}

TEST(an_overwrite_in_place_keeps_the_old_version_after_every_crash)
{
    struct history history = keep_two();
    history.name = "in place";
    history.options.keep_inode = true;
    struct sim_scenario crashing = scenario(&history);
    struct sim_report report;
    crashing.verify = verify_in_place;
    sim_explore(&crashing, &report);
    sim_print(&crashing, &report);
    CHECK_INT(report.bad, 0);
}

/* ---- undo and restore ---- */

static int undo(const struct history *history, struct untorn_error *error)
{
    return untorn_undo(path, NULL, NULL, &history->options, error);
}

static int restore_two(const struct history *history, struct untorn_error *error)
{
    return untorn_restore(path, 2, &history->options, error);
}

static struct history undone(void)
{
    struct history history = keep_two();
    history.name = "undo";
    history.act = undo;
    history.options.keep = 0;
    history.after = "b";
    history.kept = "ca";
    return history;
}

TEST(an_undo_has_the_old_or_the_previous_version_after_every_crash)
{
    CHECK_INT(crash(undone()), 0);
    CHECK_INT(crash_with_faults(undone()), 0);
}

TEST(a_restore_has_the_old_or_the_earlier_version_after_every_crash)
{
    struct history history = undone();
    history.name = "restore";
    history.act = restore_two;
    history.after = "a";
    history.kept = "cb";
    CHECK_INT(crash(history), 0);
}

/* ---- removing ---- */

static int remove_it(const struct history *history, struct untorn_error *error)
{
    struct target target;
    error_begin(error, NULL, path);
    int rc = target_open(&target, path, &history->options, error);
    if (rc != 0)
        return rc;
    do {
        rc = target_lock(&target, OS_LOCK_EXCLUSIVE, error);
        if (rc == 0)
            rc = past_keep_removed(&target, error);
        if (rc == 0) {
            rc = replace_flush_name(&target, error);
            if (rc == 0)
                past_prune(&target, error);
        }
    } while (rc == AGAIN && (rc = target_reopen(&target, error)) == 0);
    target_close(&target);
    return rc;
}

static struct history removed(void)
{
    struct history history = keep_two();
    history.name = "remove";
    history.act = remove_it;
    history.after = "";
    return history;
}

TEST(a_removed_file_is_there_or_kept_after_every_crash)
{
    CHECK_INT(crash(removed()), 0);
    CHECK_INT(crash_with_faults(removed()), 0);
    struct history history = removed();
    history.broken = SIM_FLUSH_DIR_LIES;
    history.quiet = true;
    CHECK(crash(history) > 0);
}

static void set_up_removed(void *context)
{
    struct untorn_error error;
    setup(context);
    CHECK_INT(remove_it(context, &error), 0);
}

TEST(a_removed_file_comes_back_whole_or_not_at_all)
{
    struct history history = removed();
    history.name = "bring back";
    history.act = undo;
    history.before = "";
    history.after = "c";
    history.kept_before = "cb";
    struct sim_scenario crashing = scenario(&history);
    struct sim_report report;
    crashing.setup = set_up_removed;
    sim_explore(&crashing, &report);
    sim_print(&crashing, &report);
    CHECK_INT(report.bad, 0);
}

/* ---- erasing ---- */

static const char *verify_erased(void *context)
{
    const char *versions = read_versions();
    (void)context;
    if (!versions)
        return "a version is damaged";
    return sim_acked(DONE) && *versions ? "what was erased came back" : NULL;
}

TEST(what_is_erased_does_not_come_back)
{
    struct history history = keep_two();
    history.name = "erase";
    history.options.keep = UNTORN_KEEP_NONE;
    struct sim_scenario crashing = scenario(&history);
    struct sim_report report;
    crashing.verify = verify_erased;
    sim_explore(&crashing, &report);
    sim_print(&crashing, &report);
    CHECK_INT(report.bad, 0);
    crashing.broken = SIM_FLUSH_DIR_LIES;
    crashing.quiet = true;
    sim_explore(&crashing, &report);
    CHECK(report.bad > 0);
}

/* ---- as part of a commit: [PAST-5] ---- */

static int write_in_set(const struct history *history, struct untorn_error *error)
{
    struct target target;
    error_begin(error, NULL, path);
    int rc = target_open(&target, path, &history->options, error);
    if (rc != 0)
        return rc;
    target.stages_under_lock = true;
    target.set = "0123456789abcdef0123456789abcdef";
    do {
        rc = target_lock(&target, OS_LOCK_EXCLUSIVE, error);
        if (rc == 0)
            rc = replace_content(&target, "d", 1, error);
    } while (rc == AGAIN && (rc = target_reopen(&target, error)) == 0);
    target_close(&target);
    return rc;
}

TEST(a_part_of_a_commit_keeps_the_old_version_after_every_crash)
{
    struct history history = keep_two();
    history.name = "part of a commit";
    history.act = write_in_set;
    CHECK_INT(crash(history), 0);
    CHECK_INT(crash_with_faults(history), 0);
}
