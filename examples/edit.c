/* Sets one value of a JSON or TOML file, and says what it was:
 *
 *     edit FILE KEY VALUE       edit app.toml server.port 8080
 *
 * Comments, order and layout of the file stay. The value takes the type of the one it replaces. */
#include <stdio.h>
#include <string.h>

#include <untorn.h>

static int complain(const struct untorn_error *error)
{
    char text[UNTORN_TEXT_SIZE];
    fprintf(stderr, "edit: %s\n", untorn_describe(error, text, sizeof text));
    return untorn_status_exit_code(error->status);
}

static void print_old(const struct untorn_document *document, const char *key)
{
    const struct untorn_node *node = untorn_document_find(document, key, NULL);
    const char *text = node ? untorn_node_text(node, NULL) : NULL; /* an array or object has none */
    printf("it was %s\n", text ? text : node ? "more than one value" : "not there");
}

int main(int argc, char **argv)
{
    struct untorn_document *document;
    struct untorn_error error;
    if (argc != 4) {
        fprintf(stderr, "usage: edit FILE KEY VALUE\n");
        return 2;
    }

    int rc = untorn_document_read(argv[1], NULL, UNTORN_FORMAT_UNKNOWN, &document, &error);
    if (rc == 0)
        print_old(document, argv[2]);
    else if (rc != -UNTORN_MISSING) /* a missing file is made below */
        return complain(&error);
    untorn_document_free(document);

    /* Looked at anew under the lock: what others changed since the line above is not lost. */
    struct untorn_edit edit = {
        .kind = UNTORN_SET, .key = argv[2], .value = argv[3], .value_size = strlen(argv[3])};
    if (untorn_edit(argv[1], &edit, 1, NULL, NULL, &error) != 0)
        return complain(&error);
    return 0;
}
