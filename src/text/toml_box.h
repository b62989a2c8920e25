/* What stands between the brackets of an array or inline table.
 *
 *     toml_box.c     finds the entries, and lines
 *     toml_insert.c  puts one in
 *     toml_remove.c  takes some out
 *
 * A comma is never put behind a comment, nor is a bracket; a box on one line stays on one line.
 */
#ifndef UNTORN_TEXT_TOML_BOX_H
#define UNTORN_TEXT_TOML_BOX_H

#include "text/toml_plan.h"

/* A value between the brackets, with its key if it has one. */
struct toml_entry {
    uint64_t start, end;
    uint64_t comma; /* behind it; 0: none */
};

struct toml_box {
    uint64_t open, close; /* the brackets */
    bool table;
    bool lines; /* there are newlines between the entries */
    struct toml_entry *entries;
    size_t count;
};

int box_open(struct toml_plan *plan, const struct untorn_node *container, struct toml_box *ret_box);
/* The entry in which a node is that has a spelling. */
size_t box_entry_of(const struct toml_plan *plan, const struct toml_box *box,
                    const struct untorn_node *node);
/* The parts of its key: their number, and up to `room` of them; `equals` to the value. */
size_t box_entry_parts(const struct toml_plan *plan, const struct toml_entry *entry,
                       struct span *parts, size_t room, struct span *ret_equals);

/* Text as the entry `index`. Frees the text. */
int box_insert(struct toml_plan *plan, const struct toml_box *box, size_t index,
               struct buffer *text);
/* Those that are marked. */
int box_remove(struct toml_plan *plan, const struct toml_box *box, const bool *gone);

/* ---- lines between the brackets ---- */

uint64_t box_skip_blanks(const char *text, uint64_t at);

/* Whether there are only blanks before it on its line, which begins behind `floor`. */
bool box_first_on_line(const char *text, uint64_t at, uint64_t floor);

/* Whether only blanks and a comment follow on the line. *ret_end is then before the newline. */
bool box_ends_line(const char *text, uint64_t at, bool *ret_comment, uint64_t *ret_end);

uint64_t box_behind_newline(const char *text, uint64_t newline);
bool box_holds(const char *text, uint64_t at, uint64_t end, char byte);

/* Behind what comes before the entry: the bracket, or a comma. */
uint64_t box_floor(const struct toml_box *box, size_t index);

/* The line of the comments directly above what stands there, else its own. */
uint64_t box_owned(const struct toml_lines *lines, uint64_t at, uint64_t floor);

/* The commas begin the lines: [ 1\n, 2\n, 3\n]. */
bool box_comma_first(const char *text, const struct toml_box *box);

#endif
