#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "start.h"
#include "unix/inside.h"

static bool pipe_was_ignored;

void start_up(int *argc, char ***argv)
{
    /* Each opened the wrong way round: reading and writing fail with EBADF, as they should. */
    static const int ways[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    (void)argc, (void)argv; /* bytes, as they are */
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", ways[fd]) != fd)
            abort();
    pipe_was_ignored = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
}

void start_many_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* else it is as many as before, and that is told */
}

bool pipe_signal_was_ignored(void)
{
    return pipe_was_ignored;
}
