/* run: plain, budget 45
 *
 * Several files that are committed and undone together while earlier versions are kept, through
 * every crash, and again through every crash inside the recovery. The files are all as before or
 * all as after; each has the versions that belong to that, whole; nothing is left over; the next
 * writer leaves as many versions as it should; and the next undo is whole again.
 * [PAST-1] [PAST-2] [PAST-3] [PAST-5] [VERSIONS-1] [TXN-3] [FINISH-3] [TOGETHER-1] [TOGETHER-2] */
#include "sets.h"

enum { LOST = 3, KEPT_MAX = 8 };

/* The steps: the commit, its undo, the undo of that. `done` of them are done before the crash. */
struct story {
    const char *name;
    struct set set;
    int done;
    int named;    /* which of the files an undo names */
    bool faulty;  /* a call fails: what is lost by it is told only when the call returns */
    bool litters; /* the next writer may find something to clear up in history */
    unsigned broken;

    /* For the controls: */
    int restores;   /* an undo restores so many of the files one by one, instead of all as one */
    bool forgetful; /* the next writer keeps more than it should */
    void (*spoil)(const struct story *story); /* done to the disk before it is judged */
};

/* ---- what is to be: one file and its versions, newest first ---- */

struct past {
    const char *now; /* NULL: there is none */
    const char *kept[KEPT_MAX];
    int count;
};

/* As [PAST-3], [PAST-8] and options.keep say. */
static void replaced(struct past *past, const char *text, int keep)
{
    struct past before = *past;
    past->count = 0;
    if (before.now && !is_text(before.now, text))
        past->kept[past->count++] = before.now;
    bool too_many = past->count + before.count > keep;
    for (int i = 0; i < before.count && past->count < keep; i++)
        if ((past->count == 0 || !is_text(before.kept[i], past->kept[0])) &&
            !(too_many && is_text(before.kept[i], text)))
            past->kept[past->count++] = before.kept[i];
    past->now = text;
}

static enum content_of content_after(int steps)
{
    return steps % 2 ? NEW : OLD;
}

/* An undo leaves as many versions as the file has that has most of them. */
static int keep_of_undo(const struct past *pasts)
{
    int most = 1;
    for (int i = 0; i < FILES_MAX; i++)
        most = pasts[i].count > most ? pasts[i].count : most;
    return most;
}

static void expect(const struct story *story, int steps, struct past pasts[FILES_MAX])
{
    memset(pasts, 0, FILES_MAX * sizeof *pasts);
    for (int i = 0; story->set.files[i].path; i++) {
        const struct file *file = &story->set.files[i];
        pasts[i].now = file->texts[OLD];
        if (story->set.has_slots)
            pasts[i].kept[pasts[i].count++] = file->texts[OLDER];
    }
    for (int step = 0; step < steps; step++) {
        int keep = step == 0 ? story->set.keep : keep_of_undo(pasts);
        for (int i = 0; story->set.files[i].path; i++)
            replaced(&pasts[i], story->set.files[i].texts[content_after(step + 1)], keep);
    }
}

/* ---- the work ---- */

static int undo(const struct story *story, struct untorn_error *error)
{
    int rc = 0;
    if (!story->restores)
        return untorn_undo(story->set.files[story->named].path, NULL, NULL, NULL, error);
    for (int i = 0; rc == 0 && i < story->restores; i++)
        rc = untorn_restore(story->set.files[i].path, 1, NULL, error);
    return rc;
}

static int make_step(const struct story *story, int step, struct untorn_error *error)
{
    return step == 0 ? commit(&story->set, NEW, story->set.keep, error) : undo(story, error);
}

static void setup(void *context)
{
    const struct story *story = context;
    struct untorn_error error;
    set_up(&story->set);
    for (int step = 0; step < story->done; step++)
        CHECK_INT(make_step(story, step, &error), 0);
    sim_settle();
}

static void work(void *context)
{
    const struct story *story = context;
    struct untorn_error error = {0};
    if (story->set.omit.at)
        sim_fail(&story->set.omit);
    acknowledge(make_step(story, story->done, &error));
    if (error.flags & UNTORN_FLAG_HISTORY_LOST)
        sim_ack(LOST);
    if (story->set.omit.at)
        sim_fail(NULL);
}

static void recover(void *context)
{
    const struct story *story = context;
    touch_all(&story->set);
}

/* ---- the oracles ---- */

