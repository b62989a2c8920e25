/* The lines of a TOML text, and whose its comments are.
 *
 * Between two statements there are only comment lines and blank lines. [PLAN-3] says whose they
 * are; for a table with a header it comes to this:
 *
 *     [a]
 *     x = 1
 *     # directly below the last line of a: goes with a
 *
 *     # stands alone behind the last line of a: nobody's, it stays
 *
 *     # directly above: goes with b
 *     [b]
 *
 * Offsets of lines are those of their first byte; the one behind the last line is the text's end.
 */
#ifndef UNTORN_TEXT_TOML_LINES_H
#define UNTORN_TEXT_TOML_LINES_H

#include "text/parsed.h"

struct toml_lines {
    const char *text;
    uint64_t begin, end; /* `begin` is behind a byte order mark */
    const struct toml_statement *statements;
    size_t count;
    const char *eol; /* what most lines end with */
    size_t eol_size;
    bool unended; /* the last line has no end */
};

void lines_begin(struct toml_lines *lines, const struct parsed *parsed);

/* ---- lines ---- */

uint64_t lines_start(const struct toml_lines *lines, uint64_t position); /* of its line */
uint64_t lines_next(const struct toml_lines *lines, uint64_t position);
uint64_t lines_above(const struct toml_lines *lines, uint64_t line); /* not of the first line */
bool lines_is_blank(const struct toml_lines *lines, uint64_t line);
bool lines_is_comment(const struct toml_lines *lines, uint64_t line);

/* ---- statements, by their number ---- */

/* The first line that belongs to it: of the comments directly above, else its own. */
uint64_t lines_owned(const struct toml_lines *lines, size_t statement);

/* The line behind it. */
uint64_t lines_behind(const struct toml_lines *lines, size_t statement);

/* The line behind it and the comments directly below. */
uint64_t lines_tail(const struct toml_lines *lines, size_t statement);

struct span lines_indent(const struct toml_lines *lines, size_t statement);

/* Whether blank lines stand between most tables; true if there is nothing to tell by. */
bool lines_separate_tables(const struct toml_lines *lines);

#endif
