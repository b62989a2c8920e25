/* run: budget 30
 *
 * untorn_write, untorn_update and the streaming writer on the rename path, crashed everywhere:
 * what [REPLACE-1] to [REPLACE-6] promise, under every profile. The alice profile, where not even
 * rename is atomic, is a report. */
#include "oracle.h"

#include <errno.h>

#include "os/os.h"

static int write_new(const struct trial *trial)
{
    return untorn_write(trial->path, trial->new, strlen(trial->new), &trial->options, NULL);
}

static int set_new(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    const struct trial *trial = context;
    (void)old;
    return untorn_change_set(change, trial->new, strlen(trial->new));
}

static int update_to_new(const struct trial *trial)
{
    return untorn_update(trial->path, set_new, (void *)(uintptr_t)trial, &trial->options, NULL);
}

static int stream_new(const struct trial *trial)
{
    struct untorn_writer *writer = NULL;
    size_t size = strlen(trial->new), at = 0;
    int rc = untorn_writer_begin(trial->path, &trial->options, &writer, NULL);
    while (rc == 0 && at < size) {
        size_t piece = size - at < 400 ? size - at : 400;
        rc = untorn_writer_write(writer, trial->new + at, piece, NULL);
        at += piece;
    }
    if (rc == 0)
        rc = untorn_writer_commit(writer, NULL);
    untorn_writer_free(writer);
    return rc;
}

static void through_link(const struct trial *trial)
{
    with_state_folder(trial);
    sim_symlink("/d/link", "sub/real");
}

static struct trial replace(void)
{
    return (struct trial){.path = "/d/a",
                          .old = content("old", 2),
                          .new = content("new", 3),
                          .act = write_new,
                          .prepare = with_state_folder};
}

static struct trial first_create(void)
{
    struct trial trial = replace();
    trial.old = NULL;
    return trial;
}

static struct trial linked(void)
{
    struct trial trial = replace();
    trial.path = "/d/link";
    trial.real = "/d/sub/real";
    trial.prepare = through_link;
    return trial;
}

TEST(a_replaced_file_is_old_or_new_after_every_crash)
{
    struct trial trial = replace();
    trial.recovers = true;
    trial.faulty_recoveries = 4;
    CHECK_INT(explore(trial, "replace").bad, 0);
    trial.reuse = true;
    CHECK_INT(explore(trial, "replace, inode numbers reused").bad, 0);
    trial.recovers = false;
    trial.unit = 4096;
    CHECK_INT(explore(trial, "replace, large units").bad, 0);
    trial.profiles = SIM_ALICE;
    trial.quiet = true;
    (void)explore(trial, "replace, alice (report only)");
}

/* [REPLACE-5] Through the descriptor, before the rename: there is no moment without it. */
TEST(the_new_version_has_the_old_ones_metadata_after_every_crash)
{
    struct trial trial = replace();
    trial.prepare = with_meta;
    trial.marked = true;
    CHECK_INT(explore(trial, "metadata").bad, 0);
    trial.broken = SIM_FLUSH_LIES; /* which makes metadata durable too */
    trial.quiet = true;
    CHECK(explore(trial, "metadata, lying flush").bad > 0);
}

TEST(a_first_save_is_nothing_or_whole_after_every_crash)
{
    CHECK_INT(explore(first_create(), "first create").bad, 0);
}

TEST(a_first_save_that_also_makes_our_folder_is_nothing_or_whole_after_every_crash)
{
    struct trial trial = first_create();
    trial.prepare = NULL;
    trial.new = content("new", 1);
    CHECK_INT(explore(trial, "first create, no .untorn yet").bad, 0);
    trial.old = content("old", 1);
    CHECK_INT(explore(trial, "replace, no .untorn yet").bad, 0);
}

TEST(a_save_that_makes_the_directories_above_is_nothing_or_whole_after_every_crash)
{
    struct trial trial = first_create();
    trial.path = "/d/x/y/a";
    trial.prepare = NULL;
    trial.new = content("new", 0);
    trial.options.parents = true;
    CHECK_INT(explore(trial, "with parents").bad, 0);
    trial.broken = SIM_FLUSH_DIR_LIES;
    trial.quiet = true;
    CHECK(explore(trial, "with parents, lying directory flush").bad > 0);
}

