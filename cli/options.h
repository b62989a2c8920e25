/* The options of all verbs: one table. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

struct arguments;
struct verb;

/* A bit each, for struct verb. */
#define OPTION_MODE (1ull << 0)
#define OPTION_LEVEL (1ull << 1)
#define OPTION_IF_MATCH (1ull << 2)
#define OPTION_IF_CHANGED (1ull << 3)
#define OPTION_EXCLUSIVE (1ull << 4)
#define OPTION_KEEP_INODE (1ull << 5)
#define OPTION_SYMLINK (1ull << 6)
#define OPTION_WAIT (1ull << 7)
#define OPTION_PARENTS (1ull << 8)
#define OPTION_ALLOW_EMPTY (1ull << 9)
#define OPTION_STRICT (1ull << 10)
#define OPTION_STATE_DIR (1ull << 11)
#define OPTION_LOCK_FILE (1ull << 12)
#define OPTION_REPORT (1ull << 13)
#define OPTION_DRY_RUN (1ull << 14)
#define OPTION_RECORDS (1ull << 15)
#define OPTION_SHARED (1ull << 16)
#define OPTION_REPAIR (1ull << 17)
#define OPTION_ABANDON (1ull << 18)
#define OPTION_FORMAT (1ull << 19)
#define OPTION_SEGMENTS (1ull << 20)
#define OPTION_STRING (1ull << 21)
#define OPTION_JSON (1ull << 22)
#define OPTION_TOML (1ull << 23)
#define OPTION_TAGGED (1ull << 24)
#define OPTION_DEFAULT (1ull << 25)
#define OPTION_FROM (1ull << 26)
#define OPTION_MERGE_PATCH (1ull << 27)
#define OPTION_JSON_PATCH (1ull << 28)
#define OPTION_KEEP (1ull << 29)
#define OPTION_REMOVE (1ull << 30)
#define OPTION_LAST_GOOD (1ull << 40)
#define OPTION_VERBOSE (1ull << 41)
#define OPTION_FORCE (1ull << 42)
#define OPTION_UUID (1ull << 43)
#define OPTION_APP (1ull << 44)
#define OPTION_SCHEMA (1ull << 45)
#define OPTION_SCOPE (1ull << 46)
#define OPTION_FILE (1ull << 47)
#define OPTION_OVERRIDE (1ull << 48)
#define OPTION_SHOW_ORIGIN (1ull << 49)
#define OPTION_HELP (1ull << 63)

/* What a row says in full when it takes a value: NULL if that is fine, else what it takes. */
typedef const char *option_take_function(struct arguments *arguments, const char *value);

struct option {
    uint64_t bit;
    const char *name;     /* without the dashes */
    char letter;          /* 0: none */
    const char *argument; /* as help shows the value; NULL: a switch */
    const char *text;
    option_take_function *take; /* of a value */
    size_t field;               /* of a switch: where its bool lies in struct arguments */
};

extern const struct option option_table[]; /* name NULL behind the last */

/* `word` is `--name`, `--name=value` or `-x`. NULL if there is no such option; *ret_value is the
 * text behind `=`, or NULL. */
const struct option *option_find(const char *word, const char **ret_value);

/* As the help of a verb shows them: a few options mean something else there. */
const char *option_argument(const struct option *option, const struct verb *verb);
const char *option_text(const struct option *option, const struct verb *verb);

#endif