static const char *judge_files(const struct story *story, int *ret_steps)
{
    bool before = all_are(&story->set, content_after(story->done));
    bool after = all_are(&story->set, content_after(story->done + 1));
    *ret_steps = story->done + after;
    if (!before && !after)
        return "some files are as before, some as after";
    if (sim_acked(FAILED) && !before)
        return "it failed, and yet the files changed";
    return sim_acked(DONE) && !after ? "what was acknowledged is lost" : NULL;
}

/* The versions as a user gets them, in the form of `struct past`; false if one is damaged. */
static bool read_past(const char *path, struct past *ret_past)
{
    static char texts[KEPT_MAX][64];
    memset(ret_past, 0, sizeof *ret_past);
    for (unsigned number = 1; number <= KEPT_MAX; number++) {
        struct untorn_content content;
        int rc = untorn_version_read(path, number, NULL, &content, NULL);
        if (rc == 0) {
            snprintf(texts[number - 1], sizeof *texts, "%s", content.data);
            ret_past->kept[ret_past->count++] = texts[number - 1];
        }
        untorn_content_free(&content);
        if (rc == -UNTORN_NO_VERSION || rc == -UNTORN_MISSING)
            return true;
        if (rc != 0)
            return false;
    }
    return true;
}

static bool is_among(const char *text, const struct past *past)
{
    for (int i = 0; i < past->count; i++)
        if (is_text(text, past->kept[i]))
            return true;
    return false;
}

/* A copy may have been made before the crash and again by the recovery; a file that is removed
 * again was kept when it was removed before. The older one goes without a flush. */
static void drop_twins(struct past *past)
{
    struct past all = *past;
    past->count = 0;
    for (int i = 0; i < all.count; i++)
        if (!is_among(all.kept[i], past))
            past->kept[past->count++] = all.kept[i];
}

/* A version that the file has become again goes first [PAST-8], but may still be there. */
static void drop_return(struct past *past, const struct past *wanted)
{
    struct past all = *past;
    if (!wanted->now || is_among(wanted->now, wanted))
        return;
    past->count = 0;
    for (int i = 0; i < all.count; i++)
        if (!is_text(all.kept[i], wanted->now))
            past->kept[past->count++] = all.kept[i];
}

/* With `before`, what is to go may still be there, behind all that is to stay. */
static const char *judge_past(const struct file *file, const struct past *wanted,
                              const struct past *before)
{
    struct past now;
    if (!read_past(file->path, &now))
        return "a version is damaged";
    if (before && (file->keep_inode || !file->texts[NEW]))
        drop_twins(&now);
    if (before)
        drop_return(&now, wanted);
    if (now.count < wanted->count)
        return "a version is lost";
    for (int i = 0; i < wanted->count; i++)
        if (!is_text(now.kept[i], wanted->kept[i]))
            return "a version is not the one that it should be";
    for (int i = wanted->count; i < now.count; i++)
        if (!before || !is_among(now.kept[i], before))
            return "there is a version that never was";
    return NULL;
}

static const char *judge_pasts(const struct story *story, int steps)
{
    struct past before[FILES_MAX], wanted[FILES_MAX];
    const char *verdict = NULL;
    bool changed = steps > story->done;
    expect(story, story->done, before);
    expect(story, steps, wanted);
    for (int i = 0; !verdict && story->set.files[i].path; i++)
        verdict = judge_past(&story->set.files[i], &wanted[i], changed ? &before[i] : NULL);
    return verdict;
}

/* Not as the user gets it, but as it lies there: litter counts too. */
static const char *judge_disk(void)
{
    char line[512];
    for (const char *tree = sim_tree("/"); *tree; tree += strcspn(tree, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(tree, "\n"), tree);
        if (strstr(line, "/history/") && line[strlen(line) - 1] != '/' && !entry_is_whole(line))
            return "an entry in history has not the content that it names";
        if (strstr(line, "/history/") && line[strlen(line) - 1] != '/' &&
            (sim_attributes(line).mode & 0600) != 0600)
            return "an entry in history is closed to its owner";
    }
    return judge_left_over();
}

static int count_entries(const char *path)
{
    char folder[128];
    const char *slash = strrchr(path, '/');
    int count = 0;
    snprintf(folder, sizeof folder, "%.*s/.untorn/history/%s/", (int)(slash - path), path,
             slash + 1);
    for (const char *at = sim_tree("/"); (at = strstr(at, folder)) != NULL; at += strlen(folder))
        count += at[strlen(folder)] != '\n';
    return count;
}

/* Who replaces one of them next leaves what is meant to stay, and nothing else. (Who creates it
 * does not look at what was before.) */