static void with_state_directory(const struct trial *trial)
{
    sim_make_dir("/state");
    CHECK_INT(untorn_write(trial->path, trial->old, strlen(trial->old), &trial->options, NULL), 0);
}

TEST(a_file_with_a_state_directory_elsewhere_is_old_or_new_after_every_crash)
{
    struct trial trial = replace();
    trial.prepare = with_state_directory;
    trial.options.state_dir = "/state";
    CHECK_INT(explore(trial, "state directory").bad, 0);
}

TEST(a_file_behind_a_link_is_old_or_new_and_the_link_stays)
{
    CHECK_INT(explore(linked(), "through a link").bad, 0);
}

TEST(an_exclusive_create_is_nothing_or_whole_after_every_crash)
{
    struct trial trial = first_create();
    trial.options.exclusive = true;
    CHECK_INT(explore(trial, "exclusive").bad, 0);
}

TEST(an_update_is_old_or_new_after_every_crash)
{
    struct trial trial = replace();
    trial.act = update_to_new;
    trial.recovers = true;
    CHECK_INT(explore(trial, "update").bad, 0);
}

TEST(a_streamed_version_is_old_or_new_after_every_crash)
{
    struct trial trial = replace();
    trial.act = stream_new;
    CHECK_INT(explore(trial, "stream").bad, 0);
}

TEST(at_level_ordered_a_power_loss_leaves_old_or_new_whole)
{
    struct trial trial = replace();
    trial.options.level = UNTORN_ORDERED;
    CHECK_INT(explore(trial, "ordered").bad, 0);
    trial = first_create();
    trial.options.level = UNTORN_ORDERED;
    CHECK_INT(explore(trial, "ordered, first create").bad, 0);
}

TEST(at_level_cache_a_kill_leaves_old_or_new_whole)
{
    struct trial trial = replace();
    trial.options.level = UNTORN_CACHE;
    trial.profiles = SIM_KILL;
    CHECK_INT(explore(trial, "cache").bad, 0);
    trial.profiles = SIM_POSIX; /* the oracle does see the difference */
    trial.quiet = true;
    CHECK(explore(trial, "cache, but the power goes").bad > 0);
}

/* [REPLACE-2] is what this breaks. */
TEST(a_flush_that_does_nothing_is_noticed)
{
    struct trial trial = replace();
    trial.quiet = true;
    trial.broken = SIM_FLUSH_LIES;
    CHECK(explore(trial, "lying flush").bad > 0);
    trial.options.level = UNTORN_ORDERED;
    CHECK(explore(trial, "lying flush, ordered").bad > 0);
}

/* [REPLACE-3] */
TEST(a_directory_flush_that_does_nothing_is_noticed)
{
    struct trial trial = replace();
    trial.quiet = true;
    trial.broken = SIM_FLUSH_DIR_LIES;
    CHECK(explore(trial, "lying directory flush").bad > 0);
    trial.options.level = UNTORN_ORDERED; /* which asks for none */
    CHECK_INT(explore(trial, "lying directory flush, ordered").bad, 0);
}

/* [REPLACE-1] */
TEST(a_rename_that_is_not_atomic_is_noticed)
{
    struct trial trial = replace();
    trial.quiet = true;
    trial.options.keep = UNTORN_KEEP_NONE; /* what keeping makes of it: history_test.c */
    trial.broken = SIM_RENAME_SPLIT;
    CHECK(explore(trial, "split rename").bad > 0);
    trial.profiles = SIM_KILL;
    CHECK(explore(trial, "split rename, kill").bad > 0);
}

/* ---- unchanged: [REPLACE-6] ---- */

/* Another program put the new content there, and flushed nothing. */
static void replace_carelessly(const struct trial *trial)
{
    os_fd dir, file;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    CHECK_INT(os_open(dir, "careless", OS_WRITE | OS_CREATE, 0644, &file), 0);
    CHECK_INT(os_write_at(file, trial->new, strlen(trial->new), 0), strlen(trial->new));
    CHECK_INT(os_close(file), 0);
    CHECK_INT(os_rename(dir, "careless", dir, "a", OS_REPLACE), 0);
    CHECK_INT(os_close(dir), 0);
}

