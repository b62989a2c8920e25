/* The TOML planner from inside: what its files share. From outside it is plan_toml (plan.h).
 *
 *     toml_lines.h    lines, and whose the comments are
 *     toml_gone.c     statements that go, with what is theirs, and a text that comes
 *     toml_look.c     lines, keys and equals signs as the neighbours have them
 *     toml_shape.c    values so
 *     toml_sections.c a value as sections with headers
 *     toml_find.c     the statements of a table
 *     toml_add.c      what is added to tables, and to arrays of them
 *     toml_replace.c  what is replaced, removed, renamed
 *     toml_inline.c   changes of what is inside brackets, with toml_box.h
 *
 * A function that returns int returns 0, -UNTORN_TYPE or -UNTORN_NO_MEMORY.
 */
#ifndef UNTORN_TEXT_TOML_PLAN_H
#define UNTORN_TEXT_TOML_PLAN_H

#include "text/plan.h"
#include "text/toml_lines.h"
#include "text/write.h"

/* Instead of the number of a statement. */
#define NO_STATEMENT SIZE_MAX

struct toml_plan {
    const struct parsed *parsed;
    struct plan *plan;
    struct toml_lines lines;
    bool *gone;           /* for each statement */
    uint64_t place;       /* a line before which `coming` is put */
    struct buffer coming; /* whole lines; empty if nothing comes */
};

/* ---- toml_plan.c ---- */

/* Replaces a stretch by what is in the buffer, and frees that. */
int toml_splice(struct toml_plan *plan, struct span at, struct buffer *text);

/* ---- toml_gone.c ---- */

bool toml_is_below(const struct untorn_node *node, const struct untorn_node *top); /* or the same */

/* Every statement that makes the node or something below it. */
void toml_mark_gone(struct toml_plan *plan, const struct untorn_node *node);

/* Takes the marked statements out and puts in what comes. */
int toml_apply(struct toml_plan *plan);

/* ---- toml_shape.c ---- */

/* Siblings that are looked at to see how things are written. */
enum { TOML_NEAR = 32 };

/* How values are written that have no spelling of their own. */
struct toml_shape {
    bool literal;        /* strings in 'literal' quotes, where those can hold them */
    bool quoted;         /* there was a string to see that by */
    bool tight;          /* {a = 1}, not { a = 1 } */
    bool close_equals;   /* a=1 */
    bool close_commas;   /* [1,2] */
    char lines;          /* a string on several lines in three of these quotes, or '\0' */
    const char *opening; /* what follows the first of them: nothing, or a newline */
    bool crlf;           /* how those lines end */
};

/* As the siblings have it, `near` and those before, and the brackets around. */
struct toml_shape toml_shape_near(const struct untorn_node *parent, const struct untorn_node *near);
/* As what is replaced has it, which has a spelling, and its siblings. */
struct toml_shape toml_shape_of(const struct untorn_node *old);

int toml_add_value(struct buffer *buffer, const struct untorn_node *value, struct toml_shape shape);
bool toml_is_spelled(const struct untorn_node *value); /* a container, in TOML */

/* ---- toml_look.c ---- */

/* What new lines are made to look like; an empty span leaves it to what is usual. */
struct toml_look {
    struct span header;        /* the indentation of headers */
    struct span indent, extra; /* of assignments, one behind the other */
    struct span level;         /* by how much more tables inside are indented */
    size_t levels;             /* so often */
    bool close;                /* and their headers have no blank line above */
    struct span equals;        /* from a key to its value */
    size_t column;             /* up to which keys are filled with blanks; 0: they are not */
    struct span key;           /* a key as spelled */
    struct toml_shape shape;
};

/* For the body behind the header, or with NO_STATEMENT for the root. */
struct toml_look toml_body_look(const struct toml_plan *plan, size_t header);
/* For a table inside that of the header, which must not be NO_STATEMENT. */
struct toml_look toml_inner_look(const struct toml_plan *plan, size_t header);
/* The last assignment under that header that does not go, or NO_STATEMENT. */
size_t toml_last_assignment(const struct toml_plan *plan, size_t header);

/* A key of the table with quotes, after which others are made: if it needs them, or all have them.
 */
struct span toml_key_near(const struct toml_plan *plan, const struct untorn_node *table);