static const char *judge_next_write(const struct story *story, const struct file *file,
                                    struct past *past)
{
    int keep = story->set.keep;
    struct untorn_options options = {.keep = story->forgetful ? keep + 2 : keep};
    const char *texts[] = {past->now ? NULL : "made", "next"};
    for (int i = 0; i < 2; i++) {
        if (!texts[i])
            continue;
        if (untorn_write(file->path, texts[i], strlen(texts[i]), &options, NULL) != 0)
            return "the next call fails";
        replaced(past, texts[i], keep);
    }
    const char *verdict = judge_past(file, past, NULL);
    if (verdict)
        return verdict;
    bool exact = count_entries(file->path) == past->count;
    return exact ? NULL : "the next writer left more than it should";
}

static const char *judge_next_writes(const struct story *story, int steps)
{
    struct past pasts[FILES_MAX];
    const char *verdict = NULL;
    expect(story, steps, pasts);
    for (int i = 0; !verdict && story->set.files[i].path; i++)
        verdict = judge_next_write(story, &story->set.files[i], &pasts[i]);
    return verdict ? verdict : judge_disk();
}

/* Changes all, or refuses and changes none. */
static const char *undo_next(const struct story *story, int *steps, int *ret_rc)
{
    int rc = undo(story, NULL);
    bool same = all_are(&story->set, content_after(*steps));
    bool changed = all_are(&story->set, content_after(*steps + 1));
    *ret_rc = rc;
    *steps += changed;
    if (!same && !changed)
        return "the next undo left some files as before";
    return changed == (rc == 0) ? NULL : "the next undo did not do what it said";
}

/* The record of the commit is not flushed [RECORD-2]; after a kill it is there, and while nothing
 * changed. In another directory than its own it is known by the slot alone, which a commit that
 * came to nothing overwrote: there an undo may refuse, but not where the record lies. */
static const char *judge_next_undo(const struct story *story, int *steps)
{
    struct story beside = *story;
    bool known = *steps == story->done || (sim_profile() == SIM_PROFILE_KILL && sim_acked(DONE));
    int rc;
    if (*steps == 0)
        return NULL; /* that would undo what was before the story */
    const char *verdict = undo_next(story, steps, &rc);
    if (!verdict && rc == -UNTORN_NO_VERSION) {
        beside.named = 0;
        verdict = undo_next(&beside, steps, &rc);
    }
    return !verdict && rc != 0 && known && !story->faulty ? "the next undo refuses" : verdict;
}

static const char *verify(void *context)
{
    const struct story *story = context;
    int steps;
    if (story->spoil)
        story->spoil(story);
    const char *verdict = judge_files(story, &steps);
    bool lost = sim_acked(LOST) || (story->faulty && !sim_acked(DONE) && !sim_acked(FAILED));
    if (verdict && sim_alive() && !sim_acked(DONE) && !sim_acked(FAILED)) {
        recover(context); /* not settled: then the next call settles it */
        verdict = judge_files(story, &steps);
    }
    if (!verdict && !lost)
        verdict = judge_pasts(story, steps);
    /* Of one file alone [TXN-7], and of a set that came to nothing, the next writer clears up. */
    if (!verdict && !story->litters && !sim_alive() && story->set.files[1].path)
        verdict = steps > story->done ? judge_disk() : judge_left_over();
    if (verdict || lost)
        return verdict;
    verdict = judge_next_undo(story, &steps);
    return verdict ? verdict : judge_next_writes(story, steps);
}

/* ---- running ---- */

static struct sim_scenario scenario_of_story(struct story *story)
{
    struct sim_scenario scenario = scenario_of_set(story->name, &story->set);
    scenario.setup = setup;
    scenario.workload = work;
    scenario.recover = recover;
    scenario.verify = verify;
    scenario.context = story;
    scenario.broken = story->broken;
    return scenario;
}

static struct sim_report crash(struct story story)
{
    struct sim_scenario scenario = scenario_of_story(&story);
    struct sim_report report;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report;
}

