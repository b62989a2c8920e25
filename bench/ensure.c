/* Get or create in a map of 100,000 entries, against the least that must be done: to read it, to
 * see that it is whole, and to replace it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <untorn/document.h>
#include <untorn/store.h>

#include "hand.h"
#include "pairs.h"

enum { ENTRIES = 100 * 1000, QUICK = 100, LINE = 128 };

static int created;

static size_t fill(char *text, int count)
{
    size_t used = (size_t)sprintf(text, "{");
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, LINE,
                                 "%s\n  \"/srv/projects/target-%06d\": "
                                 "\"00000000-0000-4000-8000-%012d\"",
                                 i ? "," : "", i, i);
    return used + (size_t)sprintf(text + used, "\n}\n");
}

static void prepare(void)
{
    int count = pairs_is_quick() ? QUICK : ENTRIES;
    char *text = malloc((size_t)count * LINE + LINE);
    pairs_must(text != NULL, "memory");
    size_t size = fill(text, count);
    make_directory("ours");
    make_directory("hand");
    hand_replace("ours", "ours/tmp", "ours/map.json", text, size, UNTORN_DURABLE);
    hand_replace("hand", "hand/tmp", "hand/map.json", text, size, UNTORN_DURABLE);
    free(text);
}

static void ensure(const char *key, const char *value)
{
    const char *const segments[] = {key};
    struct untorn_edit edit = {.segments = segments,
                               .segment_count = 1,
                               .value = value,
                               .value_size = strlen(value),
                               .syntax = UNTORN_AS_STRING};
    struct untorn_document *document;
    const struct untorn_node *node;
    pairs_must(untorn_ensure("ours/map.json", &edit, NULL, NULL, &document, &node, NULL) == 0,
               "ensure");
    untorn_document_free(document);
}

static void ensure_new(void)
{
    char key[64], uuid[UNTORN_UUID_SIZE];
    snprintf(key, sizeof key, "/srv/new/target-%d", ++created);
    pairs_must(untorn_uuid(uuid) == 0, "a UUID");
    ensure(key, uuid);
}

static void ensure_old(void)
{
    ensure("/srv/projects/target-000050", "none");
}

static char *read_and_scan(size_t *ret_size)
{
    struct stat stat;
    int fd = open("hand/map.json", O_RDONLY | O_CLOEXEC);
    pairs_must(fd >= 0 && fstat(fd, &stat) == 0, "hand/map.json");
    size_t size = (size_t)stat.st_size, at = 0;
    char *text = malloc(size + 1);
    while (text && at < size) {
        ssize_t n = read(fd, text + at, size - at);
        pairs_must(n > 0, "hand/map.json");
        at += (size_t)n;
    }
    close(fd);
    pairs_must(text && untorn_document_check(text, size, UNTORN_JSON, NULL) == 0, "scan");
    *ret_size = size;
    return text;
}

static void scan_and_rewrite(void)
{
    size_t size;
    char *text = read_and_scan(&size);
    hand_replace("hand", "hand/tmp", "hand/map.json", text, size, UNTORN_DURABLE);
    free(text);
}

static void scan(void)
{
    size_t size;
    free(read_and_scan(&size));
}

static const struct pairs_row rows[] = {
    {.name = "ensure of a new key among 100,000",
     .peer = "read, scan, write, fdatasync, rename, fsync of the directory",
     .prepare = prepare,
     .ours = ensure_new,
     .theirs = scan_and_rewrite,
     .target = 1.5,
     .count = 40},
    {.name = "ensure of a key that is there, among 100,000",
     .peer = "read and scan",
     .prepare = prepare,
     .ours = ensure_old,
     .theirs = scan,
     .count = 40},
};

int main(int argc, char **argv)
{
    return pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
