/* The outcomes. One list makes the enum, the names, the messages, the exit codes of the command
 * and the exceptions of the bindings.
 *
 * A call returns exactly one of three things:
 *
 *   0                  done
 *   -UNTORN_something  failed, and the old content certainly stays
 *   +UNTORN_something  not settled: the new content is visible, or may become so with the next
 *                      call; that it survives a power loss is not confirmed. The statuses
 *                      that say so begin with UNTORN_UNSETTLED and are never returned negative.
 *
 * Columns: name, number, exit code of the command, what happened. Numbers never change meaning.
 */
#ifndef UNTORN_STATUS_H
#define UNTORN_STATUS_H

#include <untorn/visibility.h>

#define UNTORN_STATUS_LIST(X)                                                                      \
    X(OK, 0, 0, "done")                                                                            \
    X(INVALID, 1, 2, "the call does not make sense")                                               \
    X(MISSING, 2, 3, "no such file")                                                               \
    X(NOT_A_FILE, 3, 4, "not a regular file")                                                      \
    X(DAMAGED, 4, 4, "the content is damaged")                                                     \
    X(CHANGED, 5, 5, "the file is not the version you expected")                                   \
    X(EXISTS, 6, 5, "the file exists already")                                                     \
    X(LOCKED, 7, 6, "the lock was not obtained in time")                                           \
    X(NO_SPACE, 8, 1, "no space left on the device")                                               \
    X(DENIED, 9, 1, "permission denied")                                                           \
    X(READ_ONLY, 10, 1, "the file system is read-only")                                            \
    X(IO, 11, 1, "input/output error")                                                             \
    X(LINK_LOOP, 12, 1, "too many symbolic links")                                                 \
    X(LINK_REFUSED, 13, 1, "a symbolic link, which was to be refused")                             \
    X(NO_STATE, 14, 1, "no place beside the file for its lock")                                    \
    X(UNTRUSTED, 15, 1, "the folder for untorn's own files is not safe to use")                    \
    X(NEWER_FORMAT, 16, 1, "written by a newer untorn")                                            \
    X(UNSUPPORTED, 17, 1, "this file system cannot give what was asked for")                       \
    X(NO_MEMORY, 18, 1, "out of memory")                                                           \
    X(TOO_LARGE, 19, 1, "too large")                                                               \
    X(REFUSED, 20, 1, "the change was refused by the caller's function")                           \
    X(DEADLOCK, 21, 1, "an exclusive lock was asked for while holding a shared one")               \
    X(RESTLESS, 22, 1, "the file, or the folder of its lock, kept changing underneath")            \
    X(NAME, 23, 1, "the name cannot be used")                                                      \
    X(FAILED, 24, 1, "the operating system refused")                                               \
    X(NO_KEY, 25, 3, "no such key")                                                                \
    X(TYPE, 26, 1, "the value has another type")                                                   \
    X(AMBIGUOUS, 27, 1, "the key means more than one place")                                       \
    X(TEST_FAILED, 28, 5, "a test of the patch failed")                                            \
    X(UNKNOWN_FORMAT, 29, 2, "not known what kind of document this is")                            \
    X(NOT_A_DOCUMENT, 30, 1, "the new content is no document of this kind")                        \
    X(MISPLANNED, 31, 1, "the edit would not have given what was asked for; please report this")   \
    X(IN_DOUBT, 32, 1, "an unfinished commit of several files cannot be decided")                  \
    X(NO_VERSION, 33, 3, "no such earlier version")                                                \
    X(MIXED, 34, 4, "the files are not of one commit")                                             \
    X(NOT_ALLOWED, 35, 1, "the schema does not allow it")                                          \
    X(MISFIT, 36, 4, "not what the schema asks for")                                               \
    X(UNFINISHED, 37, 1, "an earlier, interrupted write cannot be finished yet")                   \
    X(UNSETTLED_FLUSH, 100, 7, "saved and visible, but not confirmed on the disk")                 \
    X(UNSETTLED_IN_PLACE, 101, 7, "half written; the next call finishes it")                       \
    X(UNSETTLED_SET, 102, 7,                                                                       \
      "committed, but not every file is in place yet; the next call does it")                      \
    X(UNSETTLED_COMBINED, 103, 7,                                                                  \
      "handed to another process that was changing the file; whether it was made is not known")

#define UNTORN_STATUS_ENUM(name, number, exit_code, text) UNTORN_##name = number,
enum untorn_status { UNTORN_STATUS_LIST(UNTORN_STATUS_ENUM) };
#undef UNTORN_STATUS_ENUM

UNTORN_BEGIN_C

/* All three take a status or a return value of any call; the sign does not matter.
 * The texts are borrowed and static. */

/* "NO_SPACE". */
UNTORN_API const char *untorn_status_name(int status);

/* "no space left on the device". */
UNTORN_API const char *untorn_status_text(int status);

/* The exit code the command would end with: 0 done, 1 failed, 2 usage, 3 missing, 4 not what it
 * should be, 5 changed or exists, 6 lock not obtained, 7 not settled. */
UNTORN_API int untorn_status_exit_code(int status);

UNTORN_END_C

#endif
