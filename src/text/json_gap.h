/* What stands between two neighbours in a JSON container: blanks, at most one comma, comments.
 *
 * A neighbour is an element (a member with its key, or a value) or one of the brackets. The tree
 * has no places for any of this; it is read off the text, once for each gap that a plan looks at.
 * To whom a comment belongs is decided here:
 *
 *     "a": 1, // of a: the end of its line
 *     // nobody's: the container's
 *
 *     // of b: directly above
 *     "b": 2 // of b
 */
#ifndef UNTORN_TEXT_JSON_GAP_H
#define UNTORN_TEXT_JSON_GAP_H

#include "text/parsed.h"

struct json_gap {
    size_t start, end; /* from the left neighbour's end to the right one's start */
    bool opens;        /* the left neighbour is the opening bracket */
    bool closes;       /* the right neighbour is the closing bracket */

    bool has_comma;
    size_t comma;
    size_t comma_tail; /* behind the comments on the line of a comma that is on a later line than
                          the left neighbour; 0: there are none */

    size_t tail;       /* behind the last comment of the left neighbour, else `start`. Behind a
                          bracket: the comments on its line, if it ends there */
    bool tail_is_line; /* that one begins with // */
    size_t head;       /* where the comments of the right element begin, else `end`; never before
                          the comma */
    bool others;       /* there are comments of the container */

    bool lines;       /* has an end of a line outside comments */
    bool line_before; /* before its comma; false without one */
    bool line_after;  /* behind it */

    bool comma_first; /* the comma stands on the right element's line, and not on the left's */
    size_t unit;      /* then: where the right element's comments above the comma begin, else the
                         comma */
};

/* `left`, `right`: elements of `container` that are neighbours; NULL for its bracket. */
struct json_gap json_gap_between(const struct parsed *parsed, const struct untorn_node *container,
                                 const struct untorn_node *left, const struct untorn_node *right);

/* ---- places in the text ---- */

size_t json_start(const struct parsed *parsed, const struct untorn_node *node); /* the key's */
size_t json_end(const struct parsed *parsed, const struct untorn_node *node);

/* Over blanks and tabs: back from `at`, not beyond `limit`; and on. */
size_t json_back(const struct parsed *parsed, size_t at, size_t limit);
size_t json_on(const struct parsed *parsed, size_t at, size_t limit);

/* Whether a line ends at `at`; and `at` moved behind the blanks there, if a line ends behind them.
 */
bool json_line_ends(const struct parsed *parsed, size_t at);
size_t json_line_end(const struct parsed *parsed, size_t at);

bool json_starts_line(const struct parsed *parsed, size_t at);

/* Whether the byte at `at`, which is not the last of the text, is the end of a line, or the last of
 * its two. A carriage return alone is one: it ends a // comment. */
bool json_is_newline(const char *text, size_t at);

#endif
