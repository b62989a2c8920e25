#include <stddef.h>
#include <string.h>

#include "verb.h"

static const struct verb *const editing[] = {&verb_set,   &verb_unset, &verb_ensure,
                                             &verb_apply, &verb_edit,  NULL};
static const struct verb *const saving[] = {&verb_write, &verb_update, &verb_append, &verb_commit,
                                            NULL};
static const struct verb *const configuring[] = {&verb_config, NULL};
static const struct verb *const reading[] = {&verb_get, &verb_read, &verb_hash, NULL};
static const struct verb *const versions[] = {&verb_log,     &verb_show, &verb_diff,
                                              &verb_restore, &verb_undo, NULL};
static const struct verb *const locking[] = {&verb_lock, &verb_who, NULL};
static const struct verb *const looking[] = {&verb_probe, &verb_check, NULL};

const struct verb_group verb_groups[] = {
    {"Edit", editing},     {"Save", saving},  {"Read", reading},    {"Config", configuring},
    {"History", versions}, {"Lock", locking}, {"Inspect", looking}, {NULL, NULL},
};

const struct verb *verb_find(const char *name)
{
    for (const struct verb_group *group = verb_groups; group->heading; group++)
        for (const struct verb *const *verb = group->verbs; *verb; verb++)
            if (strcmp((*verb)->name, name) == 0)
                return *verb;
    return NULL;
}
