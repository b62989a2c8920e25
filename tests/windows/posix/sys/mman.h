#ifndef UNTORN_TESTS_POSIX_MMAN_H
#define UNTORN_TESTS_POSIX_MMAN_H
#include <unistd.h>
#define MAP_FAILED ((void *)-1)
enum {
    PROT_NONE = 0,
    PROT_READ = 1,
    PROT_WRITE = 2,
    MAP_SHARED = 1,
    MAP_PRIVATE = 2,
    MAP_ANONYMOUS = 4,
    MAP_NORESERVE = 8
};
void *mmap(void *at, size_t size, int protection, int flags, int file, int64_t offset);
int munmap(void *at, size_t size);
int mprotect(void *at, size_t size, int protection);
#endif
