/* Read, change, replace, under one lock: no update is lost, however many processes and threads
 * update at once.
 *
 *     static int add_one(void *context, const struct untorn_content *old,
 *                        struct untorn_change *change)
 *     {
 *         char text[32];
 *         long n = old ? strtol(old->data, NULL, 10) : 0;
 *         int size = snprintf(text, sizeof text, "%ld\n", n + 1);
 *         return untorn_change_set(change, text, (size_t)size);
 *     }
 *
 *     untorn_update("counter", add_one, NULL, NULL, &error);
 *
 * The function runs with the lock held and sees the newest version, NULL if there is no file yet.
 * It may use untorn on other files. If the file is replaced meanwhile, by a program that knows
 * nothing of untorn or by the function itself, the function is called again with the newer version:
 * it must not rely on being called once.
 *
 * Options: all but exclusive.
 */
#ifndef UNTORN_UPDATE_H
#define UNTORN_UPDATE_H

#include <untorn/error.h>
#include <untorn/options.h>
#include <untorn/read.h>

struct untorn_change;

/* Return 0 to go on: with the content last given to untorn_change_set, or with no change at all
 * if it was not called. Anything else refuses: nothing is written, untorn_update returns
 * -UNTORN_REFUSED, and the number stands in error.os_error. `old` is borrowed for the call. */
typedef int untorn_change_function(void *context, const struct untorn_content *old,
                                   struct untorn_change *change);

UNTORN_BEGIN_C

UNTORN_API int untorn_update(const char *path, untorn_change_function *function, void *context,
                             const struct untorn_options *options, struct untorn_error *reterr);

/* Copies `size` bytes as the new content. Returns 0, or -UNTORN_NO_MEMORY. */
UNTORN_API int untorn_change_set(struct untorn_change *change, const void *data, size_t size);

/* Gives `data` (from malloc) away as the new content, without a copy. */
UNTORN_API void untorn_change_give(struct untorn_change *change, void *data, size_t size);

UNTORN_END_C

#endif
