#include "python_rows.h"

#include <untorn/document.h>
#include <untorn/read.h>

enum { MOST = 16 };

static struct pairs_row rows[MOST];
static size_t count;

void python_rows_add(const char *name, const char *peer, void (*prepare)(void), void (*ours)(void),
                     void (*theirs)(void), enum pairs_unit unit, double target, double ext4_target,
                     int batch)
{
    pairs_must(count < MOST, "one row more");
    rows[count++] = (struct pairs_row){.name = name,
                                       .peer = peer,
                                       .prepare = prepare,
                                       .ours = ours,
                                       .theirs = theirs,
                                       .unit = unit,
                                       .target = target,
                                       .ext4_target = ext4_target,
                                       .batch = batch};
}

int python_rows_run(int argc, char **argv)
{
    return pairs_main(argc, argv, rows, count);
}

void python_rows_read(void)
{
    struct untorn_content content;
    pairs_must(untorn_read("small.json", NULL, &content, NULL) == 0, "untorn_read");
    untorn_content_free(&content);
}

void python_rows_get(void)
{
    static const struct untorn_edit at = {.key = "a.b"};
    struct untorn_document *document;
    const struct untorn_node *node;
    int64_t value;
    int rc = untorn_get("small.json", &at, NULL, NULL, &document, &node, NULL);
    pairs_must(rc == 0 && untorn_node_integer(node, &value), "untorn_get");
    untorn_document_free(document);
}
