/* Reads a folder of many entries, one JSON file each:
 *
 *     entries FOLDER
 *
 * Prints the title of each. One that is damaged is reported and skipped, and is left as it is; one
 * that is removed meanwhile was not there. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include <untorn.h>

/* 1 if the entry is bad, and why has been told. */
static int read_entry(const char *path)
{
    struct untorn_content content;
    struct untorn_document *document = NULL;
    enum untorn_verdict verdict;
    struct untorn_error error;
    char text[UNTORN_TEXT_SIZE];
    int rc = untorn_read_judged(path, UNTORN_JSON, NULL, &content, &verdict, &error);
    bool missing = rc == 0 && verdict == UNTORN_VERDICT_MISSING;
    if (rc == 0 && verdict == UNTORN_WHOLE &&
        untorn_document_parse(content.data, content.size, UNTORN_JSON, &document, &error) == 0) {
        const struct untorn_node *title = untorn_document_find(document, "title", NULL);
        printf("%s\n", title ? untorn_node_text(title, NULL) : "(without a title)");
    } else if (!missing) {
        fprintf(stderr, "entries: skipped, %s: %s\n", untorn_verdict_word(verdict),
                untorn_describe(&error, text, sizeof text));
    }
    bool bad = !document && !missing;
    untorn_document_free(document);
    untorn_content_free(&content);
    return bad;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    char path[4096];
    int bad = 0;
    if (!folder) {
        fprintf(stderr, "usage: entries FOLDER\n");
        return 2;
    }
    for (const struct dirent *entry; errno = 0, (entry = readdir(folder)) != NULL;) {
        int size = snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (size < (int)sizeof path && untorn_format_of_path(path) == UNTORN_JSON)
            bad += read_entry(path);
    }
    bool listed = errno == 0; /* NULL is also what an error gives */
    closedir(folder);
    return !listed || fflush(stdout) != 0 ? 1 : bad > 0 ? 4 : 0;
}
