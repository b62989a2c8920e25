#ifndef UNTORN_TESTS_POSIX_WAIT_H
#define UNTORN_TESTS_POSIX_WAIT_H
#include <unistd.h>
#define WIFEXITED(status) ((status) >= 0)
#define WEXITSTATUS(status) (status)
#define WIFSIGNALED(status) ((status) < 0)
#define WTERMSIG(status) (-(status))
#define WIFSTOPPED(status) 0
#define strsignal(number) "another"
enum { WNOHANG = 1, WUNTRACED = 2 };
static inline pid_t waitpid(pid_t pid, int *status, int flags)
{
    (void)pid, (void)status, (void)flags;
    harness_skip("needs fork");
}
#define wait(status) waitpid(-1, status, 0)
#endif
