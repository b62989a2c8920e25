/* Loads a program's state and saves it again, told apart in all three outcomes:
 *
 *     save_state FILE STATE     replace the state, unless somebody else did since it was loaded
 *
 * No lock is held between loading and saving; the hash of what was read guards the save instead. */
#include <stdio.h>
#include <string.h>

#include <untorn.h>

static int complain(const struct untorn_error *error)
{
    char text[UNTORN_TEXT_SIZE];
    fprintf(stderr, "save_state: %s\n", untorn_describe(error, text, sizeof text));
    return untorn_status_exit_code(error->status);
}

int main(int argc, char **argv)
{
    struct untorn_content loaded;
    struct untorn_error error;
    struct untorn_options options = {.mode = 0600}; /* private from its first byte */
    if (argc != 3) {
        fprintf(stderr, "usage: save_state FILE STATE\n");
        return 2;
    }

    int rc = untorn_read(argv[1], NULL, &loaded, &error);
    if (rc == 0)
        options.if_match = &loaded.hash; /* only if it is still what we loaded */
    else if (rc == -UNTORN_MISSING)
        options.exclusive = true; /* only if there is still none */
    else
        return complain(&error); /* unreadable is not the same as missing: overwrite nothing */

    /* ... the program works; meanwhile another one may save ... */

    rc = untorn_write(argv[1], argv[2], strlen(argv[2]), &options, &error);
    untorn_content_free(&loaded);
    if (rc > 0) /* everybody sees it, but a power loss may still take it: worth another try later */
        fprintf(stderr, "save_state: not confirmed on the disk\n");
    if (rc < 0) /* the old content certainly stays */
        return complain(&error);
    return rc == 0 ? 0 : untorn_status_exit_code(rc);
}
