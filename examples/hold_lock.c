/* Runs a shell command whose output becomes the content of a file, with the file's lock held from
 * before the command starts until its output is saved, so that nobody asks twice at once:
 *
 *     hold_lock FILE COMMAND
 *
 * The pattern for a token that is renewed by asking a server: lock, look whether somebody else has
 * renewed it meanwhile, ask, save. */
#include <stdio.h>

#include <untorn.h>

/* What the command prints; 0 if it fails. */
static size_t ask(const char *command, char *answer, size_t size)
{
    FILE *output = popen(command, "r");
    size_t n = output ? fread(answer, 1, size, output) : 0;
    return output && pclose(output) == 0 ? n : 0;
}

int main(int argc, char **argv)
{
    struct untorn_options patient = {.wait_ms = 30000}; /* the one before us may ask as long */
    struct untorn_options secret = {.mode = 0600};
    struct untorn_lock *lock = NULL;
    struct untorn_content present;
    struct untorn_error error;
    char answer[4096], text[UNTORN_TEXT_SIZE];
    if (argc != 3) {
        fprintf(stderr, "usage: hold_lock FILE COMMAND\n");
        return 2;
    }
    int rc = untorn_lock(argv[1], UNTORN_LOCK_EXCLUSIVE, &patient, &lock, &error);
    if (rc == 0 && untorn_read(argv[1], NULL, &present, NULL) == 0) {
        printf("somebody else has it already\n");
        untorn_content_free(&present);
    } else if (rc == 0) {
        size_t size = ask(argv[2], answer, sizeof answer);
        if (size == 0) {
            fprintf(stderr, "hold_lock: the command failed; nothing is saved\n");
            return 1; /* the lock ends with us */
        }
        rc = untorn_write(argv[1], answer, size, &secret, &error); /* nests in the lock */
    }
    untorn_unlock(lock); /* NULL is fine */
    if (rc != 0)
        fprintf(stderr, "hold_lock: %s\n", untorn_describe(&error, text, sizeof text));
    return untorn_status_exit_code(rc);
}
