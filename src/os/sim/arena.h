/* Memory of the simulator: a stack that is cut back as a whole.
 *
 * Worlds nest (a crash state of a recovery of a crash state), and the inner one is thrown away
 * before the outer one goes on; so nothing is ever freed singly. Not from malloc: tests let that
 * fail.
 */
#ifndef UNTORN_OS_SIM_ARENA_H
#define UNTORN_OS_SIM_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct sim_arena_mark {
    void *chunk;
    size_t used;
};

void *sim_alloc(size_t size); /* zeroed; never fails (it ends the program instead) */
void *sim_alloc_copy(const void *data, size_t size);
char *sim_alloc_text(const char *text);
struct sim_arena_mark sim_arena_mark(void);
void sim_arena_release(struct sim_arena_mark mark);

/* Makes room for one more element in an array of `count`, growing it in the arena. */
#define SIM_GROW(array, count, capacity)                                                           \
    ((count) < (capacity)                                                                          \
         ? (void)0                                                                                 \
         : (void)((array) = sim_alloc_grown(                                                       \
                      (array), sizeof *(array) * (size_t)(count),                                  \
                      sizeof *(array) * (size_t)((capacity) = (capacity) ? 2 * (capacity) : 16))))
void *sim_alloc_grown(const void *data, size_t size, size_t new_size);

/* Zeros, of which processes forked from now on have the same. Goes by munmap. */
void *sim_shared_memory(size_t size);

/* A set of 64-bit hashes, outside the arena: it outlives the worlds. Zeroed is empty. */
struct sim_set {
    unsigned long long *slots;
    size_t count, capacity;
    bool shared;
};

/* Makes an empty one that processes forked from now on have in common. It does not grow: there is
 * room for half of 2^bits. */
void sim_set_share(struct sim_set *set, int bits);

int sim_set_has(const struct sim_set *set, unsigned long long hash);
int sim_set_add(struct sim_set *set, unsigned long long hash); /* 1 if it is new */
void sim_set_clear(struct sim_set *set);                       /* empty, memory kept */
void sim_set_free(struct sim_set *set);

_Noreturn void sim_panic(const char *what);

#endif
