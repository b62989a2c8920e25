/* Running the user's command, under a lock that it inherits.
 *
 * While it runs, untorn stays to the end of it: Ctrl-C reaches both from the terminal, and the
 * command decides what it means; SIGTERM, SIGHUP and a SIGINT that another process sent to untorn
 * alone are handed on. What came is remembered in `signal`, so that nothing is saved after it.
 *
 * On Windows the lock is not the command's: untorn has it until the command ends. There a program
 * is looked for in the folders of PATH, with the endings of PATHEXT, and not in the working
 * directory.
 */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"

struct child_result {
    int start_error; /* an errno value: the command could not be started */
    int pipe_error;  /* an errno value: its output could not be collected */
    int exit_status; /* of the command, if it ended by itself */
    int killed_by;   /* the signal that ended it, or 0 */
    int signal;      /* the signal that untorn got meanwhile, or 0 */
    bool must_end;   /* that was not Ctrl-C, which an editor takes for something else */
};

/* Runs `command` with our own standard input and output. `lock_value` is for its UNTORN_LOCK;
 * NULL leaves the environment as it is. */
struct child_result child_run(char *const *command, const char *lock_value);

/* Runs it with `input` as its standard input and collects its standard output. It may write
 * before it reads, and need not read at all. */
struct child_result child_filter(char *const *command, const char *lock_value, const void *input,
                                 size_t size, struct bytes *output);

/* Runs an editor, one word or several as its variable names it, on a file. */
struct child_result child_edit(const char *editor, char *path);

/* Those that are usual here, the first first, NULL behind the last; and what is said if none of
 * them is there. */
extern const char *const child_editors[];
extern const char child_no_editor[];

const char *child_signal_text(int signal);

/* 127 for a command that is not there, 126 for one that cannot be run: as env(1) and shells. */
static inline int child_start_status(const struct child_result *result)
{
    return result->start_error == ENOENT ? 127 : 126;
}

/* Ends untorn by the signal it got, as if it had not caught it: a shell that waits for untorn then
 * knows to stop as well. */
void child_die_of(int signal);

#endif
