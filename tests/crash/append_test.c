/* untorn_append: old records stay [APPEND-1], new ones are whole, torn ones never become part of
 * another line [APPEND-2], a failed one leaves nothing [APPEND-3]. */
#include "oracle.h"

#include "os/os.h"

static char first[1200], second[1200], third[1200]; /* records that span units of the disk */
static char both[2400];

static void fill(char *text, const char *word)
{
    int n = sprintf(text, "{\"word\":\"%s\",\"fill\":\"", word);
    for (int i = 0; i < 700; i++)
        text[n++] = (char)('a' + (i / 7) % 26);
    strcpy(text + n, "\"}\n");
}

__attribute__((constructor)) static void make_records(void)
{
    fill(first, "first");
    fill(second, "second");
    fill(third, "third");
}

static int append_new(const struct trial *trial)
{
    const char *added = trial->new + strlen(trial->old ? trial->old : "");
    return untorn_append(trial->path, added, strlen(added), UNTORN_RECORDS_BY_NAME, &trial->options,
                         NULL);
}

static struct trial append_to(const char *path, const char *old, const char *added)
{
    snprintf(both, sizeof both, "%s%s", old ? old : "", added);
    return (struct trial){.path = path,
                          .old = old,
                          .new = both,
                          .act = append_new,
                          .prepare = with_state_folder,
                          .keeps_tail = true};
}

/* What is there begins with the old records; only behind them may something be unfinished, and
 * only while nothing was said. */
static const char *judge_log(const struct trial *trial, const char *text, size_t size)
{
    size_t old_size = trial->old ? strlen(trial->old) : 0;
    bool power_loss = sim_profile() != SIM_PROFILE_KILL;
    bool whole = text && size == strlen(trial->new) && memcmp(text, trial->new, size) == 0;
    if (sim_acked(DONE) && !whole && (trial->options.level == UNTORN_DURABLE || !power_loss))
        return "the call said it was done, but the record is not whole";
    if (!text)
        return trial->old ? "the file is gone" : NULL;
    if (sim_acked(FAILED) && !trial->old)
        return "the call said it failed, but there is a file now";
    if (size < old_size || memcmp(text, trial->old ? trial->old : "", old_size) != 0)
        return "old records are damaged";
    if (sim_acked(FAILED) && size > old_size)
        return "the call said it failed, but something was added";
    return NULL;
}

/* After the next append: every line is a record, or in a text file some line of its own. */
static const char *judge_lines(const struct trial *trial, bool json)
{
    size_t size, old_size = trial->old ? strlen(trial->old) : 0, last = strlen(third);
    const char *text = sim_get_bytes(trial->path, &size), *added = trial->new + old_size;
    if (!text || size < old_size + last || memcmp(text + size - last, third, last) != 0)
        return "the next record is not at the end";
    size_t between = size - last - old_size;
    if (memcmp(text, trial->new, old_size) != 0)
        return "old records are damaged by the next append";
    if (between > 0 && text[old_size + between - 1] != '\n')
        return "two records are fused";
    if (json && between > 0 &&
        (between != strlen(added) || memcmp(text + old_size, added, between) != 0))
        return "a line is not a record";
    return NULL;
}

static const char *verify_log(void *context)
{
    const struct trial *trial = context;
    static char verdict[UNTORN_TEXT_SIZE + 100];
    char words[UNTORN_TEXT_SIZE];
    struct untorn_error error;
    size_t size;
    const char *text = sim_get_bytes(trial->path, &size);
    const char *problem = judge_log(trial, text, size);
    if (problem)
        return problem;
    int rc = untorn_append(trial->path, third, strlen(third), UNTORN_RECORDS_BY_NAME, NULL, &error);
    if (rc != 0) {
        snprintf(verdict, sizeof verdict, "the next append fails: %s",
                 untorn_describe(&error, words, sizeof words));
        return verdict;
    }
    problem = judge_lines(trial, strstr(trial->path, ".jsonl") != NULL);
    return problem ? problem
                   : judge_tree(trial, "/d/log.jsonl\n/d/log.txt\n/d/.untorn/\n/d/sub/\n");
}

