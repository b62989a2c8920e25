/* How a verb ends: what happened to which path, told once on standard error, with --report as a
 * line of JSON on standard output, and as the exit status.
 *
 *     struct outcome outcome = outcome_begin(arguments, path);
 *     ... outcome_library(&outcome, &error), or outcome_fail(&outcome, ...) ...
 *     return outcome_finish(&outcome);
 */
#ifndef CLI_OUTCOME_H
#define CLI_OUTCOME_H

#include <stdbool.h>

#include <untorn.h>

#include "arguments.h"
#include "limits.h"
#include "words.h"

/* One of several files that a verb was given. */
struct outcome_target {
    const char *path; /* borrowed */
    bool removed;     /* there is no content, and no hash */
    struct untorn_hash hash;
};

struct outcome {
    const struct arguments *arguments;
    const char *path; /* borrowed */
    int status;       /* enum untorn_status */
    int exit_code;
    unsigned flags;
    uint64_t position;
    const struct words *files;            /* all that were changed, if that are several; or NULL */
    const struct outcome_target *targets; /* borrowed; with what each is now */
    size_t target_count;
    bool has_hash; /* of the content that the file has now */
    struct untorn_hash hash;
    const char *value;                /* that was asked for, as JSON; borrowed, or NULL */
    char text[CLI_TEXT];              /* what happened, "PATH: ... (...)"; empty on success */
    char excerpt[UNTORN_DETAIL_SIZE]; /* the line that cannot be parsed, and a caret; or empty */
};

struct outcome outcome_begin(const struct arguments *arguments, const char *path);

/* What the library said, whether it worked or not. */
void outcome_library(struct outcome *outcome, const struct untorn_error *error);

/* For a dry run, of a file that could not be read: it is missing, and its directory is there or
 * would be made. */
bool outcome_would_create(const struct outcome *outcome, const struct untorn_error *error);

/* The same in words only: one line into `text` (CLI_TEXT bytes), and what shows the place in a
 * document, if anything, into `excerpt` (UNTORN_DETAIL_SIZE bytes). `path` is for an error that
 * names none. */
void outcome_describe(const struct untorn_error *error, const char *path, char *text,
                      char *excerpt);

/* What the command found itself. The text goes behind "PATH: ". */
void outcome_fail(struct outcome *outcome, enum untorn_status status, int exit_code,
                  const char *format, ...) PRINTF_LIKE(4, 5);

/* Behind what happened, whatever that is. */
void outcome_add(struct outcome *outcome, const char *format, ...) PRINTF_LIKE(2, 3);

/* A call of the library that has no struct untorn_error: `what` failed with `rc`. */
void outcome_result(struct outcome *outcome, const char *what, int rc);

/* A source that could not be read: names the source, not the file that stays as it was. */
void outcome_source(struct outcome *outcome, const char *source, int os_error);

/* Standard input has nothing to replace the content of the file with. */
void outcome_refuse_empty(struct outcome *outcome);

/* Tells it and returns the exit status. */
int outcome_finish(const struct outcome *outcome);

#endif
