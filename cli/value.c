#include "value.h"

#include <stdlib.h>

#include "output.h"

static bool is_container(const struct untorn_node *node)
{
    enum untorn_kind kind = untorn_node_kind(node);
    return kind == UNTORN_ARRAY || kind == UNTORN_OBJECT;
}

static void print_json(struct outcome *outcome, const struct untorn_node *node)
{
    struct untorn_style style = {.newline = true, .tagged = outcome->arguments->tagged};
    struct untorn_error error;
    char *text = NULL;
    size_t size;
    if (untorn_node_write(node, UNTORN_JSON, &style, &text, &size, &error) == 0)
        output_bytes(text, size);
    outcome_library(outcome, &error);
    free(text);
}

void value_print(struct outcome *outcome, const struct untorn_node *node)
{
    const struct arguments *arguments = outcome->arguments;
    if (arguments->as_json || arguments->tagged || is_container(node)) {
        print_json(outcome, node);
        return;
    }
    size_t size;
    const char *text = untorn_node_text(node, &size);
    output_bytes(text, size);
    output_text("\n");
}
