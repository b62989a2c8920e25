/* Several saves in a row, by rename and in place in turn: after every crash the file is the last
 * acknowledged version or a later one, never an earlier one, never a mixture. */
#include "oracle.h"

enum { SAVES = 5 };

static const char *versions[SAVES + 1];

struct sequence {
    enum untorn_level level;
    unsigned in_place; /* a bit for each save that is to keep the inode */
};

static void make_versions(void)
{
    static const char *const words[SAVES + 1] = {"zero", "one", "two", "three", "four", "five"};
    for (int i = 0; i <= SAVES; i++)
        versions[i] = content(words[i], i % 2);
}

static void setup(void *context)
{
    (void)context;
    make_versions();
    sim_make_dir("/d");
    CHECK_INT(untorn_write("/d/a", versions[0], strlen(versions[0]), NULL, NULL), 0);
}

static void save_all(void *context)
{
    const struct sequence *sequence = context;
    for (int i = 1; i <= SAVES; i++) {
        struct untorn_options options = {.level = sequence->level,
                                         .keep_inode = sequence->in_place >> i & 1};
        if (untorn_write("/d/a", versions[i], strlen(versions[i]), &options, NULL) == 0)
            sim_ack(i);
    }
}

static const char *verify(void *context)
{
    const struct sequence *sequence = context;
    struct untorn_content read;
    bool power_loss = sim_profile() != SIM_PROFILE_KILL;
    int acked = 0, found = -1;
    for (int i = 1; i <= SAVES; i++)
        acked = sim_acked(i) ? i : acked;
    if (untorn_read("/d/a", NULL, &read, NULL) != 0)
        return "it cannot be read";
    for (int i = 0; i <= SAVES; i++)
        found = is_text(read.data, versions[i]) ? i : found;
    untorn_content_free(&read);
    if (found < 0)
        return "the content is none of the versions";
    if (found < acked && (sequence->level == UNTORN_DURABLE || !power_loss))
        return "an acknowledged version is lost";
    if (found > acked + 1)
        return "a version is there that was not yet written";
    return untorn_write("/d/a", "next\n", 5, NULL, NULL) == 0 ? NULL : "the next call fails";
}

static long run(const char *name, struct sequence sequence, enum sim_reuse reuse, unsigned broken)
{
    struct sim_scenario scenario = {
        .name = name,
        .setup = setup,
        .workload = save_all,
        .verify = verify,
        .context = &sequence,
        .profiles = sequence.level == UNTORN_CACHE ? (unsigned)SIM_KILL : (unsigned)SIM_ALL_GATES,
        .options = {.unit = 512, .seed = 1, .reuse = reuse},
        .limit = broken      ? 300
                 : is_long() ? 1000000
                             : 50000,
        .broken = broken,
        .quiet = broken != 0,
    };
    struct sim_report report;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report.bad;
}

TEST(saves_in_a_row_never_go_back_behind_an_acknowledged_one)
{
    CHECK_INT(run("by rename", (struct sequence){0}, SIM_REUSE_AFTER_RESTART, 0), 0);
    CHECK_INT(run("by rename, numbers reused", (struct sequence){0}, SIM_REUSE_AT_ONCE, 0), 0);
}

TEST(saves_by_rename_and_in_place_in_turn_never_go_back_behind_an_acknowledged_one)
{
    struct sequence turns = {.in_place = 1 << 2 | 1 << 4 | 1 << 5};
    CHECK_INT(run("in turn", turns, SIM_REUSE_AFTER_RESTART, 0), 0);
    CHECK_INT(run("in turn, numbers reused", turns, SIM_REUSE_AT_ONCE, 0), 0);
    turns.in_place = 1 << 1 | 1 << 3;
    CHECK_INT(run("in turn the other way", turns, SIM_REUSE_AT_ONCE, 0), 0);
}

TEST(saves_in_turn_at_the_lower_levels_leave_whole_versions)
{
    struct sequence turns = {.in_place = 1 << 2 | 1 << 4, .level = UNTORN_ORDERED};
    CHECK_INT(run("in turn, ordered", turns, SIM_REUSE_AFTER_RESTART, 0), 0);
    turns.level = UNTORN_CACHE;
    CHECK_INT(run("in turn, cache", turns, SIM_REUSE_AT_ONCE, 0), 0);
}

TEST(saves_in_a_row_without_real_flushes_are_noticed)
{
    struct sequence turns = {.in_place = 1 << 2};
    CHECK(run("in turn, lying flush", turns, SIM_REUSE_AFTER_RESTART, SIM_FLUSH_LIES) > 0);
    CHECK(run("in turn, lying directory flush", turns, SIM_REUSE_AFTER_RESTART,
              SIM_FLUSH_DIR_LIES) > 0);
}
