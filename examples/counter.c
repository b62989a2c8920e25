/* Counts its own runs in a file, correctly also when many copies run at once:
 *
 *     counter FILE
 *
 * The shortest use of untorn_update: a function gets the newest content and sets the next one,
 * while the lock is held. */
#include <stdio.h>
#include <stdlib.h>

#include <untorn.h>

static int add_one(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    long *count = context;
    char text[32];
    *count = old ? strtol(old->data, NULL, 10) + 1 : 1; /* no file yet: the first run */
    int size = snprintf(text, sizeof text, "%ld\n", *count);
    return untorn_change_set(change, text, (size_t)size);
}

int main(int argc, char **argv)
{
    struct untorn_error error;
    char text[UNTORN_TEXT_SIZE];
    long count = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: counter FILE\n");
        return 2;
    }
    if (untorn_update(argv[1], add_one, &count, NULL, &error) != 0) {
        fprintf(stderr, "counter: %s\n", untorn_describe(&error, text, sizeof text));
        return untorn_status_exit_code(error.status);
    }
    printf("run number %ld\n", count);
    return 0;
}
