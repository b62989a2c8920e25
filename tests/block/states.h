/* Which states a power loss can leave on a block device between two flushes: what was there at the
 * first of them, and any choice of the writes since, in their order. A write is cut into units of
 * 4 KiB, each of which is there or not: file systems rely on that a sector is whole, and their
 * superblocks are one.
 *
 * All choices where there are few. Else all beginnings, all but one, one alone, a pair of which the
 * first is lost, and others by chance. What leads to equal bytes is one state.
 */
#ifndef BLOCK_STATES_H
#define BLOCK_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNIT = 4096 };

struct unit {
    uint64_t offset, size;
    const char *data; /* NULL: zeros */
    uint64_t hash;    /* of what it writes and where */
};

struct epoch {
    struct unit *units; /* new */
    size_t count, room;
};

void epoch_add(struct epoch *epoch, uint64_t offset, const char *data, uint64_t size);
void epoch_clear(struct epoch *epoch);

/* One choice, a byte for each unit: 1 if it is kept. */
typedef unsigned char choice;

/* Calls `visit` with at most `limit` choices that lead to different bytes. */
typedef void visit_choice(void *context, const choice *kept);
void epoch_choices(const struct epoch *epoch, size_t limit, uint64_t seed, visit_choice *visit,
                   void *context);

/* Of a choice: a number that is the same for equal bytes. */
uint64_t epoch_hash(const struct epoch *epoch, const choice *kept);

/* A choice as a text, `0-3,7`; empty for none. And back: false if it makes no sense. */
void choice_print(const struct epoch *epoch, const choice *kept, char *text, size_t size);
bool choice_parse(const struct epoch *epoch, const char *text, choice *ret_kept);

#endif
