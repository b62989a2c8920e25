/* Looks into a process that is stopped under ptrace: what its call is about, which file a handle
 * of it is, where its dynamic loader lies. Changes nothing there. */
#ifndef DRIVER_TRACEE_H
#define DRIVER_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "calls.h"

struct identity {
    dev_t device;
    ino_t inode;
};

/* The absolute path a call names, by text or by handle; empty if it names none. Control
 * characters become question marks. */
void tracee_path(pid_t pid, const struct call *call, const uint64_t args[6], char *text,
                 size_t size);

/* Name, path and the argument that tells most, separated by tabs. */
void tracee_call(pid_t pid, const struct call *call, const uint64_t args[6], char *text,
                 size_t size);

bool tracee_identify(pid_t pid, int fd, struct identity *ret, bool *ret_regular);

/* The addresses of the dynamic loader; both 0 in a static program. */
void tracee_loader(pid_t pid, uint64_t *ret_low, uint64_t *ret_high);

#endif
