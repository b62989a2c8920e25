#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "limits.h"
#include "message.h"
#include "output.h"

int input_open(const char *source, struct input *ret_input)
{
    if (!source || strcmp(source, "-") == 0) {
        *ret_input = (struct input){STDIN_FILENO, true, false, "standard input"};
        if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO))
            message("reading standard input (Ctrl-D ends it)");
        return 0;
    }
    int fd = open(source, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    *ret_input = (struct input){fd, false, false, source};
    return fd < 0 ? errno : 0;
}

int input_piece(struct input *input, char *data, size_t size, size_t *ret_size)
{
    size_t filled = 0;
    while (filled < size && !input->ended) {
        ssize_t count = read(input->fd, data + filled, size - filled);
        if (count >= 0)
            filled += (size_t)count, input->ended = count == 0;
        else if (errno != EINTR)
            return errno;
    }
    *ret_size = filled;
    return 0;
}

void input_close(struct input *input)
{
    if (!input->is_standard && input->fd >= 0)
        close(input->fd);
    input->fd = -1;
}

int input_to_output(const struct input *input)
{
    static char piece[CLI_PIECE];
    for (;;) {
        ssize_t count = read(input->fd, piece, sizeof piece);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno;
        if (count == 0 || !output_now(piece, (size_t)count))
            return 0;
    }
}
