/* untorn/write.h: a stage that is filled without the lock, then committed under it. */
#include <untorn/write.h>

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "file/options.h"
#include "file/replace.h"
#include "file/upward.h"

struct untorn_writer {
    struct owned_options given;
    struct target target;
    struct stage stage;
    struct hash_stream hash;
    bool has_options; /* the caller gave some */
    bool spent;       /* committed, or failed */
};

static int check_options(const struct untorn_options *options, struct untorn_error *error)
{
    if (options->mode & ~07777u)
        error_detail(error, "mode %o has more than permission bits", options->mode);
    else if (options->exclusive && options->if_match)
        error_detail(error, "a file that must be new cannot match a hash");
    else
        return 0;
    return error_fail(error, UNTORN_INVALID, NULL);
}

static int begin(struct untorn_writer *writer, struct untorn_error *error)
{
    int rc = check_options(&writer->given.options, error);
    if (rc == 0)
        rc = target_open(&writer->target, writer->given.path, &writer->given.options, error);
    for (;;) {
        if (rc != 0)
            return rc;
        const struct place *place = &writer->target.place;
        bool is_file = place->exists && place->target.kind == OS_REGULAR;
        lock_note_stages(&writer->target.lock, true);
        int os_rc = stage_begin(&writer->stage, &writer->target.state, place->name,
                                replace_wants_open_mode(&writer->given.options, is_file));
        lock_note_stages(&writer->target.lock, true); /* who swept meanwhile may have denied it */
        if (os_rc != -ENOENT)
            return os_rc < 0 ? error_os(error, os_rc, "stage the new version") : 0;
        rc = target_reopen(&writer->target, error);
    }
}

int untorn_writer_begin(const char *path, const struct untorn_options *options,
                        struct untorn_writer **ret_writer, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct untorn_writer *writer = calloc(1, sizeof *writer);
    *ret_writer = NULL;
    if (!writer)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    writer->target = (struct target){
        .place = PLACE_CLOSED, .state = STATE_CLOSED, .lock = LOCK_CLOSED, .hold = OS_NONE};
    writer->stage = (struct stage)STAGE_CLOSED;
    writer->has_options = options != NULL;
    hash_begin(&writer->hash);
    int rc = options_own(&writer->given, path, options) ? begin(writer, error)
                                                        : error_fail(error, UNTORN_NO_MEMORY, NULL);
    if (rc != 0)
        untorn_writer_free(writer);
    else
        *ret_writer = writer;
    return rc;
}

int untorn_writer_write(struct untorn_writer *writer, const void *data, size_t size,
                        struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, writer->given.path);
    if (writer->spent)
        return error_fail(error, UNTORN_INVALID, "write to a writer that has ended");
    int rc = stage_write(&writer->stage, data, size);
    hash_add(&writer->hash, data, size);
    if (rc == 0)
        return 0;
    writer->spent = true;
    return error_os(error, rc, "write the new version");
}

/* Starting over means opening all anew, and staging anew where the stage went with its folder. */
static int restart(struct untorn_writer *writer, struct untorn_error *error)
{
    for (;;) {
        int rc = target_reopen(&writer->target, error);
        if (rc != 0 || stage_is_named(&writer->stage))
            return rc;
        writer->stage.named = false;
        int os_rc = stage_renew(&writer->stage, &writer->target.state, writer->target.place.name,
                                writer->stage.open_mode);
        if (os_rc != -ENOENT)
            return os_rc < 0 ? error_os(error, os_rc, "stage the new version") : 0;
    }
}

/* Whether a transaction of this thread takes it: then nothing is left of the stage. */
static bool join(struct untorn_writer *writer, int *ret_rc, struct untorn_error *error)
{
    const struct untorn_options *options = writer->has_options ? &writer->given.options : NULL;
    struct joining joining = {.file = &writer->stage.file};
    if (!registry_next_transaction(NULL) ||
        !upward_join(writer->given.path, &joining, options, ret_rc, error))
        return false;
    stage_close(&writer->stage);
    return true;
}

int untorn_writer_commit(struct untorn_writer *writer, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, writer->given.path);
    if (writer->spent)
        return error_fail(error, UNTORN_INVALID, "commit a writer that has ended");
    writer->spent = true;
    int joined;
    if (join(writer, &joined, error))
        return joined;
    writer->target.own_stage = &writer->stage;
    for (;;) {
        int rc = target_lock(&writer->target, OS_LOCK_EXCLUSIVE, error);
        if (rc == 0)
            rc = replace_commit(&writer->target, &writer->stage, error);
        if (rc != AGAIN) {
            lock_release(&writer->target.lock);
            return rc;
        }
        rc = restart(writer, error);
        if (rc != 0)
            return rc;
    }
}

struct untorn_hash untorn_writer_hash(const struct untorn_writer *writer)
{
    return hash_end(&writer->hash);
}

void untorn_writer_free(struct untorn_writer *writer)
{
    if (!writer)
        return;
    stage_close(&writer->stage);
    target_close(&writer->target);
    options_free(&writer->given);
    free(writer);
}

int untorn_write(const char *path, const void *data, size_t size,
                 const struct untorn_options *options, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    struct untorn_options given = options ? *options : (struct untorn_options){0};
    struct joining joining = {.data = data, .size = size};
    struct target target;
    int rc = check_options(&given, error);
    if (rc == 0 && registry_next_transaction(NULL) &&
        upward_join(path, &joining, options, &rc, error))
        return rc;
    if (rc == 0)
        rc = target_open(&target, path, &given, error);
    if (rc != 0)
        return rc;
    target.stages_under_lock = true;
    do {
        rc = target_lock(&target, OS_LOCK_EXCLUSIVE, error);
        if (rc == 0)
            rc = replace_content(&target, data, size, error);
    } while (rc == AGAIN && (rc = target_reopen(&target, error)) == 0);
    target_close(&target);
    return rc;
}
