/* The one seam of the command to the operating system, as src/os/os.h is the library's.
 *
 * Everything else in this folder includes C's own headers and untorn's, and reaches streams, paths,
 * terminals, variables and programs through these verbs, through start.h and through child.h. There
 * are two implementations, chosen when building: unix/ and win/, with the same files.
 *
 * Conventions
 *   - Texts are UTF-8 on Windows too: arguments, variables, paths, names. Nothing is translated on
 *     the way in or out; only what a console shows or was typed there changes its encoding.
 *   - Errors are errno values; a count has them negative. EINTR is never one: the call is made
 * again.
 */
#ifndef CLI_SYSTEM_H
#define CLI_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "limits.h"

/* ---- streams ---- */

typedef intptr_t system_stream;
#define SYSTEM_NONE ((system_stream)-1)

enum { SYSTEM_INPUT, SYSTEM_OUTPUT, SYSTEM_MESSAGES }; /* the three that every program has */

/* For reading. Of a pipe that nobody writes into `patient` waits for the first who does. */
int system_open(const char *path, bool patient, system_stream *ret_stream);

/* At least one byte, unless it is the end: 0. */
int64_t system_read(system_stream stream, void *data, size_t size);

/* At least one byte. EPIPE: nobody reads any more. */
int64_t system_write(system_stream stream, const void *data, size_t size);

/* A network file system may tell of a full disk only here. */
int system_close(system_stream stream);

/* ---- the terminal ---- */

bool system_is_terminal(system_stream stream);

/* The same, and it obeys sequences of control characters, for colours. */
bool system_obeys(system_stream stream);

/* How a person ends what is typed. */
extern const char system_end_of_input[];

/* ---- paths ---- */

enum system_kind {
    SYSTEM_NOTHING, /* there is no such name */
    SYSTEM_FILE,
    SYSTEM_DIRECTORY,
    SYSTEM_LINK,
    SYSTEM_OTHER,
    SYSTEM_UNKNOWN, /* it cannot be looked at */
};

/* With `follow` of what a link leads to. `ret_size` of a file, or NULL. */
enum system_kind system_kind(const char *path, bool follow, uint64_t *ret_size);

/* Whether a path may have this character between two names. */
bool system_is_separator(char c);

/* Absolute and without links, as the library gives such paths: new, or NULL. */
char *system_resolve(const char *path);

/* The working directory, as the library gives it; false: it has none any more. */
bool system_here(char path[CLI_PATH]);

/* How people here write what the library gave; borrowed from `path`. */
const char *system_usual(const char *path);

/* Calls `visit` with each name but . and .., with what kind it is, links not followed. Without
 * `follow` a link is no directory. */
int system_list(const char *path, bool follow,
                void (*visit)(void *context, const char *name, enum system_kind kind),
                void *context);

/* ---- drafts ---- */

/* A new empty folder for a copy of `file`, for this user alone. Until `ret_hold`, which may be
 * SYSTEM_NONE, is closed others can tell that somebody is at it. */
int system_make_folder(const char *file, char folder[CLI_PATH], system_stream *ret_hold);

/* Calls `visit` with each such folder for files in a directory, "dir/" or empty for the working
 * directory, that nobody holds. Those that lie elsewhere, or are of other users, are passed over.
 */
void system_list_folders(const char *directory, void (*visit)(void *context, const char *folder),
                         void *context);

/* A new file for this user alone. */
int system_make_file(const char *path, const void *data, size_t size);

/* With the files in it; a folder in it stays, and keeps it. */
void system_remove_folder(const char *folder);

/* ---- facts ---- */

/* A variable of the environment, NULL if it is not set. Borrowed until the next call. */
const char *system_variable(const char *name);

int64_t system_clock_ms(void); /* monotonic */

const char *system_error(int error); /* a sentence for an errno value */

#endif