/* A long run looks at all states of those without a limit for it. */
static const struct story stories[] = {
    {.name = "1 file", .set = {.files = {REPLACE("/a/x")}}},
    {.name = "2 files", .set = {.files = {REPLACE("/a/x"), REPLACE("/a/y")}, .limit = 50}},
    {.name = "2 directories", .set = {.files = {REPLACE("/a/x"), REPLACE("/b/x")}, .limit = 40}},
    {.name = "2 directories, one made, one removed",
     .set = {.files = {CREATE("/a/x"), REMOVE("/b/x")}, .limit = 50}},
    {.name = "3 files, one made, one removed",
     .set = {.files = {REPLACE("/a/x"), CREATE("/a/y"), REMOVE("/a/z")}, .limit = 10}},
    {.name = "in place and replaced",
     .set = {.files = {REPLACE("/a/x"), OVERWRITE("/a/y")}, .limit = 10, .long_limit = 30}},
    {.name = "2 files, one a secret",
     .set = {.files = {REPLACE("/a/x"), SECRET("/a/y")}, .limit = 20}},
    {.name = "4 files in 3 directories",
     .set = {.files = {REPLACE("/a/x"), CREATE("/b/x"), REMOVE("/b/y"), REPLACE("/c/x")},
             .limit = 4,
             .long_limit = 10}},
};
enum { STORIES = sizeof stories / sizeof *stories };

/* A limit of 0: those of the stories, and under every profile. */
static void crash_all(int done, int keep, bool has_slots, int limit)
{
    struct sim_report total = {0};
    for (int i = 0; i < STORIES; i++) {
        struct story story = stories[i];
        story.done = done;
        story.named = i % 2 && story.set.files[1].path; /* also one that does not coordinate */
        story.set.keep = keep;
        story.set.has_slots = has_slots;
        if (limit) {
            story.set.limit = limit;
            story.set.profiles = SIM_KILL | SIM_POSIX;
        }
        if (!has_slots && i > 0)
            story.set.long_limit = 10;
        if (!has_slots && !is_long() && (i == STORIES - 1 || story.set.files[1].keep_inode))
            continue; /* so much is made that even a sample takes its time */
        struct sim_report report = crash(story);
        CHECK_INT(report.bad, 0);
        CHECK(!is_long() || (story.set.long_limit && !is_exhaustive()) || !report.sampled);
        sim_report_add(&total, &report);
    }
    CHECK(total.deeper > 0);
}

TEST(a_set_keeps_the_version_of_each_file_after_every_crash)
{
    crash_all(0, 1, true, 0);
}

TEST(so_it_does_when_two_versions_are_kept)
{
    crash_all(0, 2, true, 10);
}

TEST(so_does_the_first_set_in_its_directories)
{
    crash_all(0, 2, false, 1);
}

TEST(an_undone_set_is_all_old_or_all_new_after_every_crash)
{
    crash_all(1, 1, true, 6);
    crash_all(1, 2, true, 3);
}

TEST(so_is_one_that_is_redone)
{
    crash_all(2, 2, true, 4);
}

/* All states of the first in a long run, of the others with UNTORN_LONG=all: of the last they take
 * most of an hour of one processor. A sample of it is above. */
TEST(so_do_four_files_and_three_directories)
{
    struct story more[] = {
        {.name = "4 files, one made, one removed",
         .set = {.files = {REPLACE("/a/w"), REPLACE("/a/x"), CREATE("/a/y"), REMOVE("/a/z")}}},
        {.name = "3 directories, one made, one removed",
         .set = {.files = {REPLACE("/a/x"), CREATE("/b/x"), REMOVE("/c/x")}, .long_limit = 300}},
        {.name = "4 files in 3 directories, one made, one removed",
         .set = {.files = {REPLACE("/a/x"), CREATE("/b/x"), REMOVE("/b/y"), REPLACE("/c/x")}}},
    };
    size_t count = is_exhaustive() ? 3 : 2;
    for (size_t i = 0; i < count; i++) {
        more[i].set.keep = 1;
        more[i].set.has_slots = true;
        more[i].set.profiles = SIM_KILL | SIM_POSIX;
        more[i].set.limit = 4;
        struct sim_report report = crash(more[i]);
        CHECK_INT(report.bad, 0);
        CHECK(report.sampled != (is_exhaustive() || (is_long() && !more[i].set.long_limit)));
    }
}

/* [PAST-5] Its bytes are not in the slot. */
TEST(a_stage_that_is_the_only_copy_stays_until_the_swap_is_durable)
{
    struct story story = {.name = "a secret, all states",
                          .set = {.files = {REPLACE("/a/x"), SECRET("/a/y")}}};
    story.set.keep = 2;
    story.set.has_slots = true;
    story.set.profiles = SIM_POSIX;
    CHECK_INT(crash(story).bad, 0);
}

/* ---- failing calls ---- */

