#include "txn/group.h"

#include <stdlib.h>

bool group_is_large(size_t count)
{
    return count > LIMIT_OPEN_MEMBERS;
}

static int compare(const void *left, const void *right)
{
    const struct os_stat *a = &(*(struct target *const *)left)->lock.own->stat;
    const struct os_stat *b = &(*(struct target *const *)right)->lock.own->stat;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->inode < b->inode ? -1 : a->inode > b->inode;
}

bool group_sort(struct target **targets, size_t count, struct target *ret_twins[2])
{
    qsort(targets, count, sizeof *targets, compare);
    for (size_t i = 1; i < count; i++) {
        if (compare(&targets[i - 1], &targets[i]) != 0)
            continue;
        ret_twins[0] = targets[i - 1];
        ret_twins[1] = targets[i];
        return true;
    }
    return false;
}

void group_release(struct target **targets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        target_rest(targets[i]);
        lock_release(&targets[i]->lock);
    }
}

/* [GROUP-1] */
void group_limit_wait(struct target *target)
{
    uint64_t soon = os_clock_ns() + LIMIT_OUT_OF_ORDER_NS;
    if (registry_holds_after(&target->lock.own->stat) && target->deadline > soon)
        target->deadline = soon;
}

int group_lock(struct target **targets, size_t count, struct target **ret_failed,
               struct untorn_error *error)
{
    int rc = 0;
    qsort(targets, count, sizeof *targets, compare);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        *ret_failed = targets[i];
        group_limit_wait(targets[i]);
        rc = target_lock(targets[i], OS_LOCK_EXCLUSIVE, error);
        if (rc == 0 && group_is_large(count))
            target_rest(targets[i]);
    }
    if (rc != 0)
        group_release(targets, count);
    return rc;
}