static struct sim_report explore_log(struct trial trial, const char *name, bool faults)
{
    struct sim_scenario scenario = scenario_of(&trial, name);
    struct sim_report report;
    scenario.verify = verify_log;
    memset(outcomes, 0, sizeof outcomes);
    if (faults) {
        scenario.limit = is_long() ? 50000 : 500;
        sim_for_each_fault(&scenario, sim_usual_faults, sim_usual_fault_count, &report);
    } else {
        sim_explore(&scenario, &report);
    }
    sim_print(&scenario, &report);
    if (faults)
        printf("      outcomes: %ld done, %ld failed, %ld not settled\n", outcomes[DONE],
               outcomes[FAILED], outcomes[UNSETTLED]);
    return report;
}

TEST(an_appended_json_record_is_whole_or_cut_by_the_next_append)
{
    struct trial trial = append_to("/d/log.jsonl", first, second);
    CHECK_INT(explore_log(trial, "append JSON", false).bad, 0);
    trial.recovers = true;
    CHECK_INT(explore_log(trial, "append JSON, crash in recovery", false).bad, 0);
    trial.recovers = false;
    trial.profiles = SIM_ALICE;
    trial.quiet = true;
    (void)explore_log(trial, "append JSON, alice (report only)", false);
}

TEST(a_short_json_record_is_whole_or_cut_by_the_next_append)
{
    struct trial trial = append_to("/d/log.jsonl", "{\"n\":1}\n", "{\"n\":2}\n");
    CHECK_INT(explore_log(trial, "append short JSON", false).bad, 0);
}

TEST(the_first_record_of_a_log_is_whole_or_cut_by_the_next_append)
{
    struct trial trial = append_to("/d/log.jsonl", NULL, first);
    CHECK_INT(explore_log(trial, "first record", false).bad, 0);
    trial.prepare = NULL;
    CHECK_INT(explore_log(trial, "first record, no .untorn yet", false).bad, 0);
}

TEST(an_appended_line_of_text_is_whole_or_ended_by_the_next_append)
{
    struct trial trial = append_to("/d/log.txt", first, second);
    CHECK_INT(explore_log(trial, "append text", false).bad, 0);
}

/* ---- a log whose name is not yet durable ---- */

/* Another program made it and flushed nothing; or an append of ours was killed just then. */
static int append_to_a_fresh_log(const struct trial *trial)
{
    os_fd dir, file;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    CHECK_INT(os_open(dir, "log.jsonl", OS_WRITE | OS_CREATE, 0644, &file), 0);
    CHECK_INT(os_close(file), 0);
    CHECK_INT(os_close(dir), 0);
    return append_new(trial);
}

static const char *verify_if_done(void *context)
{
    const struct trial *trial = context;
    return sim_acked(DONE) && !is_text(sim_get(trial->path), trial->new)
               ? "the call said it was done, but the record is lost"
               : NULL;
}

TEST(a_record_in_a_log_that_was_just_made_by_another_survives)
{
    struct trial trial = append_to("/d/log.jsonl", NULL, "{\"n\":1}\n");
    struct sim_report report;
    trial.act = append_to_a_fresh_log;
    struct sim_scenario scenario = scenario_of(&trial, "append to a fresh log");
    scenario.verify = verify_if_done;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    CHECK_INT(report.bad, 0);
}

/* ---- repairing the end ---- */

static char torn[1000];
static const char *behind; /* what is then added */

static void with_torn_record(const struct trial *trial)
{
    snprintf(both, sizeof both, "%s%s", trial->old, torn);
    with_state_folder(trial);
    sim_put(trial->path, both);
}

static int append_behind(const struct trial *trial)
{
    struct untorn_error error;
    int rc = untorn_append(trial->path, behind, strlen(behind), UNTORN_RECORDS_BY_NAME,
                           &trial->options, &error);
    CHECK(rc != 0 || (error.flags & UNTORN_FLAG_TAIL_KEPT));
    return rc;
}

