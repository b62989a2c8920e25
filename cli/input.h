/* Where new content comes from: standard input, or a file that the user named. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"

struct input {
    system_stream stream;
    bool is_standard;
    bool ended;       /* not asked again: a terminal would wait for a second Ctrl-D */
    const char *name; /* for messages; borrowed */
};

/* `source` NULL or "-": standard input. 0 or an errno value. On a terminal it says that standard
 * input is being read, because a command that waits silently looks broken. */
int input_open(const char *source, struct input *ret_input);

/* Fills `data` unless the end comes before. 0 or an errno value; *ret_size 0 at the end. */
int input_piece(struct input *input, char *data, size_t size, size_t *ret_size);

void input_close(struct input *input);

/* Copies it to standard output, to its end or until that breaks. 0 or an errno value of reading. */
int input_to_output(const struct input *input);

#endif
