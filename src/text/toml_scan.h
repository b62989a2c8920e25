/* The TOML scanner from inside: what its files share. From outside it is parse_toml (parsed.h).
 *
 * One pass over the text, in which everything is checked and the tree is built. A function that
 * returns bool, or a node, has put the flaw into the scan when that is false, or NULL. Arrays and
 * inline tables are kept on a stack of their own, not on C's.
 *
 * Both versions of the language are read; `strict` refuses what 1.1 added: newlines, comments and
 * a trailing comma in inline tables, \e and \xHH, times without seconds.
 */
#ifndef UNTORN_TEXT_TOML_SCAN_H
#define UNTORN_TEXT_TOML_SCAN_H

#include "text/parsed.h"
#include "text/toml_bytes.h"

/* Containers inside each other, whether parts of keys or brackets make them, the root among them:
 * what is read can always be written, however the writer spells it. */
enum { TOML_DEPTH = 128 };
#define TOML_TOO_DEEP "nested deeper than 128 levels"

/* One part of a dotted key. */
struct toml_part {
    const char *raw; /* as spelled, quotes included */
    size_t raw_size;
    const char *key; /* what it means; terminated */
    size_t key_size;
};

struct toml_scan {
    const char *text, *at, *end;
    bool keeps;  /* false if the text is only checked: then what is kept of it for a while points
                    into it, and is not terminated */
    bool strict; /* 1.0 */
    struct parsed *parsed;
    struct flaw *flaw;
    struct untorn_node *table;  /* under whose header we are */
    struct untorn_node *linked; /* the latest value with a key, not entered yet, or NULL */
    size_t level;               /* containers inside each other: that table and those around it */
    size_t around;              /* those around the value whose key was read last, or element */
    size_t statement_room;
    struct toml_part parts[TOML_DEPTH]; /* of the key that was read last */
    size_t part_count;
    struct untorn_node *open[TOML_DEPTH]; /* arrays and inline tables that are not closed yet */
    size_t levels[TOML_DEPTH];            /* of those */
    size_t depth;

    /* Of a text that is only checked. */
    struct toml_statement unkept;
    struct untorn_node scalar;   /* each element of an array in its turn */
    struct untorn_node *element; /* the latest [[...]], if all since lies in it */
    struct arena_mark mark;      /* before it */
};

/* A string, between its quotes. */
struct toml_string {
    const char *start, *end;
    bool escaped;
};

/* ---- toml_text.c: flaws, blanks, comments, strings ---- */

/* Both return false, so that a caller can return them. At the end of the text a flaw is at_end. */
bool toml_fail(struct toml_scan *scan, const char *where, const char *what);
bool toml_no_memory(struct toml_scan *scan);

/* Over blanks, comments and newlines. */
bool toml_skip_lines(struct toml_scan *scan);
/* Over blanks and a comment to the next line, or to the end of the text. */
bool toml_end_line(struct toml_scan *scan);

/* Over the string that begins here; one with three quotes only where `lines` allows it. */
bool toml_string(struct toml_scan *scan, bool lines, struct toml_string *ret_string);
/* What it means, terminated. NULL: no memory. */
const char *toml_decode(struct toml_scan *scan, const struct toml_string *string, size_t *ret_size);

/* ---- toml_number.c, toml_time.c: over a value; its kind ---- */

bool toml_boolean(struct toml_scan *scan, enum untorn_kind *ret_kind);
bool toml_number(struct toml_scan *scan, enum untorn_kind *ret_kind); /* also dates and times */
bool toml_is_time(const struct toml_scan *scan);
bool toml_time(struct toml_scan *scan, enum untorn_kind *ret_kind);

/* ---- toml_key.c: keys, and what may be defined where ---- */

/* Over a key, into scan->parts, and the blanks behind it. */
bool toml_key(struct toml_scan *scan);
/* Looks whether the key of the latest value was there already: at the latest before the next key
 * is, and first of all when something behind it is wrong. */
bool toml_enter(struct toml_scan *scan);
/* A new node for the value of that key, relative to `table`: the one that was opened last, inline
 * or by its header. */
struct untorn_node *toml_assign(struct toml_scan *scan, struct untorn_node *table);
/* The table that a header with that key opens: [key], or with `element` [[key]]. */
struct untorn_node *toml_open(struct toml_scan *scan, bool element);

/* ---- toml_value.c ---- */

/* Over the value that begins here, into `node`, and all that is in it. */
bool toml_value(struct toml_scan *scan, struct untorn_node *node);

/* ---- toml_parse.c ---- */

/* Checks all of the text, and keeps of it a tree of what can still be named at its end: arrays are
 * empty, and of an array of tables there is maybe the last element only. No texts, no statements;
 * keys are not terminated. false: it is no document. *ret_parsed must be freed. */
bool toml_skim(const char *text, size_t size, enum untorn_format format, struct parsed *ret_parsed);

/* ---- for all of them ---- */

static inline bool toml_is(const struct toml_scan *scan, char byte)
{
    return scan->at < scan->end && *scan->at == byte;
}

static inline bool toml_take(struct toml_scan *scan, char byte)
{
    bool taken = toml_is(scan, byte);
    scan->at += taken;
    return taken;
}

static inline void toml_skip_blanks(struct toml_scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t'))
        scan->at++;
}

/* What was scanned from `start` on, terminated. NULL: no memory. */
static inline const char *toml_keep(struct toml_scan *scan, const char *start, const char *end)
{
    if (!scan->keeps)
        return start;
    const char *copy = arena_copy(&scan->parsed->arena, start, (size_t)(end - start));
    if (!copy)
        (void)toml_no_memory(scan);
    return copy;
}

static inline bool toml_is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

#endif
