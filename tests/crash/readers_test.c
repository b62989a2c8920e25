/* Readers at every moment of a write: one whole version, whatever is going on. [INPLACE-4] */
#include "oracle.h"

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

/* ---- [STAGE-2]: no version is readable by more people than its file ---- */

static void look_at_modes(void *context, int call)
{
    char path[300];
    int *stages = context;
    (void)call;
    for (const char *tree = sim_tree("/d"); *tree; tree += strcspn(tree, "\n") + 1) {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(tree, "\n"), tree);
        if (!strstr(path, "/stage/a."))
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
