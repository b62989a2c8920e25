/* Readers at every moment of a write: one whole version, whatever is going on. [INPLACE-4] */
#include "oracle.h"

#include <errno.h>

#include "os/os.h"

struct watch {
    const struct trial *trial;
    int looks, olds, news;
};

static void look(void *context, int call)
{
    struct watch *watch = context;
    struct untorn_content content;
    struct untorn_error error;
    (void)call;
    sim_process(1);
    int rc = untorn_read(watch->trial->path, NULL, &content, &error);
    bool old = rc == 0 && is_text(content.data, watch->trial->old);
    bool new = rc == 0 && is_text(content.data, watch->trial->new);
    if (rc == -UNTORN_MISSING && !watch->trial->old)
        old = true;
    untorn_content_free(&content);
    CHECK(old || new);
    CHECK(!old || watch->news == 0); /* what was new does not become old again */
    watch->looks++;
    watch->olds += old;
    watch->news += new;
    if (!watch->trial->in_place) { /* and so does any other program */
        const char *raw = sim_get(watch->trial->path);
        CHECK(is_text(raw, watch->trial->old) || is_text(raw, watch->trial->new));
    }
}

static int write_new(const struct trial *trial)
{
    return untorn_write(trial->path, trial->new, strlen(trial->new), &trial->options, NULL);
}

static void watch_write(struct trial trial)
{
    struct watch watch = {.trial = &trial};
    trial.act = write_new;
    sim_start(&(struct sim_options){.unit = 512});
    trial_setup(&trial);
    sim_settle();
    sim_set_meanwhile(look, &watch);
    CHECK_INT(trial.act(&trial), 0);
    sim_set_meanwhile(NULL, NULL);
    sim_process(1);
    CHECK_INT(sim_open_handles(), 0);
    CHECK_TEXT(sim_misuse(), NULL);
    printf("    %d looks: %d old, %d new\n", watch.looks, watch.olds, watch.news);
    CHECK(watch.olds > 0 && watch.news > 0);
}

static struct trial trial(void)
{
    return (struct trial){.path = "/d/a",
                          .old = content("old", 2),
                          .new = content("new", 3),
                          .prepare = with_state_folder};
}

TEST(readers_see_one_whole_version_while_a_file_is_replaced)
{
    watch_write(trial());
}

TEST(readers_see_nothing_or_one_whole_version_while_a_file_is_made)
{
    struct trial first = trial();
    first.old = NULL;
    first.prepare = NULL;
    watch_write(first);
}

TEST(readers_see_one_whole_version_while_a_file_is_overwritten_in_place)
{
    struct trial in_place = trial();
    in_place.in_place = true;
    in_place.options.keep_inode = true;
    watch_write(in_place);
    in_place.new = content("new", 0);
    watch_write(in_place);
}

/* ---- a file that an overwrite left half written ---- */

/* Lets writes fail from some call on until the file is a mixture that cannot be undone. */
static void leave_half_written(struct trial *half)
{
    *half = trial();
    half->in_place = true;
    half->options.keep_inode = true;
    for (int at = 1; at < 100; at++) {
        struct sim_fault fault = {.at = at,
                                  .error = EIO,
                                  .forever = true,
                                  .effect = SIM_HALF_DONE,
                                  .verbs = SIM_ONLY(SIM_WRITE_AT) | SIM_ONLY(SIM_RESIZE)};
        sim_start(&(struct sim_options){.unit = 512});
        trial_setup(half);
        sim_fail(&fault);
        int rc = write_new(half);
        sim_fail(NULL);
        const char *raw = sim_get(half->path);
        if (rc > 0 && !is_text(raw, half->old) && !is_text(raw, half->new))
            return;
    }
    harness_fail(__FILE__, __LINE__, "some fault leaves a mixture");
}

TEST(a_reader_of_a_half_written_file_gets_the_old_version)
{
    struct trial half;
    struct untorn_content content;
    leave_half_written(&half);
    CHECK_INT(untorn_read(half.path, NULL, &content, NULL), 0);
    CHECK_TEXT(content.data, half.old);
    untorn_content_free(&content);
}

TEST(a_reader_of_a_half_written_file_never_gets_a_mixture_whatever_call_fails)
{
    static const int errors[] = {EIO, EINTR, ENOMEM, ENFILE}; /* EACCES: a reader as any other */
    struct trial half;
    int bad = 0;
    leave_half_written(&half);
    for (size_t e = 0; e < sizeof errors / sizeof *errors; e++) {
        for (int forever = 0; forever < 2; forever++) {
            struct sim_fault fault = {.at = 1, .error = errors[e], .forever = forever};
            for (bool fired = true; fired; fault.at++) {
                struct untorn_content content;
                sim_fail(&fault);
                int rc = untorn_read(half.path, NULL, &content, NULL);
                fired = sim_fault_fired();
                sim_fail(NULL);
                bool whole =
                    rc != 0 || is_text(content.data, half.old) || is_text(content.data, half.new);
                if (!whole)
                    printf("    a mixture is read when call %d gives \"%s\"%s\n", fault.at,
                           strerror(errors[e]), forever ? " and all after it" : "");
                bad += !whole;
                CHECK(rc <= 0);
                untorn_content_free(&content);
            }
        }
    }
    CHECK_INT(bad, 0);
    CHECK_INT(sim_open_handles(), 0);
}

