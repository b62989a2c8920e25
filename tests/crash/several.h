/* Several simulated processes on one file: what the tests of them have in common. Each adds a
 * letter of its own to it, `A` the first. */
#ifndef UNTORN_TESTS_CRASH_SEVERAL_H
#define UNTORN_TESTS_CRASH_SEVERAL_H

#include "leave.h"
#include "oracle.h"
#include "os/os.h"
#include "os/sim/interleave.h"

static const char shared_file[] = "/d/a.json";

/* A process: holds the lock until the others wait for it. */
static inline void hold_for_a_while(void *context, int number)
{
    struct untorn_lock *lock;
    (void)context, (void)number;
    if (untorn_lock(shared_file, UNTORN_LOCK_EXCLUSIVE, NULL, &lock, NULL) != 0)
        return;
    os_sleep_ns(2000000);
    untorn_unlock(lock);
}

static inline int edit_shared(const char *key, char letter, const struct untorn_options *options)
{
    struct untorn_edit edit = {
        .kind = UNTORN_SET, .key = key, .value = &letter, .value_size = sizeof letter};
    return untorn_edit(shared_file, &edit, 1, NULL, options, NULL);
}

static inline char letter_of(int number)
{
    return (char)('A' + number);
}

static inline int count_letter(const char *text, char letter)
{
    int found = 0;
    for (; *text; text++)
        found += *text == letter;
    return found;
}

/* What any next call does. */
static inline void touch_shared(void *context)
{
    (void)context;
    (void)untorn_update(shared_file, leave, NULL, NULL, NULL);
}

static inline const char *judge_is_document(const char *text)
{
    if (!text)
        return "the file is gone";
    bool whole = untorn_document_check(text, strlen(text), UNTORN_JSON, NULL) == 0;
    return whole ? NULL : "the file is no document";
}

#endif
