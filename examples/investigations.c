/* A map from targets to investigations, shared by every process on the machine, so that the next
 * one who looks into a target goes on with what is there:
 *
 *     investigations FOLDER TARGET
 *
 * Prints the folder of the investigation. One whose folder is gone does not count, and is begun
 * anew. All of it happens under the lock of the map: two who ask for one target get one folder. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <untorn.h>

struct request {
    const char *folder;
    char path[4096]; /* of the investigation */
};

static bool has_folder(void *context, const struct untorn_node *node)
{
    struct request *request = context;
    const char *uuid = untorn_node_text(node, NULL); /* NULL if it is no scalar */
    struct stat found;
    snprintf(request->path, sizeof request->path, "%s/%s", request->folder, uuid ? uuid : "");
    return uuid && stat(request->path, &found) == 0 && S_ISDIR(found.st_mode);
}

static int begin(void *context, const struct untorn_node *old, struct untorn_change *value)
{
    struct request *request = context;
    char uuid[UNTORN_UUID_SIZE];
    (void)old; /* the UUID of a folder that is gone */
    if (untorn_uuid(uuid) != 0)
        return EIO;
    snprintf(request->path, sizeof request->path, "%s/%s", request->folder, uuid);
    return mkdir(request->path, 0777) == 0 ? untorn_change_set(value, uuid, strlen(uuid)) : errno;
}

int main(int argc, char **argv)
{
    struct request request = {.folder = argc == 3 ? argv[1] : NULL};
    const char *const *target = (const char *const *)argv + 2; /* a path, taken as it is */
    struct untorn_edit edit = {.segments = target, .segment_count = 1, .syntax = UNTORN_AS_STRING};
    struct untorn_maker maker = {has_folder, begin, &request};
    struct untorn_document *document;
    const struct untorn_node *node;
    struct untorn_error error;
    char map[4096], text[UNTORN_TEXT_SIZE];
    if (argc != 3 || snprintf(map, sizeof map, "%s/map.json", argv[1]) >= (int)sizeof map) {
        fprintf(stderr, "usage: investigations FOLDER TARGET\n");
        return 2;
    }
    if (untorn_ensure_with(map, &edit, &maker, NULL, NULL, &document, &node, &error) == 0)
        printf("%s\n", request.path);
    else
        fprintf(stderr, "investigations: %s\n", untorn_describe(&error, text, sizeof text));
    untorn_document_free(document);
    return untorn_status_exit_code(error.status);
}
