/* What the sweep lets go wrong: one call of the command each, with what was there before and what
 * has to be there afterwards. */
#ifndef DRIVER_SCENARIO_H
#define DRIVER_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>

#include "place.h"

enum { SCENARIO_ARGUMENTS = 16, SCENARIO_TWINS = 3 };

enum scenario_effect {
    EFFECT_REPLACE, /* the input becomes the file */
    EFFECT_FIRST,   /* ... if there is none */
    EFFECT_APPEND,  /* the input is added to the file */
    EFFECT_ADD,     /* a member is added to the JSON document */
    EFFECT_DROP,    /* the member of the input's name goes from the TOML document */
    EFFECT_TURN,    /* the old version becomes the new one, any other the old one */
    EFFECT_COUNT,   /* the number in the file grows by one */
    EFFECT_SETTLE,  /* the file stays, or what was begun is finished */
    EFFECT_NONE,    /* nothing may change, and the output is checked */
};

enum scenario_before {
    BEFORE_FILE, /* the file is there */
    BEFORE_NO_FILE,
    BEFORE_TORN,   /* an overwrite in place was killed half way */
    BEFORE_STAGE,  /* a writer was killed just before the rename */
    BEFORE_COMMIT, /* a commit of the file and its twins was killed when it counted already */
    BEFORE_LINK,   /* `f` is a link over a second one to the file in another directory */
    BEFORE_KEPT,   /* the new version was there, was replaced by the old one, and is kept */
};

enum scenario_kind { /* what the file holds */
                     KIND_LINES,
                     KIND_RECORDS,
                     KIND_JSON,
                     KIND_TOML,
                     KIND_NUMBER,
                     KIND_EVENTS,
                     KIND_OUTPUT, /* of a command, in JSON */
                     KIND_TOKEN,  /* in TOML */
                     KIND_WORD,   /* the name of the input alone */
};

enum scenario_size { SIZE_SMALL, SIZE_MEDIUM, SIZE_LARGE }; /* about 1, 10 and 500 KiB */

struct scenario {
    const char *name;
    const char *sentence; /* begins the names of its tests */
    /* The input is on standard input, in the file @new, and what $EDITOR makes of any file; its
     * name is @word. The command itself is @untorn. */
    const char *arguments[SCENARIO_ARGUMENTS];
    const char *program; /* an example that is run instead of the command; NULL: the command */
    enum scenario_kind kind;
    enum scenario_effect effect;
    enum scenario_before before;
    enum scenario_size size;
    bool full;            /* with every error also in the short run; else with the likeliest */
    bool thorough;        /* only in the long run: much like another */
    bool fresh;           /* untorn was never used in the directory before */
    bool in_place;        /* what is there is what `read` shows */
    bool starts_programs; /* errors are injected into the command only, not into those */
    bool runs_untorn;     /* ... but they are untorn too: into all */
    bool masked;          /* the file has times or UUIDs: version_mask */
    bool abridges;        /* says less, and nothing false, where memory is short */
    bool prints_times;    /* numbers in the output differ from run to run */
    mode_t mode;          /* of the file; 0: 0640 */
    const char *allowed;  /* what the directory may show afterwards, beside `.untorn` */
    const char *real;     /* the file, when it is not `f` */
    const char *twins[SCENARIO_TWINS + 1]; /* files that are always what the file is */
    const char *state;                     /* the folder given as --state-dir, or NULL */
};

extern const struct scenario all_scenarios[];
extern const size_t all_scenarios_count;

struct contents; /* versions.h */

/* Makes the directory `before`, once: all of the scenario that may be copied. */
void scenario_prepare(const struct scenario *scenario, const struct contents *contents,
                      const char *command, const char *before);

/* Makes `directory` as the scenario wants it: a copy of `before`, and what a dead one left, which
 * knows its own inode. */
void scenario_set_up(const struct scenario *scenario, const struct contents *contents,
                     const char *command, const char *before, const char *directory);

/* Fills `ret` with the command and its arguments, the input being `version` ("new" or "next").
 * The words are overwritten by the next call. */
void scenario_arguments(const struct scenario *scenario, const struct contents *contents,
                        const char *command, const char *version, char **ret);

static inline mode_t scenario_mode(const struct scenario *scenario)
{
    return scenario->mode != 0 ? scenario->mode : 0640;
}

static inline const char *scenario_real(const struct scenario *scenario)
{
    return scenario->real != NULL ? scenario->real : "f";
}

#endif
