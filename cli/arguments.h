/* What the user asked for: the words of the command line, read by the tables. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <untorn.h>

#include "base/printf_like.h"
#include "verb.h"
#include "words.h"

struct arguments {
    const struct verb *verb;
    char **operands; /* borrowed from argv, as everything here */
    int operand_count;
    char **command; /* what follows `--`, NULL at its end; NULL if the verb takes none */

    struct untorn_options options;
    struct untorn_hash if_match; /* what options.if_match points to */
    enum untorn_records records;
    bool allow_empty, dry_run, report, shared, repair, abandon, help;
    bool last_good, verbose, force;

    enum untorn_format format; /* UNTORN_FORMAT_UNKNOWN: as the name of the file says */
    bool is_text;              /* --format text: no document, whatever the name says */
    bool segments;             /* what follows FILE are the steps of one key */
    bool as_string, as_json, as_toml, tagged;
    bool uuid;            /* the VALUE is made up */
    const char *from;     /* where the one VALUE comes from */
    const char *fallback; /* printed for a key that is not there */
    const char *merge_patch, *json_patch;
    const char *app, *schema;
    enum untorn_scope scope;
    const char *scope_files[UNTORN_SCOPES];
    struct words overrides; /* --override */
    bool show_origin;
    struct words removals; /* --remove */
    struct words matches;  /* --if-match TARGET=HASH, of the verb that has several */
    uint64_t given;        /* OPTION_... bits */
};

/* Finds the verb among argv (options may stand before it) and takes it out of it.
 * Returns 0 with *ret_name NULL if there is none; -1 after telling what is wrong. */
int arguments_find_verb(int *argc, char **argv, const char **ret_name);

/* Reads argv, which keeps argv[0] and has lost the verb. Returns 0, or the exit status after
 * telling what is wrong. With `help` set nothing else was checked. */
int arguments_parse(struct arguments *ret_arguments, const struct verb *verb, int argc,
                    char **argv);

void arguments_free(struct arguments *arguments);

/* "untorn VERB: TEXT (try: untorn VERB --help)" as a message; returns the exit status for it. */
int usage_error(const struct verb *verb, const char *format, ...) PRINTF_LIKE(2, 3);

/* FILE is `-`: standard input to standard output, no file. */
bool is_filter(const struct arguments *arguments);

#endif
