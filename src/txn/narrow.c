#include "txn/narrow.h"

#include <stdlib.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/upward.h"
#include "txn/slotfile.h"

/* ---- which directories ---- */

/* What does not fit is not looked at: rather that than a save that does not end. */
static void note(void *context, const char *directory)
{
    struct narrowing *narrowing = context;
    for (size_t i = 0; i < narrowing->count; i++)
        if (strcmp(narrowing->directories[i].path, directory) == 0)
            return;
    char *path = narrowing->count < LIMIT_NARROWED ? malloc(strlen(directory) + 1) : NULL;
    if (!path)
        return;
    path_add(path, directory);
    narrowing->directories[narrowing->count].path = path;
    narrowing->directories[narrowing->count++].done = false;
}

static void note_done(struct narrowing *narrowing, const char *directory)
{
    note(narrowing, directory);
    for (size_t i = 0; i < narrowing->count; i++)
        narrowing->directories[i].done |= strcmp(narrowing->directories[i].path, directory) == 0;
}

/* ---- in each of them ---- */

/* A record has the group of its directory. */
static unsigned granted(const struct narrowing *narrowing, const struct place *place)
{
    bool group = narrowing->one_group && narrowing->group == place->dir_stat.group;
    return group ? narrowing->mode : narrowing->mode & ~0070u;
}

void narrow_directory(struct narrowing *narrowing, const struct place *place, struct state *state)
{
    char path[LIMIT_PATH];
    if (os_dir_path(place->dir, path, sizeof path) < 0)
        return;
    note_done(narrowing, path);
    record_narrow(state, place->dir, narrowing->files, granted(narrowing, place), note, narrowing);
}

static void narrow_path(struct narrowing *narrowing, const char *path, const char *state_dir)
{
    struct untorn_options options = {.state_dir = state_dir};
    struct place place = PLACE_CLOSED;
    struct state state = STATE_CLOSED;
    struct untorn_error unseen;
    error_begin(&unseen, NULL, NULL);
    if (os_open_dir(OS_NONE, path, true, &place.dir) == 0 &&
        os_stat(place.dir, NULL, &place.dir_stat) == 0 &&
        state_open(&place, &options, STATE_IF_USABLE, &state, &unseen) == 0)
        record_narrow(&state, place.dir, narrowing->files, granted(narrowing, &place), NULL, NULL);
    state_close(&state);
    place_close(&place);
}

void narrow_elsewhere(struct narrowing *narrowing, const char *state_dir)
{
    for (size_t i = 0; i < narrowing->count; i++) {
        if (!narrowing->directories[i].done)
            narrow_path(narrowing, narrowing->directories[i].path, state_dir);
        free(narrowing->directories[i].path);
    }
    narrowing->count = 0;
}

/* ---- a file alone ---- */

/* [NARROW-2] It need not be flushed: what a power loss brings back was that. Whoever holds its lock
 * is about to write over it. */
static void empty_slot(struct target *target, unsigned mode)
{
    struct slot_file file;
    struct slot slot = {0};
    if (slot_file_open(&target->state, &file) < 0)
        return;
    bool too_open = (file.stat.mode & ~(0600 | mode) & 0777) != 0;
    if (too_open && file.writable && slot_file_lock(&file, &target->state, 0) == 0 &&
        slot_read_head(file.fd, &slot) == 0 && slot.state == SLOT_IDLE) {
        struct slot empty = {.sequence = slot.sequence, .rooted = slot.rooted};
        memcpy(empty.id, slot.id, sizeof empty.id);
        if (slot_file_write(&file, &empty) == 0)
            (void)slot_file_trim(&file, SLOT_HEAD); /* else they stay until the next commit */
    }
    slot_file_close(&file);
}

void upward_narrow(struct target *target, unsigned mode)
{
    char path[LIMIT_PATH];
    os_fd folder;
    struct record_member member = {.directory = path, .name = target->place.name};
    struct record files = {.count = 1, .members = &member};
    empty_slot(target, mode);
    if (state_folder(&target->state, FOLDER_SET, false, &folder) < 0 ||
        os_dir_path(target->place.dir, path, sizeof path) < 0)
        return;
    struct narrowing *narrowing = calloc(1, sizeof *narrowing);
    if (!narrowing)
        return;
    narrowing->files = &files;
    narrowing->mode = mode & 0666;
    narrowing->one_group = true;
    narrowing->group = target->stat.group;
    narrow_directory(narrowing, &target->place, &target->state);
    narrow_elsewhere(narrowing, target->options->state_dir);
    free(narrowing);
}
