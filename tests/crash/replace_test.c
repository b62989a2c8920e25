/* untorn_write, untorn_update and the streaming writer on the rename path, crashed everywhere. */
#include "oracle.h"

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
    return untorn_update(trial->path, set_new, (void *)trial, &trial->options, NULL);
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

/* An earlier save made .untorn; what it left is durable. */
static void with_state_folder(const struct trial *trial)
{
    const char *old = trial->old ? trial->old : "";
    CHECK_INT(untorn_write(real_path(trial), old, strlen(old), NULL, NULL), 0);
    if (!trial->old)
        sim_remove(real_path(trial));
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

TEST(a_replaced_file_is_old_or_new_after_every_crash)
{
    struct trial trial = replace();
    trial.recovers = true;
    CHECK_INT(explore(trial, "replace").bad, 0);
}

TEST(a_first_save_in_a_directory_is_nothing_or_whole_after_every_crash)
{
    struct trial trial = replace();
    trial.old = NULL;
    CHECK_INT(explore(trial, "first create").bad, 0);
    trial.prepare = NULL;
    trial.new = content("new", 1);
    CHECK_INT(explore(trial, "first create, no .untorn yet").bad, 0);
}

TEST(faults_first)
{
    struct trial trial = replace();
    trial.new = content("new", 1);
    CHECK_INT(explore_faults(trial, "replace").bad, 0);
}
