/* What a command printed, kept for a while:
 *
 *     cache_entry FILE.json SECONDS COMMAND
 *
 * The entry can be made again, so nothing is flushed, and a missing, damaged or old one is a miss
 * that replaces it. Every save is a new file, so its time is that of the save. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <untorn.h>

static bool is_fresh(const char *file, long seconds)
{
    struct stat found;
    return stat(file, &found) == 0 && time(NULL) - found.st_mtime < seconds;
}

static bool print_kept(const char *file)
{
    struct untorn_document *document; /* NULL unless all of it parses */
    bool hit = untorn_document_read(file, NULL, UNTORN_JSON, &document, NULL) == 0;
    const struct untorn_node *node = hit ? untorn_document_find(document, "output", NULL) : NULL;
    const char *text = node ? untorn_node_text(node, NULL) : NULL;
    if (text)
        fputs(text, stdout);
    untorn_document_free(document);
    return text != NULL;
}

int main(int argc, char **argv)
{
    struct untorn_options cache = {.level = UNTORN_CACHE};
    struct untorn_document *document;
    char output[4096], text[UNTORN_TEXT_SIZE];
    long seconds = 0;
    if (argc != 4 || sscanf(argv[2], "%ld", &seconds) != 1) {
        fprintf(stderr, "usage: cache_entry FILE.json SECONDS COMMAND\n");
        return 2;
    }
    if (is_fresh(argv[1], seconds) && print_kept(argv[1]))
        return 0;
    FILE *command = popen(argv[3], "r");
    size_t size = command ? fread(output, 1, sizeof output, command) : 0;
    if (!command || pclose(command) != 0 || untorn_document_new(UNTORN_JSON, &document, NULL) != 0)
        return 1;
    struct untorn_error error = {0};
    struct untorn_edit edit = {.key = "output", .value = output, .value_size = size};
    edit.syntax = UNTORN_AS_STRING;
    if (untorn_document_edit(document, &edit, 1, &error) == 0) {
        const char *entry = untorn_document_text(document, &size);
        untorn_write(argv[1], entry, size, &cache, &error);
        print_kept(argv[1]);
    }
    untorn_document_free(document);
    if (error.status != UNTORN_OK)
        fprintf(stderr, "cache_entry: %s\n", untorn_describe(&error, text, sizeof text));
    return untorn_status_exit_code(error.status);
}
