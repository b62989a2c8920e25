#include "text/parsed.h"

int parse(const char *text, size_t size, enum untorn_format format, struct parsed *ret_parsed,
          struct flaw *ret_flaw)
{
    bool toml = format == UNTORN_TOML || format == UNTORN_TOML_1_0;
    return (toml ? parse_toml : parse_json)(text, size, format, ret_parsed, ret_flaw);
}

void parsed_free(struct parsed *parsed)
{
    arena_free(&parsed->arena);
    *parsed = (struct parsed){0};
}

struct span parsed_span(const struct parsed *parsed, const struct untorn_node *node)
{
    if (!node->raw)
        return (struct span){0};
    uint64_t start = (uint64_t)(node->raw - parsed->text);
    return (struct span){.start = start, .end = start + node->raw_size};
}
