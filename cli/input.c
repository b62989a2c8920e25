#include "input.h"

#include <string.h>

#include "limits.h"
#include "message.h"
#include "output.h"

int input_open(const char *source, struct input *ret_input)
{
    if (!source || strcmp(source, "-") == 0) {
        *ret_input = (struct input){SYSTEM_INPUT, true, false, "standard input"};
        if (system_is_terminal(SYSTEM_INPUT) && system_is_terminal(SYSTEM_MESSAGES))
            message("reading standard input (%s ends it)", system_end_of_input);
        return 0;
    }
    *ret_input = (struct input){SYSTEM_NONE, false, false, source};
    return system_open(source, true, &ret_input->stream);
}

int input_piece(struct input *input, char *data, size_t size, size_t *ret_size)
{
    size_t filled = 0;
    while (filled < size && !input->ended) {
        int64_t count = system_read(input->stream, data + filled, size - filled);
        if (count < 0)
            return (int)-count;
        filled += (size_t)count;
        input->ended = count == 0;
    }
    *ret_size = filled;
    return 0;
}

void input_close(struct input *input)
{
    if (!input->is_standard && input->stream != SYSTEM_NONE)
        (void)system_close(input->stream); /* it was only read */
    input->stream = SYSTEM_NONE;
}

int input_to_output(const struct input *input)
{
    static char piece[CLI_PIECE];
    for (;;) {
        int64_t count = system_read(input->stream, piece, sizeof piece);
        if (count < 0)
            return (int)-count;
        if (count == 0 || !output_now(piece, (size_t)count))
            return 0;
    }
}