static int write_if_changed(const struct trial *trial)
{
    struct untorn_error error;
    replace_carelessly(trial);
    int rc = untorn_write(trial->path, trial->new, strlen(trial->new), &trial->options, &error);
    CHECK(rc != 0 || (error.flags & UNTORN_FLAG_UNCHANGED));
    return rc;
}

static int update_without_change(const struct trial *trial)
{
    replace_carelessly(trial);
    return update_to_new(trial);
}

static const char *verify_if_done(void *context)
{
    const struct trial *trial = context;
    return sim_acked(DONE) && !is_text(sim_get(trial->path), trial->new)
               ? "unchanged was said, but what was there is lost"
               : NULL;
}

static long unchanged(int (*act)(const struct trial *), unsigned broken)
{
    struct trial trial = replace();
    trial.act = act;
    trial.options.if_changed = true;
    trial.broken = broken;
    trial.quiet = broken != 0;
    struct sim_scenario scenario = scenario_of(&trial, "unchanged");
    struct sim_report report;
    scenario.verify = verify_if_done;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report.bad;
}

TEST(unchanged_is_said_only_of_what_survives)
{
    CHECK_INT(unchanged(write_if_changed, 0), 0);
    CHECK_INT(unchanged(update_without_change, 0), 0);
    CHECK(unchanged(write_if_changed, SIM_FLUSH_LIES) > 0);
    CHECK(unchanged(write_if_changed, SIM_FLUSH_DIR_LIES) > 0);
    CHECK(unchanged(update_without_change, SIM_FLUSH_DIR_LIES) > 0);
}

/* ---- faults: [REPLACE-4], [STAGE-3] ---- */

TEST(a_fault_at_any_call_of_a_write_gives_an_honest_outcome)
{
    struct trial trial = replace();
    trial.new = content("new", 1);
    CHECK_INT(explore_faults(trial, "faults in write").bad, 0);
}

static int write_and_always_say_done(const struct trial *trial)
{
    (void)write_new(trial);
    return 0;
}

static int write_and_always_say_failed(const struct trial *trial)
{
    (void)write_new(trial);
    return -UNTORN_IO;
}

TEST(a_dishonest_outcome_is_noticed)
{
    struct trial trial = replace();
    trial.profiles = SIM_KILL | SIM_POSIX;
    trial.quiet = true;
    trial.act = write_and_always_say_done;
    CHECK(explore_faults(trial, "always done").bad > 0);
    trial.act = write_and_always_say_failed;
    CHECK(explore_faults(trial, "always failed").bad > 0);
}

/* A network file system that does the rename, loses the answer, and then is out of reach. */
TEST(a_rename_whose_outcome_cannot_be_learnt_is_not_called_failed)
{
    struct trial trial = replace();
    struct sim_fault lost = {.error = EIO,
                             .forever = true,
                             .effect = SIM_DONE_ANYWAY,
                             .verbs = SIM_ONLY(SIM_RENAME) | SIM_ONLY(SIM_STAT)};
    struct sim_scenario scenario = scenario_of(&trial, "lost contact");
    struct sim_report report;
    sim_for_each_fault(&scenario, &lost, 1, &report);
    sim_print(&scenario, &report);
    CHECK(report.faults > 0);
    CHECK_INT(report.bad, 0);
}

TEST(a_fault_at_any_call_of_a_first_save_gives_an_honest_outcome)
{
    struct trial trial = first_create();
    trial.prepare = NULL;
    trial.new = content("new", 0);
    trial.profiles = SIM_KILL | SIM_POSIX;
    CHECK_INT(explore_faults(trial, "faults in first create").bad, 0);
}

TEST(a_fault_at_any_call_through_a_link_gives_an_honest_outcome)
{
    struct trial trial = linked();
    trial.new = content("new", 0);
    trial.profiles = SIM_KILL | SIM_POSIX;
    CHECK_INT(explore_faults(trial, "faults through a link").bad, 0);
}

