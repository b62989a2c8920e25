/* A text, scanned: the tree of its values, and for TOML the statements it is made of. */
#ifndef UNTORN_TEXT_PARSED_H
#define UNTORN_TEXT_PARSED_H

#include "text/node.h"

struct span {
    uint64_t start, end; /* offsets into the text; `end` is behind the last byte */
};

enum toml_statement_kind { TOML_HEADER, TOML_TABLES_HEADER, TOML_ASSIGNMENT };

/* [a.b], [[a.b]] or a.b = value, in the order of the text. */
struct toml_statement {
    enum toml_statement_kind kind;
    unsigned part_count; /* of its key */
    struct span text;   /* from the bracket or key to the bracket or the value's end; neither blanks
                           before nor a comment behind */
    struct span *parts; /* of its key, each as spelled, quotes included */
    struct untorn_node *table; /* a header: the table it opens. An assignment: the table under whose
                                  header it stands, to which the key is relative */
    struct untorn_node *node;  /* an assignment: the value. A header: the same as `table` */
};

struct parsed {
    enum untorn_format format;
    const char *text; /* borrowed */
    size_t size;
    struct untorn_node *root;
    struct toml_statement *statements; /* TOML */
    size_t statement_count;
    const char *newline; /* JSON: the end of a line that is added; NULL: as most lines have it */
    uint64_t stands_for; /* it is a large text made short, of this size; 0: it is itself */
    struct arena arena;  /* of all of it */
};

/* Why a text is no document. */
struct flaw {
    uint64_t position;
    const char *what; /* static: "expected a value", "this key is there already" */
    bool at_end;      /* the text stops before the document does: truncated, not wrong */
    bool out_of_memory;
};

/* Scans all of it, in one pass and without recursion. 0, or -1 with *ret_flaw; then *ret_parsed is
 * freed. A byte order mark is skipped. */
int parse_json(const char *text, size_t size, enum untorn_format format, struct parsed *ret_parsed,
               struct flaw *ret_flaw);
int parse_toml(const char *text, size_t size, enum untorn_format format, struct parsed *ret_parsed,
               struct flaw *ret_flaw);

/* Whether parse_toml would take it, without the tree: of what cannot be named again nothing is
 * kept. */
bool toml_is_valid(const char *text, size_t size, enum untorn_format format);

/* By the format. */
int parse(const char *text, size_t size, enum untorn_format format, struct parsed *ret_parsed,
          struct flaw *ret_flaw);

/* The same in memory that was used before: what lies in the arena is gone, and it is zeroed. */
int parse_in(struct arena *used, const char *text, size_t size, enum untorn_format format,
             struct parsed *ret_parsed, struct flaw *ret_flaw);

/* What each format does for it: *parsed has all but what is found. On failure it is freed. */
int parsed_fill_json(struct parsed *parsed, struct flaw *ret_flaw);
int parsed_fill_toml(struct parsed *parsed, struct flaw *ret_flaw);

/* Accepts a zeroed one. */
void parsed_free(struct parsed *parsed);

/* The offsets of a node's own spelling; both 0 if it has none. */
struct span parsed_span(const struct parsed *parsed, const struct untorn_node *node);

#endif