/* The journal lies on a bad spot of the disk, or the table of open files is full just then. */
TEST(a_reader_who_cannot_read_the_journal_is_told_so_instead_of_given_a_mixture)
{
    static const unsigned verbs[] = {SIM_ONLY(SIM_READ_AT), SIM_ONLY(SIM_OPEN), SIM_ONLY(SIM_STAT),
                                     SIM_ONLY(SIM_OPEN_DIR)};
    struct trial half;
    leave_half_written(&half);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        struct sim_fault fault = {
            .at = 1, .error = EIO, .forever = true, .verbs = verbs[i], .on = "/inplace"};
        struct untorn_content content;
        sim_fail(&fault);
        int rc = untorn_read(half.path, NULL, &content, NULL);
        bool fired = sim_fault_fired();
        sim_fail(NULL);
        CHECK(rc == 0 ? is_text(content.data, half.old) || is_text(content.data, half.new)
                      : rc == -UNTORN_IO);
        CHECK(fired || verbs[i] == SIM_ONLY(SIM_STAT));
        untorn_content_free(&content);
    }
}

/* ---- [STAGE-2]: no version is readable by more people than its file ---- */

static void look_at_modes(void *context, int call)
{
    char path[300];
    int *stages = context;
    (void)call;
    for (const char *tree = sim_tree("/d"); *tree; tree += strcspn(tree, "\n") + 1) {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(tree, "\n"), tree);
        if (!strstr(path, "/stage/a.") && !strstr(path, "/history/a/0"))
            continue;
        (*stages)++;
        CHECK_INT(sim_attributes(path).mode & 077, 0);
    }
}

TEST(a_secret_is_never_readable_by_others_not_for_a_moment)
{
    struct untorn_options options = {.mode = 0600};
    for (int exists = 0; exists < 2; exists++) {
        int stages = 0;
        sim_start(NULL);
        sim_process_mask(0);
        sim_make_dir("/d");
        if (exists) {
            struct sim_attributes attributes = {.mode = 0600};
            sim_put("/d/a", "old");
            sim_set_attributes("/d/a", &attributes);
            options.mode = 0;
        }
        sim_set_meanwhile(look_at_modes, &stages);
        CHECK_INT(untorn_write("/d/a", "secret", 6, &options, NULL), 0);
        sim_set_meanwhile(NULL, NULL);
        CHECK_INT(sim_attributes("/d/a").mode, 0600);
        CHECK(stages > 0);
    }
}

/* ---- waiting: [LOCK-3], [LOCK-4] ---- */

/* The lock as another program takes it, flock(1) for example. */
static os_fd take_lock(int process)
{
    os_fd dir, file;
    sim_process(process);
    CHECK_INT(os_open_dir(OS_NONE, "/d/.untorn/lock", false, &dir), 0);
    CHECK_INT(os_open(dir, "a", OS_READ, 0, &file), 0);
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    sim_process(0);
    return file;
}

static void free_after_a_second(void *context, int call)
{
    uint64_t *when = context;
    if (call == SIM_ASLEEP && *when && os_clock_ns() > *when) {
        *when = 0;
        sim_process_kill(1);
    }
}

TEST(a_writer_waits_as_long_as_it_was_told_and_no_longer)
{
    struct untorn_options once = {.wait_ms = UNTORN_TRY_ONCE}, second = {.wait_ms = 1000};
    sim_start(NULL);
    sim_make_dir("/d");
    CHECK_INT(untorn_write("/d/a", "old", 3, NULL, NULL), 0);
    take_lock(1);
    uint64_t start = os_clock_ns();
    CHECK_INT(untorn_write("/d/a", "new", 3, &once, NULL), -UNTORN_LOCKED);
    CHECK(os_clock_ns() - start < 10000000u);
    CHECK_INT(untorn_write("/d/a", "new", 3, &second, NULL), -UNTORN_LOCKED);
    CHECK(os_clock_ns() - start >= 1000000000u && os_clock_ns() - start < 1100000000u);
    CHECK_TEXT(sim_get("/d/a"), "old");
    CHECK(strstr(sim_tree("/d"), "/stage/a") == NULL);
}

TEST(a_writer_goes_on_as_soon_as_the_holder_is_dead)
{
    sim_start(NULL);
    sim_make_dir("/d");
    CHECK_INT(untorn_write("/d/a", "old", 3, NULL, NULL), 0);
    take_lock(1);
    uint64_t start = os_clock_ns(), when = start + 1000000000u;
    sim_set_meanwhile(free_after_a_second, &when);
    CHECK_INT(untorn_write("/d/a", "new", 3, NULL, NULL), 0);
    CHECK(os_clock_ns() - start < 1100000000u);
    CHECK_TEXT(sim_get("/d/a"), "new");
}
