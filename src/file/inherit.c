#include "file/inherit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <untorn/lock.h>

#include "base/limits.h"

struct passed {
    long long fd;
    unsigned long long device, inode;
    char kind;
    long long pid; /* who has the lock, and when it started; 0: whoever has the handle */
    unsigned long long start;
};

/* Reads one entry and moves on to the next; false at the end or where the text makes no sense. */
static bool next_entry(const char **text, struct passed *ret_entry)
{
    int used = 0;
    if (sscanf(*text, "%lld:%llu:%llu:%c%n", &ret_entry->fd, &ret_entry->device, &ret_entry->inode,
               &ret_entry->kind, &used) != 4)
        return false;
    *text += used;
    if (sscanf(*text, ":%lld:%llu%n", &ret_entry->pid, &ret_entry->start, &used) == 2)
        *text += used;
    else
        ret_entry->pid = 0;
    *text += **text == ',';
    return true;
}

/* Where a lock is not inherited with its handle: whether he who has it, and passed it on, still
 * runs. */
static bool is_held_for_us(const struct passed *entry)
{
    struct os_process holder;
    os_self(&holder); /* for the run of the system */
    if (holder.pid == entry->pid)
        return false;
    holder.pid = entry->pid;
    holder.start = entry->start;
    return os_is_alive(&holder);
}

/* The kernel grants a lock again to the opening that holds it, and refuses it to all others. */
static bool possesses(const struct passed *entry, const struct os_stat *lock_file)
{
    struct os_stat now;
    enum os_lock kind = entry->kind == 's' ? OS_LOCK_SHARED : OS_LOCK_EXCLUSIVE;
    if (entry->fd <= 2 || os_stat((os_fd)entry->fd, NULL, &now) < 0 ||
        !os_same_file(&now, lock_file))
        return false;
    int rc = os_lock((os_fd)entry->fd, kind);
    if (os_lock_is_inherited() || kind == OS_LOCK_SHARED)
        return rc == 0;
    return rc == 0 || (rc == -EWOULDBLOCK && is_held_for_us(entry));
}

bool inherit_holds(const struct os_stat *lock_file, enum os_lock *ret_kind)
{
    const char *text = os_variable(UNTORN_LOCK_VARIABLE);
    struct passed entry;
    for (int i = 0; text && *text && i < LIMIT_INHERITED && next_entry(&text, &entry); i++) {
        if (entry.device == lock_file->device && entry.inode == lock_file->inode &&
            possesses(&entry, lock_file)) {
            *ret_kind = entry.kind == 's' ? OS_LOCK_SHARED : OS_LOCK_EXCLUSIVE;
            return true;
        }
    }
    return false;
}

bool inherit_copy(char *value, size_t size, size_t *ret_used, size_t *ret_entries)
{
    const char *start = os_variable(UNTORN_LOCK_VARIABLE), *text = start ? start : "";
    const char *end = text;
    struct passed entry;
    *ret_entries = *ret_used = 0;
    if (size == 0)
        return false;
    value[0] = '\0';
    while (*ret_entries < LIMIT_INHERITED && next_entry(&text, &entry)) {
        end = text;
        ++*ret_entries;
    }
    *ret_used = start ? (size_t)(end - start) : 0;
    if (*ret_used > 0 && start[*ret_used - 1] == ',')
        --*ret_used;
    if (*ret_used >= size)
        return false;
    if (start)
        memcpy(value, start, *ret_used);
    value[*ret_used] = '\0';
    return true;
}

static bool add_holder(char *value, size_t size, size_t *used)
{
    struct os_process self;
    os_self(&self);
    int n = snprintf(value + *used, size - *used, ":%lld:%llu", (long long)self.pid,
                     (unsigned long long)self.start);
    if (n < 0 || (size_t)n >= size - *used)
        return false;
    *used += (size_t)n;
    return true;
}

bool inherit_add(char *value, size_t size, size_t *used, os_fd fd, const struct os_stat *stat,
                 enum os_lock kind)
{
    int n = snprintf(value + *used, size - *used, "%s%lld:%llu:%llu:%c", *used ? "," : "",
                     (long long)fd, (unsigned long long)stat->device,
                     (unsigned long long)stat->inode, kind == OS_LOCK_SHARED ? 's' : 'x');
    if (n < 0 || (size_t)n >= size - *used)
        return false;
    *used += (size_t)n;
    return os_lock_is_inherited() || add_holder(value, size, used);
}