TEST(whatever_call_fails_the_versions_are_kept_or_it_is_told)
{
    for (int done = 0; done < 2; done++) {
        struct story story = stories[done ? 1 : 3];
        story.name = done ? "undo, failing calls" : "commit, failing calls";
        story.done = done;
        story.faulty = story.litters = story.set.has_slots = true;
        story.set.keep = 2;
        story.set.profiles = SIM_KILL | SIM_POSIX;
        struct sim_scenario failing = scenario_of_story(&story);
        struct sim_report report;
        failing.limit = is_long() ? 100 : 4;
        sim_for_each_fault(&failing, set_faults, SET_FAULTS, &report);
        sim_print(&failing, &report);
        CHECK_INT(report.bad, 0);
        CHECK(outcomes[FAILED] > 0 && outcomes[UNSETTLED] > 0 && outcomes[DONE] > 0);
    }
}

/* ---- what is wrong on purpose must show, and as what it is ---- */

static void check_caught(struct story story, int limit, const char *words)
{
    story.set.quiet = true;
    story.set.profiles = story.set.profiles ? story.set.profiles : (unsigned)SIM_POSIX;
    story.set.limit = limit;
    struct sim_report report = crash(story);
    CHECK(report.bad > 0);
    CHECK(strstr(report.story, words) != NULL);
}

static struct story two_files(int done)
{
    struct story story = stories[1];
    story.done = done;
    story.set.keep = 2;
    story.set.has_slots = true;
    return story;
}

TEST(a_flush_of_the_slot_that_is_left_out_is_caught)
{
    for (int done = 0; done < 2; done++) {
        struct story story = two_files(done);
        story.litters = true;
        story.set.omit = (struct sim_fault){
            .at = 1, .effect = SIM_OMITTED, .verbs = SIM_ONLY(SIM_FLUSH), .on = "/slot"};
        check_caught(story, 200, "some files are as before");
    }
}

/* [VERSIONS-3] */
TEST(a_flush_of_the_folders_of_versions_that_is_left_out_is_caught)
{
    struct story story = two_files(0);
    story.set.has_slots = false;
    story.set.omit = (struct sim_fault){.at = 1,
                                        .forever = true,
                                        .effect = SIM_OMITTED,
                                        .verbs = SIM_ONLY(SIM_FLUSH_DIR),
                                        .on = "/history"};
    check_caught(story, 50, "a version is lost");
}

/* [PAST-1] */
TEST(a_swap_in_two_steps_is_caught)
{
    struct story story = two_files(0);
    story.broken = SIM_RENAME_SPLIT;
    story.set.profiles = SIM_KILL;
    check_caught(story, 50, "a version");
}

TEST(an_undo_file_by_file_is_caught)
{
    struct story story = two_files(1);
    story.restores = 2;
    story.litters = true;
    story.set.profiles = SIM_KILL;
    check_caught(story, 50, "some files are as before");
    story = two_files(0);
    story.restores = 1;
    story.set.profiles = SIM_KILL;
    check_caught(story, 50, "the next undo left some files as before");
}

TEST(a_writer_that_keeps_too_much_is_caught)
{
    struct story story = two_files(0);
    story.forgetful = true;
    check_caught(story, 50, "there is a version that never was");
}

/* The first file below a folder of that name. */
static const char *find_entry(const char *folder)
{
    static char line[512];
    for (const char *tree = sim_tree("/"); *tree; tree += strcspn(tree, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(tree, "\n"), tree);
        if (strstr(line, folder) && line[strlen(line) - 1] != '/')
            return line;
    }
    return NULL;
}

static void damage_version(const struct story *story)
{
    (void)story;
    sim_put(find_entry("/history/"), "other");
}

static void remove_version(const struct story *story)
{
    (void)story;
    sim_remove(find_entry("/history/"));
}

static void litter(const struct story *story)
{
    (void)story;
    sim_put("/a/.untorn/history/x/"
            "00000009000000bb.00000000000000000000000000000000.00000000000000ff",
            "never a version");
}

static void leave_stage(const struct story *story)
{
    (void)story;
    sim_put("/a/.untorn/stage/x.00000000000000ff", "new");
}

static void forget_commits(const struct story *story)
{
    (void)story;
    sim_remove("/a/.untorn/set");
}

TEST(what_is_spoilt_after_the_recovery_is_noticed)
{
    static const struct {
        int done;
        void (*spoil)(const struct story *story);
        const char *words;
    } spoilt[] = {
        {0, damage_version, "a version is damaged"},
        {0, remove_version, "a version is lost"},
        {0, litter, "an entry in history has not the content that it names"},
        {0, leave_stage, "a stage is left over"},
        {1, forget_commits, "the next undo refuses"},
    };
    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        struct story story = two_files(spoilt[i].done);
        story.spoil = spoilt[i].spoil;
        story.set.profiles = SIM_KILL;
        check_caught(story, 50, spoilt[i].words);
    }
}