/* Whether the torn bytes are in a file of their own under kept/. */
static bool is_kept(void)
{
    char path[300];
    for (const char *tree = sim_tree("/d"); *tree; tree += strcspn(tree, "\n") + 1) {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(tree, "\n"), tree);
        size_t size;
        const char *text = strstr(path, "/kept/tail-") ? sim_get_bytes(path, &size) : NULL;
        if (text && size == strlen(torn) && memcmp(text, torn, size) == 0)
            return true;
    }
    return false;
}

static const char *verify_repair(void *context)
{
    const struct trial *trial = context;
    size_t size, old_size = strlen(trial->old);
    const char *text = sim_get_bytes(trial->path, &size);
    if (!text || size < old_size || memcmp(text, trial->old, old_size) != 0)
        return "old records are damaged";
    bool in_place =
        size >= old_size + strlen(torn) && memcmp(text + old_size, torn, strlen(torn)) == 0;
    if (!in_place && !is_kept())
        return "the torn record is lost";
    bool added =
        size == old_size + strlen(behind) && memcmp(text + old_size, behind, strlen(behind)) == 0;
    if (sim_acked(DONE) && !added)
        return "the call said it was done, but the record is not behind the old ones";
    if (untorn_append(trial->path, third, strlen(third), UNTORN_RECORDS_BY_NAME, NULL, NULL) != 0)
        return "the next append fails";
    text = sim_get_bytes(trial->path, &size);
    if (size != old_size + strlen(third) + (added ? strlen(behind) : 0) ||
        memcmp(text + size - strlen(third), third, strlen(third)) != 0)
        return "the next append does not leave whole records";
    return is_kept() ? NULL : "the next append lost the torn record";
}

static long repair(unsigned broken)
{
    struct trial trial = append_to("/d/log.jsonl", "{\"n\":1}\n", "");
    trial.prepare = with_torn_record;
    trial.act = append_behind;
    trial.broken = broken;
    trial.quiet = broken != 0;
    struct sim_scenario scenario = scenario_of(&trial, "torn record");
    struct sim_report report;
    scenario.verify = verify_repair;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report.bad;
}

TEST(a_torn_record_is_in_its_place_or_kept_aside_after_every_crash)
{
    snprintf(torn, sizeof torn, "%.*s", (int)strlen(first) / 2, first);
    behind = second;
    CHECK_INT(repair(0), 0);
    CHECK(repair(SIM_FLUSH_LIES) > 0);
    CHECK(repair(SIM_FLUSH_DIR_LIES) > 0);
}

/* What was cut is a record by itself from anywhere on; none of it may stand behind the next one. */
TEST(nothing_of_a_torn_record_comes_back_behind_a_shorter_one)
{
    snprintf(torn, sizeof torn, "[%0700d", 0);
    for (char *digit = torn + 1; *digit; digit++)
        *digit = '1';
    behind = "{\"n\":2}\n";
    CHECK_INT(repair(0), 0);
    CHECK(repair(SIM_FLUSH_LIES) > 0);
}

TEST(an_append_without_real_flush_is_noticed)
{
    struct trial trial = append_to("/d/log.jsonl", first, second);
    trial.quiet = true;
    trial.broken = SIM_FLUSH_LIES;
    CHECK(explore_log(trial, "append, lying flush", false).bad > 0);
    trial = append_to("/d/log.jsonl", NULL, first);
    trial.quiet = true;
    trial.broken = SIM_FLUSH_DIR_LIES;
    CHECK(explore_log(trial, "first record, lying directory flush", false).bad > 0);
}

TEST(a_fault_at_any_call_of_an_append_gives_an_honest_outcome)
{
    struct trial trial = append_to("/d/log.jsonl", "{\"n\":1}\n", "{\"n\":2}\n");
    trial.profiles = SIM_KILL | SIM_POSIX;
    CHECK_INT(explore_log(trial, "faults in append", true).bad, 0);
}

TEST(a_fault_at_any_call_of_a_first_append_gives_an_honest_outcome)
{
    struct trial trial = append_to("/d/log.txt", NULL, first);
    trial.profiles = SIM_KILL | SIM_POSIX;
    CHECK_INT(explore_log(trial, "faults in first append", true).bad, 0);
}
