/* A verb of the command, as data: what it takes, how it explains itself, what runs it.
 *
 * Each group of verbs has a file of its own that defines its rows; verbs.c lists them in the
 * order of `untorn --help`. Adding a verb is adding a row there; adding an option is adding a row
 * in options.c and its bit to the verbs that take it. The man pages and the completions are
 * written by hand, and a test holds them against these tables.
 */
#ifndef CLI_VERB_H
#define CLI_VERB_H

#include <stdbool.h>
#include <stdint.h>

struct arguments;

struct verb {
    const char *name;
    const char *operands;    /* as usage shows them: "FILE [SOURCE]" */
    const char *summary;     /* a few words for the list of verbs */
    const char *explanation; /* what it does, for `untorn VERB --help`; 80 columns */
    const char *examples;    /* one command a line, each can be run */
    const char *exits;       /* what its exit status means, one a line */

    uint64_t options;        /* OPTION_... bits it takes */
    uint64_t filter_options; /* those that still mean something when FILE is `-` */
    bool filters;            /* FILE may be `-` */
    bool one_path;           /* the operands behind the first are no paths: any text will do */

    int fewest, most;   /* operands; most -1: any number */
    bool takes_command; /* what follows `--` is a command, and there must be one */
    int failure_base;   /* added to the exit code of its own failures */

    int (*run)(struct arguments *arguments); /* returns the exit status */
};

extern const struct verb verb_set, verb_unset, verb_ensure, verb_apply, verb_edit;
extern const struct verb verb_write, verb_update, verb_append, verb_commit;
extern const struct verb verb_get, verb_read, verb_hash;
extern const struct verb verb_log, verb_show, verb_diff, verb_restore, verb_undo;
extern const struct verb verb_lock, verb_who;
extern const struct verb verb_probe, verb_check;
extern const struct verb verb_config;

struct verb_group {
    const char *heading;
    const struct verb *const *verbs; /* NULL behind the last */
};

extern const struct verb_group verb_groups[]; /* heading NULL behind the last */

/* NULL if there is none of that name. */
const struct verb *verb_find(const char *name);

#endif