TEST(a_fault_at_any_call_of_an_update_gives_an_honest_outcome)
{
    struct trial trial = replace();
    trial.act = update_to_new;
    trial.new = content("new", 0);
    trial.profiles = SIM_KILL | SIM_POSIX;
    CHECK_INT(explore_faults(trial, "faults in update").bad, 0);
}

TEST(a_fault_at_any_call_of_a_stream_gives_an_honest_outcome)
{
    struct trial trial = replace();
    trial.act = stream_new;
    trial.new = content("new", 1);
    trial.profiles = SIM_KILL | SIM_POSIX;
    CHECK_INT(explore_faults(trial, "faults in a stream").bad, 0);
}

TEST(a_fault_at_level_ordered_gives_an_honest_outcome)
{
    struct trial trial = replace();
    trial.options.level = UNTORN_ORDERED;
    trial.new = content("new", 0);
    trial.profiles = SIM_KILL | SIM_POSIX;
    CHECK_INT(explore_faults(trial, "faults at level ordered").bad, 0);
}

/* ---- other writers: [STAGE-1], [SWEEP-1], [SWEEP-2] ---- */

TEST(the_stage_of_a_killed_writer_is_swept_and_that_of_a_living_one_is_not)
{
    static struct untorn_writer *writer;
    sim_start(NULL);
    sim_put("/d/a", "old\n");
    sim_process(1);
    CHECK_INT(untorn_writer_begin("/d/a", NULL, &writer, NULL), 0);
    CHECK_INT(untorn_writer_write(writer, "streamed\n", 9, NULL), 0);
    sim_process(0);
    CHECK_INT(untorn_write("/d/a", "other\n", 6, NULL, NULL), 0);
    CHECK(strstr(sim_tree("/d"), "/stage/a.") != NULL);
    sim_process_kill(1);
    CHECK_INT(untorn_write("/d/a", "third\n", 6, NULL, NULL), 0);
    CHECK(strstr(sim_tree("/d"), "/stage/a.") == NULL);
    CHECK_TEXT(sim_get("/d/a"), "third\n");
    CHECK_TEXT(sim_misuse(), NULL);
}

/* Three writers died: one had begun, one had written, one had all but renamed. */
static void with_dead_stages(const struct trial *trial)
{
    with_state_folder(trial);
    sim_put("/d/.untorn/stage/a.00000000000000a1", "");
    sim_put("/d/.untorn/stage/a.00000000000000a2", "begun");
    sim_put("/d/.untorn/stage/a.00000000000000a3", trial->new);
}

static void with_a_guest(const struct trial *trial)
{
    with_dead_stages(trial);
    sim_put("/d/.untorn/stage/readme", "not ours");
}

TEST(what_dead_writers_left_is_swept_whatever_crash_comes_in_between)
{
    struct trial trial = replace();
    trial.prepare = with_dead_stages;
    trial.recovers = true;
    trial.faulty_recoveries = 64;
    struct sim_report report = explore(trial, "sweep");
    CHECK_INT(report.bad, 0);
    CHECK(report.deeper > 0);
    trial.prepare = with_a_guest; /* the judge does see what is left */
    trial.quiet = true;
    CHECK(explore(trial, "sweep, something else lies there").bad > 0);
}

TEST(a_streaming_writer_commits_although_others_wrote_meanwhile)
{
    struct untorn_writer *writer = NULL;
    sim_start(NULL);
    sim_put("/d/a", "old\n");
    sim_process(1);
    CHECK_INT(untorn_writer_begin("/d/a", NULL, &writer, NULL), 0);
    CHECK_INT(untorn_writer_write(writer, "streamed\n", 9, NULL), 0);
    sim_process(0);
    CHECK_INT(untorn_write("/d/a", "other\n", 6, NULL, NULL), 0);
    sim_process(1);
    CHECK_INT(untorn_writer_commit(writer, NULL), 0);
    untorn_writer_free(writer);
    CHECK_TEXT(sim_get("/d/a"), "streamed\n");
    CHECK_INT(sim_open_handles(), 0);
    CHECK_TEXT(sim_misuse(), NULL);
}
