#include "text/parsed.h"

#include "text/format.h"

enum { LARGE = 64 * 1024 }; /* a text of which a tree is made that is worth large pages */

int parse_in(struct arena *used, const char *text, size_t size, enum untorn_format format,
             struct parsed *ret_parsed, struct flaw *ret_flaw)
{
    *ret_parsed = (struct parsed){.format = format, .text = text, .size = size, .arena = *used};
    *ret_flaw = (struct flaw){0};
    *used = (struct arena){0};
    arena_rewind(&ret_parsed->arena, (struct arena_mark){0});
    ret_parsed->arena.grows = size >= LARGE;
    return (format_is_toml(format) ? parsed_fill_toml : parsed_fill_json)(ret_parsed, ret_flaw);
}

int parse(const char *text, size_t size, enum untorn_format format, struct parsed *ret_parsed,
          struct flaw *ret_flaw)
{
    struct arena none = {0};
    return parse_in(&none, text, size, format, ret_parsed, ret_flaw);
}

int parse_json(const char *text, size_t size, enum untorn_format format, struct parsed *ret_parsed,
               struct flaw *ret_flaw)
{
    return parse(text, size, format, ret_parsed, ret_flaw);
}

int parse_toml(const char *text, size_t size, enum untorn_format format, struct parsed *ret_parsed,
               struct flaw *ret_flaw)
{
    return parse(text, size, format, ret_parsed, ret_flaw);
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
