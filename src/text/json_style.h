/* What the neighbours of a place in a JSON text look like, and values written so. [PLAN-2]
 *
 * All of it is found near the place, going up from it, not by reading the whole text; only the end
 * of a line is counted (json_newline), when a line is to be written. Until then a line ends in \n.
 */
#ifndef UNTORN_TEXT_JSON_STYLE_H
#define UNTORN_TEXT_JSON_STYLE_H

#include "text/parsed.h"
#include "text/write.h"

/* Blanks at the start of a line, and levels of indentation more than these. */
struct json_indent {
    const char *text;
    size_t size, levels;
};

struct json_style {
    struct json_indent unit;  /* one level */
    char colon[4];            /* terminated: ":", ": " or " : " */
    struct json_indent comma; /* the blanks behind a comma, on one line */
    bool unsure;              /* the comma is by something that was cut */
    bool colon_unsure;        /* the colon is */
};

/* Bytes of a model, for it is looked at again and again. */
enum { JSON_LONGEST_MODEL = 64 * 1024 };

/* Of one that is longer only is looked at whether it is on one line, and how it begins: that is
 * known also where it was cut. */
bool json_is_long(const struct untorn_node *container);

/* Of what is put into `container`; NULL: of the root. */
struct json_style json_style_in(const struct parsed *parsed, const struct untorn_node *container);

/* Whether something that was cut decides how a container looks that is written so. */
bool json_style_is_unsure(const struct json_style *style, const struct untorn_node *value);

/* How a container is laid out. */
struct json_layout {
    bool one_line;
    enum untorn_kind padded, padded_too; /* those with blanks inside the brackets; or 0 */
    struct json_indent indent;           /* of the line on which it begins */
    const struct untorn_node *model;     /* NULL, or one whose children show how those of the value
                                            are laid out: by their keys, else by their kinds */
};

/* A container with children of this kind, or NULL: of the same key, or the first of those that
 * hold containers if `like` does, and scalars if not. */
const struct untorn_node *json_child_like(const struct untorn_node *model,
                                          const struct untorn_node *like);

/* Whether one may be laid out as the other. */
bool json_is_model(const struct untorn_node *model, const struct untorn_node *value);

/* `model`, which may be NULL, has elements and is on one line. */
bool json_is_on_one_line(const struct untorn_node *model);

/* `kind` if `model` is a container of this kind, on one line and with blanks inside; else 0. */
enum untorn_kind json_padding(const struct untorn_node *model, enum untorn_kind kind);

/* The blanks at the start of the line in which `at` is. */
struct json_indent json_indent_at(const struct parsed *parsed, size_t at);

void json_add_indent(struct buffer *buffer, const struct json_style *style,
                     struct json_indent indent);

/* A scalar that was spelled in JSON keeps its spelling. */
void json_add_value(struct buffer *buffer, const struct untorn_node *value,
                    const struct json_style *style, const struct json_layout *layout);

/* What parsed->newline says; else "\r\n" if most lines end so, else "\n". */
const char *json_newline(const struct parsed *parsed);

#endif
