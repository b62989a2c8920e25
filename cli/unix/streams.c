#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system.h"

int system_open(const char *path, bool patient, system_stream *ret_stream)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (patient ? 0 : O_NONBLOCK));
    if (fd < 0)
        return errno;
    *ret_stream = fd;
    return 0;
}

int64_t system_read(system_stream stream, void *data, size_t size)
{
    ssize_t count;
    do
        count = read((int)stream, data, size);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

int64_t system_write(system_stream stream, const void *data, size_t size)
{
    ssize_t count;
    do
        count = write((int)stream, data, size);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

int system_close(system_stream stream)
{
    return close((int)stream) != 0 ? errno : 0;
}

bool system_is_terminal(system_stream stream)
{
    return isatty((int)stream);
}

bool system_obeys(system_stream stream)
{
    const char *terminal = isatty((int)stream) ? getenv("TERM") : NULL;
    return terminal && strcmp(terminal, "dumb") != 0;
}

const char system_end_of_input[] = "Ctrl-D";
