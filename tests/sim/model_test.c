/* The persistence model: what each profile lets a crash leave, in small experiments ("litmus
 * tests") that were also made with the real file systems. */
#include "litmus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- experiments ---- */

struct litmus {
    void (*work)(os_fd dir);
    char seen[512]; /* outcomes after the whole of it, sorted, each in brackets */
};

static void litmus_work(void *context)
{
    struct litmus *litmus = context;
    os_fd dir;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    litmus->work(dir);
    sim_ack(0);
    CHECK_INT(os_close(dir), 0);
}

/* `A:ooo B:n.` means: A holds three blocks of o, B one of n and one of zeros; `A:` is empty. */
static void describe(char *text)
{
    for (const char *name = "ABCDXYT"; *name; name++) {
        char path[8];
        size_t size;
        snprintf(path, sizeof path, "/d/%c", *name);
        const char *data = sim_get_bytes(path, &size);
        if (!data)
            continue;
        text += sprintf(text, "%s%c:", text[-1] == '[' ? "" : " ", *name);
        for (size_t at = 0; at < size; at += UNIT)
            *text++ = data[at] ? data[at] : '.';
        *text = '\0';
    }
}

static const char *litmus_note(void *context)
{
    struct litmus *litmus = context;
    char outcome[128] = "[";
    if (!sim_acked(0) || sim_alive())
        return NULL;
    describe(outcome + 1);
    strcat(outcome, "]");
    if (!strstr(litmus->seen, outcome))
        strcat(litmus->seen, outcome);
    return NULL;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *together;

static const char *seen(void (*work)(os_fd), unsigned profile)
{
    static char sorted[512];
    struct litmus litmus = {.work = work};
    struct sim_scenario scenario = {.name = "litmus",
                                    .setup = litmus_setup,
                                    .workload = litmus_work,
                                    .verify = litmus_note,
                                    .context = &litmus,
                                    .profiles = profile,
                                    .together = together,
                                    .options = {.unit = UNIT, .reuse = SIM_REUSE_AFTER_RESTART}};
    struct sim_report report;
    char *outcomes[32];
    size_t count = 0;
    sim_explore(&scenario, &report);
    for (char *word = strtok(litmus.seen, "[]"); word; word = strtok(NULL, "[]"))
        outcomes[count++] = word;
    qsort(outcomes, count, sizeof *outcomes, compare);
    sorted[0] = '\0';
    for (size_t i = 0; i < count; i++)
        strcat(strcat(sorted, i ? " | " : ""), outcomes[i]);
    return sorted;
}

static void overwrite(os_fd dir)
{
    put(dir, "A", OS_WRITE, 'n', 2, false);
    CHECK_INT(os_remove(dir, "C", false), 0);
    CHECK_INT(os_flush_dir(dir), 0);
}

static void replace(os_fd dir)
{
    put(dir, "T", OS_WRITE | OS_CREATE, 'n', 1, false);
    CHECK_INT(os_rename(dir, "T", dir, "A", OS_REPLACE), 0);
    CHECK_INT(os_flush_dir(dir), 0);
}

static void name_anew(os_fd dir)
{
    put(dir, "T", OS_WRITE | OS_CREATE, 'n', 1, false);
    CHECK_INT(os_rename(dir, "T", dir, "B", OS_NO_REPLACE), 0);
}

static void rewrite(os_fd dir, bool close)
{
    os_fd file;
    char text[UNIT + 1];
    block('n', 1, text);
    CHECK_INT(os_open(dir, "A", OS_WRITE, 0, &file), 0);
    CHECK_INT(os_resize(file, 0), 0);
    CHECK_INT(os_write_at(file, text, UNIT, 0), UNIT);
    if (close)
        CHECK_INT(os_close(file), 0);
}

static void rewrite_closed(os_fd dir)
{
    rewrite(dir, true);
}

static void rewrite_open(os_fd dir)
{
    rewrite(dir, false);
}

static void create_two_flush_one(os_fd dir)
{
    put(dir, "X", OS_WRITE | OS_CREATE, 'n', 1, false);
    put(dir, "Y", OS_WRITE | OS_CREATE, 'n', 1, true);
}

static void rename_then_flush_other(os_fd dir)
{
    CHECK_INT(os_rename(dir, "A", dir, "B", OS_REPLACE), 0);
    put(dir, "Y", OS_WRITE | OS_CREATE, 'n', 1, true);
}

static void remove_then_flush_other(os_fd dir)
{
    CHECK_INT(os_remove(dir, "A", false), 0);
    put(dir, "Y", OS_WRITE | OS_CREATE, 'n', 1, true);
}

static void rename_then_flush_file(os_fd dir)
{
    os_fd file;
    put(dir, "T", OS_WRITE | OS_CREATE, 'n', 1, true);
    CHECK_INT(os_rename(dir, "T", dir, "A", OS_REPLACE), 0);
    CHECK_INT(os_open(dir, "A", OS_WRITE, 0, &file), 0);
    CHECK_INT(os_flush(file), 0);
    CHECK_INT(os_close(file), 0);
}

static void rename_then_flush_content(os_fd dir)
{
    os_fd file;
    CHECK_INT(os_rename(dir, "C", dir, "B", OS_REPLACE), 0);
    char text[4 * UNIT + 1];
    block('n', 1, text);
    CHECK_INT(os_open(dir, "A", OS_WRITE, 0, &file), 0);
    CHECK_INT(os_write_at(file, text, UNIT, 0), UNIT);
    CHECK_INT(os_flush_content(file), 0);
    CHECK_INT(os_close(file), 0);
}

static void exchange(os_fd dir)
{
    put(dir, "A", OS_WRITE, 'n', 3, true);
    CHECK_INT(os_rename(dir, "A", dir, "C", OS_EXCHANGE), 0);
}

TEST(overwritten_units_survive_in_any_mixture)
{
    CHECK_TEXT(seen(overwrite, SIM_POSIX), "A:nno | A:noo | A:ono | A:ooo");
    CHECK_TEXT(seen(overwrite, SIM_EXT4), "A:nno | A:noo | A:ono | A:ooo");
    CHECK_TEXT(seen(overwrite, SIM_KILL), "A:nno");
}

TEST(a_replace_without_flush_is_empty_on_xfs_and_hidden_by_ext4_and_btrfs)
{
    CHECK_TEXT(seen(replace, SIM_XFS), "A: C:ooo | A:n C:ooo");
    CHECK_TEXT(seen(replace, SIM_EXT4), "A:n C:ooo");
    CHECK_TEXT(seen(replace, SIM_BTRFS), "A:n C:ooo");
    CHECK_TEXT(seen(replace, SIM_POSIX), "A: C:ooo | A:. C:ooo | A:n C:ooo");
}

TEST(a_new_name_without_flush_may_be_empty_everywhere)
{
    const char *expected = "A:ooo B: C:ooo | A:ooo B:n C:ooo | A:ooo C:ooo | A:ooo C:ooo T: | "
                           "A:ooo C:ooo T:n";
    CHECK_TEXT(seen(name_anew, SIM_EXT4), expected);
    CHECK_TEXT(seen(name_anew, SIM_XFS), expected);
    CHECK_TEXT(seen(name_anew, SIM_BTRFS), expected);
}

TEST(a_rewrite_from_nothing_is_written_out_at_close_but_not_before)
{
    for (unsigned p = SIM_EXT4; p <= SIM_BTRFS; p <<= 1) {
        CHECK_TEXT(seen(rewrite_closed, p), "A:n C:ooo | A:ooo C:ooo");
        CHECK_TEXT(seen(rewrite_open, p), "A: C:ooo | A:n C:ooo | A:ooo C:ooo");
    }
}

TEST(a_flush_of_one_file_carries_other_names_along_on_ext4_and_xfs_but_not_on_btrfs)
{
    CHECK_TEXT(seen(create_two_flush_one, SIM_EXT4), "A:ooo C:ooo X: Y:n | A:ooo C:ooo X:n Y:n");
    CHECK_TEXT(seen(create_two_flush_one, SIM_BTRFS),
               "A:ooo C:ooo X: Y:n | A:ooo C:ooo X:n Y:n | A:ooo C:ooo Y:n");
    CHECK_TEXT(seen(rename_then_flush_other, SIM_XFS), "B:ooo C:ooo Y:n");
    CHECK_TEXT(seen(rename_then_flush_other, SIM_BTRFS), "A:ooo C:ooo Y:n | B:ooo C:ooo Y:n");
    CHECK_TEXT(seen(remove_then_flush_other, SIM_EXT4), "C:ooo Y:n");
    CHECK_TEXT(seen(remove_then_flush_other, SIM_BTRFS), "A:ooo C:ooo Y:n | C:ooo Y:n");
    CHECK_TEXT(seen(remove_then_flush_other, SIM_POSIX),
               "A:ooo C:ooo | A:ooo C:ooo Y:n | C:ooo | C:ooo Y:n");
}

TEST(a_flush_of_a_file_covers_its_rename_unless_the_profile_is_bare_posix)
{
    CHECK_TEXT(seen(rename_then_flush_file, SIM_EXT4), "A:n C:ooo");
    CHECK_TEXT(seen(rename_then_flush_file, SIM_BTRFS), "A:n C:ooo");
    CHECK_TEXT(seen(rename_then_flush_file, SIM_POSIX_DIRENT), "A:n C:ooo");
    CHECK_TEXT(seen(rename_then_flush_file, SIM_POSIX),
               "A:n C:ooo | A:ooo C:ooo | A:ooo C:ooo T:n");
}

TEST(a_flush_of_content_covers_no_name)
{
    CHECK_TEXT(seen(rename_then_flush_content, SIM_EXT4), "A:noo B:ooo | A:noo C:ooo");
    CHECK_TEXT(seen(rename_then_flush_content, SIM_POSIX), "A:noo B:ooo | A:noo C:ooo");
}

TEST(an_exchange_is_one_step_except_under_alice)
{
    CHECK_TEXT(seen(exchange, SIM_POSIX), "A:nnn C:ooo | A:ooo C:nnn");
    CHECK_TEXT(seen(exchange, SIM_ALICE), "A:nnn C:nnn | A:nnn C:ooo | A:ooo C:nnn | A:ooo C:ooo");
}

/* ---- the reduction leaves nothing out ---- */

static void busy_work(void *context)
{
    os_fd dir, sub, file;
    (void)context;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    CHECK_INT(os_make_dir(dir, "sub", 0755), 0);
    CHECK_INT(os_open_dir(dir, "sub", true, &sub), 0);
    put(sub, "T", OS_WRITE | OS_CREATE, 'n', 2, false);
    CHECK_INT(os_rename(sub, "T", dir, "A", OS_REPLACE), 0);
    CHECK_INT(os_open(dir, "C", OS_WRITE, 0, &file), 0);
    CHECK_INT(os_write_at(file, "xyz", 3, UNIT), 3);
    CHECK_INT(os_resize(file, 10), 0);
    CHECK_INT(os_write_at(file, "w", 1, 2 * UNIT), 1);
    CHECK_INT(os_flush_dir(sub), 0);
    CHECK_INT(os_link(dir, "C", sub, "C"), 0);
    CHECK_INT(os_remove(dir, "C", false), 0);
    CHECK_INT(os_close(file), 0);
    CHECK_INT(os_close(sub), 0);
    CHECK_INT(os_close(dir), 0);
}

static struct sim_report run_busy(unsigned profile, bool every_subset, int limit)
{
    struct sim_scenario scenario = {.name = every_subset ? "brute force" : "place by place",
                                    .setup = litmus_setup,
                                    .workload = busy_work,
                                    .verify = always_fine,
                                    .profiles = profile,
                                    .options = {.unit = UNIT, .reuse = SIM_REUSE_AFTER_RESTART},
                                    .every_subset = every_subset,
                                    .limit = limit};
    struct sim_report report;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report;
}

TEST(choosing_place_by_place_finds_the_same_disks_as_brute_force)
{
    struct sim_report brute = run_busy(SIM_POSIX, true, 0), clever = run_busy(SIM_POSIX, false, 0);
    CHECK_INT(clever.distinct, brute.distinct);
    CHECK(clever.states < brute.states / 4);
    CHECK(!clever.sampled);
}

TEST(beyond_the_limit_a_sample_is_drawn_and_said_so)
{
    struct sim_report all = run_busy(SIM_POSIX, false, 0), some = run_busy(SIM_POSIX, false, 100);
    CHECK(some.sampled);
    CHECK(some.distinct < all.distinct && some.distinct > 40);
}

/* ---- failed flushes ---- */

static void retry_flush(void *context)
{
    os_fd dir, file;
    (void)context;
    if (os_open_dir(OS_NONE, "/d", false, &dir) < 0)
        return;
    if (os_open(dir, "A", OS_WRITE, 0, &file) == 0) {
        bool written = os_write_at(file, "n", 1, 0) == 1;
        if (written && (os_flush(file) == 0 || os_flush(file) == 0))
            sim_ack(0);
        (void)os_close(file);
    }
    (void)os_close(dir);
}

static const char *acked_is_there(void *context)
{
    const char *text = sim_get("/d/A");
    (void)context;
    return sim_acked(0) && text[0] != 'n' ? "what was acknowledged is lost" : NULL;
}

TEST(a_second_flush_after_a_failed_one_returns_success_and_the_data_may_be_lost)
{
    struct sim_scenario scenario = {.name = "retried flush",
                                    .setup = litmus_setup,
                                    .workload = retry_flush,
                                    .verify = acked_is_there,
                                    .profiles = SIM_ALL_GATES,
                                    .quiet = true};
    struct sim_fault once = {.error = EIO, .verbs = SIM_ONLY(SIM_FLUSH)};
    struct sim_report report;
    sim_explore(&scenario, &report);
    CHECK_INT(report.bad, 0);
    sim_for_each_fault(&scenario, &once, 1, &report);
    CHECK_INT(report.faults, 1);
    CHECK(report.bad > 0);
    CHECK(strstr(report.story, "its flush had failed") != NULL);
    CHECK(strstr(report.story, "call 1 (of its kind) Input/output error") != NULL);
    once.effect = SIM_REVERTED;
    sim_for_each_fault(&scenario, &once, 1, &report);
    CHECK(report.bad > 0);
}

/* ---- choices of several files together ---- */

static void write_three(os_fd dir)
{
    put(dir, "A", OS_WRITE, 'n', 1, false);
    put(dir, "C", OS_WRITE, 'n', 1, false);
    put(dir, "A", OS_WRITE, 'm', 1, false);
}

TEST(what_is_chosen_together_survives_in_the_order_in_which_it_was_written)
{
    const char *all = "A:moo C:noo | A:moo C:ooo | A:noo C:noo | A:noo C:ooo | "
                      "A:ooo C:noo | A:ooo C:ooo";
    CHECK_TEXT(seen(write_three, SIM_POSIX), all);
    together = "/d/";
    CHECK_TEXT(seen(write_three, SIM_POSIX),
               "A:moo C:noo | A:noo C:noo | A:noo C:ooo | A:ooo C:ooo");
    CHECK_TEXT(seen(write_three, SIM_EXT4), all);
    together = "/d/A"; /* it is alone */
    CHECK_TEXT(seen(write_three, SIM_POSIX), all);
    together = "/elsewhere/";
    CHECK_TEXT(seen(write_three, SIM_POSIX), all);
}

/* ---- a unit whose first flush failed ---- */

static bool cuts;

static void fail_then_write(void *context)
{
    static const struct sim_fault fault = {.at = 1, .error = EIO, .verbs = SIM_ONLY(SIM_FLUSH)};
    char text[UNIT + 1];
    os_fd dir, file;
    (void)context;
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    CHECK_INT(os_open(dir, "X", OS_WRITE | OS_CREATE, 0644, &file), 0);
    CHECK_INT(os_flush_dir(dir), 0);
    sim_fail(&fault);
    block('1', 1, text);
    CHECK_INT(os_write_at(file, text, UNIT, 0), UNIT);
    CHECK_INT(os_flush(file), -EIO);
    if (cuts)
        CHECK_INT(os_resize(file, 0), 0);
    block('2', 1, text);
    CHECK_INT(os_write_at(file, text, UNIT, 0), UNIT);
    CHECK_INT(os_flush(file), 0);
    sim_ack(0);
    CHECK_INT(os_close(file), 0);
    CHECK_INT(os_close(dir), 0);
}

static const char *written_is_there(void *context)
{
    const char *text = sim_get("/d/X");
    (void)context;
    return sim_acked(0) && (!text || text[0] != '2') ? "it is lost" : NULL;
}

/* As it was seen on ext4: the block stays unwritten for the file system. */
TEST(what_is_written_over_a_unit_whose_flush_failed_counts_only_where_it_was_cut)
{
    struct sim_scenario scenario = {.name = "a spoilt unit",
                                    .setup = litmus_setup,
                                    .workload = fail_then_write,
                                    .verify = written_is_there,
                                    .profiles = SIM_POSIX,
                                    .quiet = true};
    struct sim_report report;
    sim_explore(&scenario, &report);
    CHECK(report.bad > 0);
    cuts = true;
    sim_explore(&scenario, &report);
    CHECK_INT(report.bad, 0);
    scenario.broken = SIM_SPOILT_STAYS;
    sim_explore(&scenario, &report);
    CHECK(report.bad > 0);
}

/* ---- kills ---- */

static enum sim_effect effect;

/* One whose calls fail, or are not made any more; then another writes the same file out. */
static void write_then_flush(void *context)
{
    struct sim_fault fault = {
        .at = 1, .error = EIO, .effect = effect, .verbs = SIM_ONLY(SIM_FLUSH), .process = 2};
    char text[UNIT + 1];
    os_fd dir, file;
    (void)context;
    block('2', 1, text);
    sim_process(1);
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    CHECK_INT(os_open(dir, "X", OS_WRITE | OS_CREATE, 0644, &file), 0);
    CHECK_INT(os_write_at(file, text, UNIT, 0), UNIT);
    CHECK_INT(os_flush_dir(dir), 0);
    sim_fail(&fault);
    CHECK_INT(os_flush(file), -EIO);
    sim_process_kill(1);
    sim_process(0);
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    CHECK_INT(os_open(dir, "X", OS_WRITE, 0, &file), 0);
    CHECK_INT(os_flush(file), 0);
    sim_ack(0);
    CHECK_INT(os_close(file), 0);
    CHECK_INT(os_close(dir), 0);
}

TEST(a_call_of_the_dead_spoils_nothing)
{
    struct sim_scenario scenario = {.name = "a dead flush",
                                    .setup = litmus_setup,
                                    .workload = write_then_flush,
                                    .verify = written_is_there,
                                    .profiles = SIM_POSIX,
                                    .quiet = true};
    struct sim_report report;
    effect = SIM_REFUSED;
    sim_explore(&scenario, &report);
    CHECK(report.bad > 0);
    effect = SIM_DEAD;
    sim_explore(&scenario, &report);
    CHECK_INT(report.bad, 0);
}
