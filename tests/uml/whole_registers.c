/* To be preloaded into linux.uml: it sets the registers of its programs by a record whose size was
 * right before processors had AMX, and Linux refuses a record that is not whole. What it does not
 * know of is filled in from what is there. */
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

typedef long (*ptrace_function)(enum __ptrace_request, pid_t, void *, void *);

/* 0: set as a whole. 1: the record was whole already. */
static long fill_in(ptrace_function next, pid_t pid, void *kind, const struct iovec *record)
{
    static unsigned char bytes[1 << 16];
    struct iovec whole = {bytes, sizeof bytes};
    if (next(PTRACE_GETREGSET, pid, kind, &whole) < 0)
        return -1;
    if (record->iov_len >= whole.iov_len)
        return 1;
    memcpy(bytes, record->iov_base, record->iov_len);
    return next(PTRACE_SETREGSET, pid, kind, &whole);
}

long ptrace(enum __ptrace_request request, ...)
{
    static ptrace_function next;
    va_list arguments;
    va_start(arguments, request);
    pid_t pid = va_arg(arguments, pid_t);
    void *address = va_arg(arguments, void *), *data = va_arg(arguments, void *);
    va_end(arguments);
    if (!next)
        next = (ptrace_function)dlsym(RTLD_NEXT, "ptrace");
    if (request == PTRACE_SETREGSET && (long)address == NT_X86_XSTATE) {
        long rc = fill_in(next, pid, address, data);
        if (rc <= 0)
            return rc;
    }
    return next(request, pid, address, data);
}
