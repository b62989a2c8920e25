/* run: budget 60
 *
 * Overwriting in place through the journal: keep_inode, and files that are mount points. What
 * [INPLACE-1], [INPLACE-2] and [INPLACE-3] promise, under every profile; [INPLACE-4] is in
 * readers_test.c. */
#include "leave.h"
#include "oracle.h"

#include "os/os.h"

static int write_new(const struct trial *trial)
{
    struct untorn_error error;
    uint64_t inode = sim_inode(real_path(trial));
    int rc = untorn_write(trial->path, trial->new, strlen(trial->new), &trial->options, &error);
    CHECK(rc != 0 || (error.flags & UNTORN_FLAG_IN_PLACE));
    CHECK(sim_inode(real_path(trial)) == inode);
    return rc;
}

static void as_mount_root(const struct trial *trial)
{
    with_state_folder(trial);
    struct sim_attributes attributes = sim_attributes(real_path(trial));
    attributes.mount_root = true;
    sim_set_attributes(real_path(trial), &attributes);
}

static struct trial keep_inode(void)
{
    struct trial trial = {.path = "/d/a",
                          .old = content("old", 1),
                          .new = content("new", 2),
                          .act = write_new,
                          .prepare = with_state_folder,
                          .in_place = true};
    trial.options.keep_inode = true;
    return trial;
}

static struct trial mount_root(void)
{
    struct trial trial = keep_inode();
    trial.options.keep_inode = false;
    trial.prepare = as_mount_root;
    return trial;
}

TEST(a_file_overwritten_in_place_reads_old_or_new_after_every_crash)
{
    struct trial trial = keep_inode();
    CHECK_INT(explore(trial, "in place, growing").bad, 0);
    trial.profiles = SIM_ALICE;
    trial.quiet = true;
    (void)explore(trial, "in place, alice (report only)");
}

TEST(a_file_cut_in_place_reads_old_or_new_after_every_crash)
{
    struct trial trial = keep_inode();
    trial.old = content("old", 2);
    trial.new = content("new", 0);
    CHECK_INT(explore(trial, "in place, shrinking").bad, 0);
    trial.new = "";
    CHECK_INT(explore(trial, "in place, to nothing").bad, 0);
    trial.old = "";
    trial.new = content("new", 1);
    CHECK_INT(explore(trial, "in place, from nothing").bad, 0);
}

TEST(a_crash_while_an_overwrite_is_being_finished_is_finished_by_the_next)
{
    struct trial trial = keep_inode();
    trial.old = content("old", 0);
    trial.new = content("new", 1);
    trial.recovers = true;
    trial.faulty_recoveries = 64;
    CHECK_INT(explore(trial, "in place, crash in recovery").bad, 0);
}

static void with_used_journal(const struct trial *trial)
{
    struct untorn_options options = {.keep_inode = true};
    with_state_folder(trial);
    CHECK_INT(untorn_write(trial->path, "between\n", 8, &options, NULL), 0);
    CHECK_INT(untorn_write(trial->path, trial->old, strlen(trial->old), &options, NULL), 0);
}

TEST(an_overwrite_with_a_journal_that_served_before_reads_old_or_new_after_every_crash)
{
    struct trial trial = keep_inode();
    trial.prepare = with_used_journal;
    CHECK_INT(explore(trial, "in place, used journal").bad, 0);
    trial.unit = 4096;
    CHECK_INT(explore(trial, "in place, used journal, large units").bad, 0);
}

TEST(a_mount_point_is_overwritten_in_place_and_reads_old_or_new_after_every_crash)
{
    CHECK_INT(explore(mount_root(), "mount point").bad, 0);
}

/* Another program made the file and flushed neither it nor its name. */
static int overwrite_a_fresh_file(const struct trial *trial)
{
    os_fd dir, file;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    CHECK_INT(os_open(dir, "a", OS_WRITE | OS_CREATE, 0644, &file), 0);
    CHECK_INT(os_write_at(file, "careless\n", 9, 0), 9);
    CHECK_INT(os_close(file), 0);
    CHECK_INT(os_close(dir), 0);
    return untorn_write(trial->path, trial->new, strlen(trial->new), &trial->options, NULL);
}

static const char *verify_if_done(void *context)
{
    const struct trial *trial = context;
    return sim_acked(DONE) && !is_text(sim_get(trial->path), trial->new)
               ? "the call said it was done, but the new content is lost"
               : NULL;
}

TEST(an_overwritten_file_that_was_just_made_by_another_survives)
{
    struct trial trial = keep_inode();
    struct sim_report report;
    trial.old = NULL;
    trial.new = content("new", 0);
    trial.act = overwrite_a_fresh_file;
    struct sim_scenario scenario = scenario_of(&trial, "in place, a fresh file");
    scenario.verify = verify_if_done;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    CHECK_INT(report.bad, 0);
    scenario.broken = SIM_FLUSH_DIR_LIES;
    scenario.quiet = true;
    sim_explore(&scenario, &report);
    CHECK(report.bad > 0);
}

