/* The system calls that the fault driver counts: those that reach files, directories and locks.
 * What a call is named, where its path or handle stands among its arguments, and with which
 * errors the kernel may plausibly answer it. */
#ifndef DRIVER_CALLS_H
#define DRIVER_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum call_kind {
    CALL_PATH_0, /* the path is argument 0 */
    CALL_PATH_1, /* a directory handle is argument 0, the path argument 1 */
    CALL_HANDLE, /* a handle is argument 0 */
    CALL_PLAIN,  /* neither */
};

enum { CALL_ERRORS = 8 };

struct call {
    long number;
    const char *name;
    enum call_kind kind;
    int errors[CALL_ERRORS]; /* ends with 0 */
};

extern const struct call all_calls[];
extern const size_t all_calls_count;

/* NULL if the driver does not count it. */
const struct call *call_by_number(long number);
const struct call *call_by_name(const char *name);

bool call_transfers(const struct call *call); /* argument 2 is a byte count that may be cut */
bool call_writes(const struct call *call);    /* ... and the bytes go out */
bool call_flushes(const struct call *call);

/* The index-th error this very call may plausibly give; 0: none. */
int call_error(const struct call *call, const uint64_t args[6], unsigned index);

/* True if `name` is an item of the comma-separated `list`; an empty or NULL list names all. */
bool call_listed(const char *list, const char *name);

/* "EIO" to its number and back; 0 and NULL if unknown. */
int error_by_name(const char *name);
const char *error_name(int error);

#endif
