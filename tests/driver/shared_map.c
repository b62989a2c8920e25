/* shared_map: one JSON file maps target paths to names, and every process on the machine adds its
 * own: 8 processes, 25 targets each, all at once.
 *
 *     shared_map edit FILE            by untorn_edit
 *     shared_map ensure FILE          by untorn_ensure, each target twice
 *     shared_map load-and-save FILE   load, change, replace without a lock: has to lose some
 *     shared_map check FILE           looks only
 *
 * The key is /srv/PROCESS/target-NUMBER, the value name-PROCESS-NUMBER. Prints how many are there
 * and right; ends with 0 if all are.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <untorn.h>

#include "place.h"

enum { PROCESSES = 8, TARGETS = 25, TEXT = 64, LOOK_US = 200 };

struct mapping {
    char key[TEXT], value[TEXT];
    const char *segments[1];
    struct untorn_edit edit;
};

static void make(struct mapping *mapping, int process, int target)
{
    snprintf(mapping->key, sizeof mapping->key, "/srv/%d/target-%d", process, target);
    snprintf(mapping->value, sizeof mapping->value, "name-%d-%d", process, target);
    mapping->segments[0] = mapping->key;
    mapping->edit = (struct untorn_edit){.kind = UNTORN_SET,
                                         .segments = mapping->segments,
                                         .segment_count = 1,
                                         .value = mapping->value,
                                         .value_size = strlen(mapping->value),
                                         .syntax = UNTORN_AS_STRING};
}

static int add_by_edit(const char *file, const struct mapping *mapping)
{
    struct untorn_error error;
    int rc = untorn_edit(file, &mapping->edit, 1, NULL, NULL, &error);
    char text[UNTORN_TEXT_SIZE];
    if (rc != 0)
        fprintf(stderr, "%s\n", untorn_describe(&error, text, sizeof text));
    return rc;
}

/* The second who asks, the same process, gets the first one's. */
static int add_by_ensure(const char *file, const struct mapping *mapping)
{
    int rc = 0;
    for (int i = 0; i < 2 && rc == 0; i++) {
        struct untorn_edit edit = mapping->edit;
        struct untorn_document *document;
        const struct untorn_node *node;
        edit.value_size = i == 0 ? edit.value_size : 1;
        rc = untorn_ensure(file, &edit, NULL, NULL, &document, &node, NULL);
        if (rc == 0 && strcmp(untorn_node_text(node, NULL), mapping->value) != 0)
            rc = -1;
        untorn_document_free(document);
    }
    return rc;
}

/* Replaces the file whole, under a stage name of its own; what others added since is lost. */
static int add_by_load_and_save(const char *file, const struct mapping *mapping)
{
    struct untorn_document *document = NULL;
    char stage[TEXT];
    struct blob old = blob_read(".", file);
    int rc = old.data ? untorn_document_parse(old.data, old.size, UNTORN_JSON, &document, NULL)
                      : untorn_document_new(UNTORN_JSON, &document, NULL);
    blob_free(&old);
    if (rc == 0)
        rc = untorn_document_edit(document, &mapping->edit, 1, NULL);
    if (rc == 0) {
        struct blob text = {0};
        text.data = (char *)(uintptr_t)untorn_document_text(document, &text.size);
        nanosleep(&(struct timespec){0, LOOK_US * 1000}, NULL);
        snprintf(stage, sizeof stage, "stage-%ld", (long)getpid());
        blob_write(".", stage, &text, 0600);
        rc = rename(stage, file);
    }
    untorn_document_free(document);
    return rc;
}

static void add_all(const char *file, int (*add)(const char *, const struct mapping *))
{
    struct mapping mapping;
    int gate[2];
    if (pipe(gate) != 0)
        exit(125);
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() != 0)
            continue;
        char byte;
        close(gate[1]);
        (void)!read(gate[0], &byte, 1); /* until all are there */
        int rc = 0;
        for (int k = 0; k < TARGETS && rc == 0; k++) {
            make(&mapping, i, k);
            rc = add(file, &mapping);
        }
        _exit(rc == 0 ? 0 : 1);
    }
    close(gate[0]);
    close(gate[1]);
    int status, failed = 0;
    while (wait(&status) > 0)
        failed += status != 0;
    if (failed > 0)
        printf("    %d of %d processes failed\n", failed, PROCESSES);
}

static int count_all(const char *file)
{
    struct untorn_document *document = NULL;
    int kept = 0;
    if (untorn_document_read(file, NULL, UNTORN_JSON, &document, NULL) != 0)
        return 0;
    for (int i = 0; i < PROCESSES * TARGETS; i++) {
        struct mapping mapping;
        make(&mapping, i / TARGETS, i % TARGETS);
        const struct untorn_node *node =
            untorn_document_find_segments(document, mapping.segments, 1, NULL);
        kept += node && strcmp(untorn_node_text(node, NULL), mapping.value) == 0;
    }
    if (untorn_node_count(untorn_document_root(document)) != (size_t)kept)
        kept = -1; /* there is something else as well */
    untorn_document_free(document);
    return kept;
}

int main(int count, char **values)
{
    if (count != 3) {
        fprintf(stderr, "shared_map: see the head of shared_map.c\n");
        return 125;
    }
    if (strcmp(values[1], "edit") == 0)
        add_all(values[2], add_by_edit);
    else if (strcmp(values[1], "ensure") == 0)
        add_all(values[2], add_by_ensure);
    else if (strcmp(values[1], "load-and-save") == 0)
        add_all(values[2], add_by_load_and_save);
    else if (strcmp(values[1], "check") != 0)
        return 125;
    int kept = count_all(values[2]);
    printf("    %d of %d mappings kept\n", kept, PROCESSES * TARGETS);
    return kept == PROCESSES * TARGETS ? 0 : 1;
}
