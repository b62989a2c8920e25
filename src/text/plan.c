#include "text/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

enum { FIRST_ROOM = 4 };

static bool make_room(struct plan *plan)
{
    if (plan->count < plan->room)
        return true;
    size_t room = plan->room ? 2 * plan->room : FIRST_ROOM;
    if (room > SIZE_MAX / sizeof *plan->splices)
        return false;
    struct splice *splices = realloc(plan->splices, room * sizeof *splices);
    if (!splices)
        return false;
    plan->splices = splices;
    plan->room = room;
    return true;
}

bool plan_add(struct plan *plan, struct span at, const char *text, size_t size)
{
    if (!make_room(plan))
        return false;
    size_t place = plan->count++;
    for (; place > 0 && plan->splices[place - 1].at.start > at.start; place--)
        plan->splices[place] = plan->splices[place - 1];
    plan->splices[place] = (struct splice){at, text, size};
    return true;
}

bool plan_append(struct plan *plan, struct span at, const char *text, size_t size)
{
    if (!make_room(plan))
        return false;
    plan->splices[plan->count++] = (struct splice){at, text, size};
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const struct span *one = &((const struct splice *)a)->at;
    const struct span *other = &((const struct splice *)b)->at;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    return (one->end > other->end) - (one->end < other->end);
}

void plan_sort(struct plan *plan)
{
    if (plan->count > 1)
        qsort(plan->splices, plan->count, sizeof *plan->splices, compare_places);
}

/* How long the new text is; SIZE_MAX if it cannot be that long. */
static size_t size_after(const struct plan *plan, size_t size)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct splice *splice = &plan->splices[i];
        size_t without = size - (size_t)(splice->at.end - splice->at.start);
        if (splice->size >= SIZE_MAX - 1 - without)
            return SIZE_MAX;
        size = without + splice->size;
    }
    return size;
}

static char *put(char *to, const char *from, size_t size)
{
    if (size > 0)
        memcpy(to, from, size);
    return to + size;
}

char *plan_apply(const struct plan *plan, const char *text, size_t size, size_t *ret_size)
{
    size_t whole = size_after(plan, size);
    char *result = whole < SIZE_MAX ? pages_malloc(whole + 1) : NULL;
    if (!result)
        return NULL;
    char *to = result;
    uint64_t done = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct splice *splice = &plan->splices[i];
        to = put(to, text + done, (size_t)(splice->at.start - done)); /* [PLAN-1] */
        to = put(to, splice->text, splice->size);
        done = splice->at.end;
    }
    to = put(to, text + done, size - (size_t)done);
    *to = '\0';
    *ret_size = whole;
    return result;
}

void plan_free(struct plan *plan)
{
    free(plan->splices);
    arena_free(&plan->arena);
    *plan = (struct plan){0};
}