static void with_state_directory(const struct trial *trial)
{
    (void)trial;
    sim_make_dir("/state");
}

TEST(an_overwritten_file_with_its_state_elsewhere_survives)
{
    struct trial trial = keep_inode();
    struct sim_report report;
    trial.old = NULL;
    trial.new = content("new", 0);
    trial.act = overwrite_a_fresh_file;
    trial.prepare = with_state_directory;
    trial.options.state_dir = "/state";
    trial.profiles = SIM_POSIX;
    struct sim_scenario scenario = scenario_of(&trial, "in place, a fresh file, state elsewhere");
    scenario.verify = verify_if_done;
    scenario.limit = is_long() ? 1000000 : 400;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    CHECK_INT(report.bad, 0);
}

static void with_state_on_another_disk(const struct trial *trial)
{
    sim_make_dir("/state");
    sim_mount("/state", &(struct sim_device){0});
    CHECK_INT(untorn_write("/d/b", "b", 1, &trial->options, NULL), 0);
}

static int save_first(const struct trial *trial)
{
    return untorn_write(trial->path, trial->new, strlen(trial->new), &trial->options, NULL);
}

/* There is nothing to rename then: it is made empty, and written in place. */
static const char *verify_first(void *context)
{
    const struct trial *trial = context;
    struct untorn_content content;
    if (untorn_update(trial->path, leave, NULL, &trial->options, NULL) != 0)
        return "the next call fails";
    int rc = untorn_read(trial->path, &trial->options, &content, NULL);
    bool is_new = rc == 0 && is_text(content.data, trial->new);
    bool is_none = rc == -UNTORN_MISSING || (rc == 0 && content.size == 0);
    untorn_content_free(&content);
    if (sim_acked(DONE) && !is_new)
        return "what was done is lost";
    if (!is_new && !is_none)
        return "it is neither new nor empty nor missing";
    return has_entry("/kept/") ? "something is kept as a conflict of nobody" : NULL;
}

TEST(a_first_save_whose_state_is_on_another_disk_is_nothing_or_empty_or_whole)
{
    struct trial trial = keep_inode();
    struct sim_report report;
    trial.old = NULL;
    trial.new = content("new", 0);
    trial.options = (struct untorn_options){.state_dir = "/state"};
    trial.act = save_first;
    trial.prepare = with_state_on_another_disk;
    struct sim_scenario scenario = scenario_of(&trial, "in place, first save, state elsewhere");
    scenario.verify = verify_first;
    scenario.limit = is_long() ? 1000000 : 2000;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    CHECK_INT(report.bad, 0);
    trial.options.level = UNTORN_ORDERED;
    scenario.name = "in place, first save, state elsewhere, ordered";
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    CHECK_INT(report.bad, 0);
}

TEST(in_place_at_level_ordered_reads_old_or_new_after_every_crash)
{
    struct trial trial = keep_inode();
    trial.options.level = UNTORN_ORDERED;
    CHECK_INT(explore(trial, "in place, ordered").bad, 0);
}

TEST(in_place_at_level_cache_reads_old_or_new_after_a_kill)
{
    struct trial trial = keep_inode();
    trial.options.level = UNTORN_CACHE;
    trial.profiles = SIM_KILL;
    CHECK_INT(explore(trial, "in place, cache").bad, 0);
}

TEST(an_overwrite_without_real_flushes_is_noticed)
{
    struct trial trial = keep_inode();
    trial.quiet = true;
    trial.broken = SIM_FLUSH_LIES;
    CHECK(explore(trial, "in place, lying flush").bad > 0);
    trial.broken = SIM_FLUSH_DIR_LIES;
    CHECK(explore(trial, "in place, lying directory flush").bad > 0);
}

TEST(a_fault_at_any_call_of_an_overwrite_gives_an_honest_outcome)
{
    struct trial trial = keep_inode();
    trial.old = content("old", 0);
    trial.new = content("new", 1);
    trial.profiles = SIM_KILL | SIM_POSIX;
    CHECK_INT(explore_faults(trial, "faults in place").bad, 0);
    trial.old = content("old", 1);
    trial.new = content("new", 0);
    CHECK_INT(explore_faults(trial, "faults in place, shrinking").bad, 0);
}

TEST(a_fault_at_any_call_on_a_mount_point_gives_an_honest_outcome)
{
    struct trial trial = mount_root();
    trial.old = content("old", 0);
    trial.new = content("new", 0);
    trial.profiles = SIM_KILL | SIM_POSIX;
    CHECK_INT(explore_faults(trial, "faults on a mount point").bad, 0);
}