void toml_add_span(const struct toml_plan *plan, struct buffer *buffer, struct span span);
void toml_add_eol(const struct toml_plan *plan, struct buffer *buffer);
/* The indentation of a header, or of an assignment, in tables inside the look's own. */
void toml_add_indent(const struct toml_plan *plan, struct buffer *buffer,
                     const struct toml_look *look, bool header, size_t inside);
void toml_add_key(const struct toml_plan *plan, struct buffer *buffer, const char *key, size_t size,
                  struct span like);
void toml_add_equals(const struct toml_plan *plan, struct buffer *buffer, struct span like);
/* Up to which column keys are filled so that all equals signs are in one, from the assignment up
 * and down to blank lines; 0: they are not, or all keys are equally long. */
size_t toml_column(const struct toml_plan *plan, size_t assignment);
/* The key of the statement to its value. */
struct span toml_equals(const struct toml_plan *plan, const struct toml_statement *statement);

/* ---- toml_sections.c ---- */

bool toml_is_array_of_tables(const struct untorn_node *value);

struct toml_sections {
    struct buffer path; /* of the value, as it stands in headers; freed when it is written */
    struct toml_look look;
    bool blank;   /* a blank line between */
    bool element; /* the value is one [[...]] */
    bool opened;  /* its header stands already: what comes is its body */
};

/* The value, an object or an array of objects, behind what is in the buffer. */
int toml_add_sections(const struct toml_plan *plan, struct buffer *buffer,
                      struct toml_sections *sections, const struct untorn_node *value);

/* ---- toml_find.c: statements ---- */

/* Which part of the statement's key names the node: true, and its number. */
bool toml_part_of(const struct toml_statement *statement, const struct untorn_node *node,
                  size_t *ret_part);

/* The header that opens the table. */
size_t toml_header_of(const struct toml_plan *plan, const struct untorn_node *table);

/* The first statement whose key leads to the node: a header, or with `assignment` one. */
size_t toml_first_through(const struct toml_plan *plan, const struct untorn_node *node,
                          bool assignment, size_t *ret_part);

/* The last statement of the last section that is the table's or below it. */
size_t toml_last_of(const struct toml_plan *plan, const struct untorn_node *table);

/* Whether two headers are the same or open elements of one array. */
bool toml_is_alike(const struct toml_plan *plan, size_t one, size_t other);

/* The header that a new one below the table is made to look like: the last of those, else one below
 * another element of its array, else the table's own, else any further below. */
size_t toml_model_below(const struct toml_plan *plan, const struct untorn_node *table);

/* The path of a table as some header spells it; of the root, nothing. */
void toml_add_path(const struct toml_plan *plan, struct buffer *path,
                   const struct untorn_node *table);

/* ---- toml_add.c, toml_replace.c: changes of what has statements ---- */

struct toml_member {
    const struct untorn_node *table; /* that gets it */
    const char *key;
    size_t key_size;
    const struct untorn_node *value;
    bool dotted; /* { a = { b = 1 } } may be written a.b = 1 */
};

/* As an assignment, where it must stand; it comes with toml_apply. */
int toml_add_member(struct toml_plan *plan, const struct toml_member *member);

/* An array of tables cannot hold anything but tables: it becomes an array in brackets. `value` is
 * put at `index`, or `instead` of what is there. -UNTORN_TYPE if the other elements would lose a
 * comment. */
int toml_replace_tables(struct toml_plan *plan, const struct untorn_node *array, size_t index,
                        bool instead, const struct untorn_node *value);

int toml_tables_replace(struct toml_plan *plan, const struct untorn_node *node,
                        const struct untorn_node *value);
int toml_tables_add(struct toml_plan *plan, const struct change *change);
int toml_tables_insert(struct toml_plan *plan, const struct change *change);
int toml_tables_remove(struct toml_plan *plan, const struct untorn_node *node);
int toml_tables_rename(struct toml_plan *plan, const struct change *change);

/* ---- toml_inline.c: the node is inside brackets ---- */

int toml_inline_replace(struct toml_plan *plan, const struct untorn_node *node,
                        const struct untorn_node *value);
int toml_inline_add(struct toml_plan *plan, const struct change *change);
int toml_inline_insert(struct toml_plan *plan, const struct change *change);
int toml_inline_remove(struct toml_plan *plan, const struct untorn_node *node);
int toml_inline_rename(struct toml_plan *plan, const struct change *change);

#endif
