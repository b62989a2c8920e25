#ifndef UNTORN_TESTS_POSIX_SPAWN_H
#define UNTORN_TESTS_POSIX_SPAWN_H
#include <unistd.h>
typedef int posix_spawn_file_actions_t;
typedef int posix_spawnattr_t;
static inline int posix_spawn(pid_t *pid, const char *path,
                              const posix_spawn_file_actions_t *actions,
                              const posix_spawnattr_t *attributes, char *const arguments[],
                              char *const environment[])
{
    (void)pid, (void)path, (void)actions, (void)attributes, (void)arguments, (void)environment;
    harness_skip("needs posix_spawn");
}
#define posix_spawnp posix_spawn
#endif
