/* A registry of named entries in one JSON file, which many programs change at once:
 *
 *     registry FILE add NAME VALUE     fails with 5 if the name is taken
 *     registry FILE remove NAME        fails with 3 if there is none
 *     registry FILE list
 *
 * Names are taken as they are: dots, slashes and quotes in them mean nothing. */
#include <stdio.h>
#include <string.h>

#include <untorn.h>

static int add(const char *file, struct untorn_edit *edit, struct untorn_error *error)
{
    struct untorn_document *document;
    const struct untorn_node *node;
    int rc = untorn_ensure(file, edit, NULL, NULL, &document, &node, error);
    if (rc == 0 && error->flags & UNTORN_FLAG_UNCHANGED) { /* it was there */
        printf("taken: %s\n", untorn_node_text(node, NULL));
        error->status = UNTORN_EXISTS;
        rc = -UNTORN_EXISTS;
    }
    untorn_document_free(document);
    return rc;
}

static int list(const char *file, struct untorn_error *error)
{
    struct untorn_store store;
    int rc = untorn_store_load(file, NULL, NULL, NULL, &store, error); /* no file: an empty one */
    const struct untorn_node *node = rc == 0 ? untorn_document_root(store.document) : NULL;
    for (node = node ? untorn_node_first(node) : NULL; node; node = untorn_node_next(node))
        printf("%s\t%s\n", untorn_node_key(node, NULL), untorn_node_text(node, NULL));
    untorn_store_free(&store);
    return rc;
}

int main(int argc, char **argv)
{
    struct untorn_error error = {0};
    char text[UNTORN_TEXT_SIZE];
    const char *what = argc > 2 ? argv[2] : "", *const *name = (const char *const *)argv + 3;
    struct untorn_edit edit = {.segments = name, .segment_count = 1, .syntax = UNTORN_AS_STRING};
    if (argc == 5 && strcmp(what, "add") == 0) {
        edit.value = argv[4];
        edit.value_size = strlen(argv[4]);
        add(argv[1], &edit, &error);
    } else if (argc == 4 && strcmp(what, "remove") == 0) {
        edit.kind = UNTORN_UNSET;
        untorn_edit(argv[1], &edit, 1, NULL, NULL, &error);
    } else if (argc == 3 && strcmp(what, "list") == 0) {
        list(argv[1], &error);
    } else {
        fprintf(stderr, "usage: registry FILE add NAME VALUE | remove NAME | list\n");
        return 2;
    }
    if (error.status != UNTORN_OK)
        fprintf(stderr, "registry: %s\n", untorn_describe(&error, text, sizeof text));
    return fflush(stdout) != 0 ? 1 : untorn_status_exit_code(error.status);
}
