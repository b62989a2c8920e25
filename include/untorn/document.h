/* Documents: JSON, JSONC and TOML, read and edited as text.
 *
 *     struct untorn_document *document;
 *     if (untorn_document_read("app.toml", NULL, 0, &document, &error) == 0) {
 *         int64_t port;
 *         const struct untorn_node *node = untorn_document_find(document, "server.port", NULL);
 *         if (node && untorn_node_integer(node, &port))
 *             listen_on(port);
 *     }
 *     untorn_document_free(document);
 *
 *     struct untorn_edit edits[] = {
 *         {.kind = UNTORN_SET, .key = "server.port", .value = "8080", .value_size = 4},
 *         {.kind = UNTORN_UNSET, .key = "server.debug"},
 *     };
 *     untorn_edit("app.toml", edits, 2, NULL, NULL, &error);
 *
 * An edit changes the bytes it must and no others: comments, blank lines, the order of keys, the
 * spelling of numbers and strings, the ends of lines, a byte order mark stay as they are. What is
 * added looks like its neighbours. Before a result is used it is read again and compared with the
 * edit done to the data: if they differ, -UNTORN_MISPLANNED, and nothing changes.
 *
 * Keys: a dotted key as in TOML, with [N], [-N] (from the end) and [+] (behind the last):
 * `servers[0].host`, `tool."a.b"`; or, with a leading slash, a JSON Pointer (RFC 6901), which
 * makes no parents; or raw segments, one string each.
 *
 * Threads: a document is used by one thread at a time.
 */
#ifndef UNTORN_DOCUMENT_H
#define UNTORN_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <untorn/error.h>
#include <untorn/options.h>

enum untorn_format {
    UNTORN_FORMAT_UNKNOWN,
    UNTORN_JSON,     /* RFC 8259 */
    UNTORN_JSONC,    /* with comments and trailing commas */
    UNTORN_TOML,     /* reads 1.1; writes 1.0, unless what it adds to uses 1.1 */
    UNTORN_TOML_1_0, /* refuses what 1.1 added */
};

enum untorn_kind {
    UNTORN_NULL = 1,
    UNTORN_BOOLEAN,
    UNTORN_INTEGER, /* in JSON: a number without fraction and exponent */
    UNTORN_FLOAT,
    UNTORN_STRING,
    UNTORN_DATETIME, /* these four are TOML's */
    UNTORN_DATETIME_LOCAL,
    UNTORN_DATE_LOCAL,
    UNTORN_TIME_LOCAL,
    UNTORN_ARRAY,
    UNTORN_OBJECT, /* TOML: a table */
};

struct untorn_document;
struct untorn_node; /* one value of a document, borrowed: good until that is edited or freed */

enum untorn_edit_kind {
    UNTORN_SET,         /* replaces the value, or adds it, making the objects on the way */
    UNTORN_UNSET,       /* removes it; -UNTORN_NO_KEY if it is not there */
    UNTORN_INSERT,      /* before the element that the key's last index names */
    UNTORN_RENAME,      /* gives the key the name in `value` */
    UNTORN_MERGE_PATCH, /* `value` is a patch of RFC 7396, in JSON */
    UNTORN_JSON_PATCH,  /* `value` is a patch of RFC 6902; -UNTORN_TEST_FAILED for its tests */
    UNTORN_ENSURE,      /* adds the value as UNTORN_SET does if the key is not there; else nothing:
                           untorn_ensure (untorn/store.h) also tells what is there then */
};

/* How `value` is spelled. */
enum untorn_syntax {
    UNTORN_PLAIN,     /* of the type of the value it replaces, else -UNTORN_TYPE. Where there is
                         none, or null: true, false, a decimal number; anything else is a string */
    UNTORN_AS_STRING, /* the bytes are the string */
    UNTORN_AS_JSON,
    UNTORN_AS_TOML,
};

struct untorn_edit {
    enum untorn_edit_kind kind;
    const char *key;             /* a dotted key or a pointer; or NULL, and */
    const char *const *segments; /* one string for each step; an array takes decimal digits, or "-"
                                    for behind the last */
    size_t segment_count;
    const char *value;
    size_t value_size;
    enum untorn_syntax syntax;
    bool secret; /* no message quotes the value */
};

/* How values are written that have no text yet. Zeroed: 2 blanks, in the order they have, UTF-8. */
struct untorn_style {
    bool compact;    /* on one line */
    unsigned indent; /* blanks for each level; 0 means 2 */
    bool tabs;       /* a tab for each level instead */
    bool sorted;     /* object keys in the order of their code points */
    bool ascii;      /* everything else as \u escapes */
    bool newline;    /* one at the end */
    bool crlf;       /* as the end of every line */
    bool tight;      /* "a":1,"b":2 without blanks, when compact */
    bool tagged;     /* JSON only: scalars as {"type": ..., "value": ...}, as toml-test does */
};

UNTORN_BEGIN_C

/* ---- files ---- */

/* By the name: .json, .toml, .jsonc, and names known to hold comments (tsconfig.json,
 * .vscode/settings.json, ...). UNTORN_FORMAT_UNKNOWN for anything else. */
UNTORN_API enum untorn_format untorn_format_of_path(const char *path);

/* "toml", "toml-1.0"; and back, UNTORN_FORMAT_UNKNOWN for another word. */
UNTORN_API const char *untorn_format_name(enum untorn_format format);
UNTORN_API enum untorn_format untorn_format_by_name(const char *name);

/* Reads and parses. `format` 0 means by the name. -UNTORN_DAMAGED with the place in `position` and
 * `detail`; *ret_document is NULL on failure. */
UNTORN_API int untorn_document_read(const char *path, const struct untorn_options *options,
                                    enum untorn_format format,
                                    struct untorn_document **ret_document,
                                    struct untorn_error *reterr);

struct untorn_edit_options {
    enum untorn_format format; /* 0: by the name */
};

/* One value of a file, which need not fit into memory if it is JSON. Of the edit only `key`, or the
 * segments, are looked at. *ret_node is borrowed from *ret_document, which holds it and perhaps
 * nothing else; both are NULL on failure: as untorn_document_read and untorn_document_find. */
UNTORN_API int untorn_get(const char *path, const struct untorn_edit *at,
                          const struct untorn_edit_options *how,
                          const struct untorn_options *options,
                          struct untorn_document **ret_document,
                          const struct untorn_node **ret_node, struct untorn_error *reterr);

/* All edits as one locked update of the file, or none. A missing file is made, unless an edit needs
 * what is in it. One that does not parse: -UNTORN_DAMAGED, untouched. Edits that change nothing
 * write nothing. Who has to wait for the lock may have its edits made by the process that has it:
 * +UNTORN_UNSETTLED_COMBINED if that was stopped, or what it did cannot be known. */
UNTORN_API int untorn_edit(const char *path, const struct untorn_edit *edits, size_t count,
                           const struct untorn_edit_options *how,
                           const struct untorn_options *options, struct untorn_error *reterr);

/* ---- bytes ---- */

/* Whether the bytes are a document: 0, or as untorn_document_parse, but faster for JSON. */
UNTORN_API int untorn_document_check(const void *data, size_t size, enum untorn_format format,
                                     struct untorn_error *reterr);

/* The bytes are copied. */
UNTORN_API int untorn_document_parse(const void *data, size_t size, enum untorn_format format,
                                     struct untorn_document **ret_document,
                                     struct untorn_error *reterr);

/* An empty one: {} or a TOML file without a line. */
UNTORN_API int untorn_document_new(enum untorn_format format, struct untorn_document **ret_document,
                                   struct untorn_error *reterr);

/* All or none. Nodes borrowed before are gone, also after a failure. */
UNTORN_API int untorn_document_edit(struct untorn_document *document,
                                    const struct untorn_edit *edits, size_t count,
                                    struct untorn_error *reterr);

/* The text as it is now; borrowed until the next edit. */
UNTORN_API const char *untorn_document_text(const struct untorn_document *document,
                                            size_t *ret_size);

UNTORN_API enum untorn_format untorn_document_format(const struct untorn_document *document);

/* Accepts NULL. */
UNTORN_API void untorn_document_free(struct untorn_document *document);

/* ---- values ---- */

UNTORN_API const struct untorn_node *untorn_document_root(const struct untorn_document *document);

/* NULL, with `reterr` filled, if the key is not there or makes no sense. */
UNTORN_API const struct untorn_node *untorn_document_find(const struct untorn_document *document,
                                                          const char *key,
                                                          struct untorn_error *reterr);
UNTORN_API const struct untorn_node *untorn_document_find_segments(
    const struct untorn_document *document, const char *const *segments, size_t count,
    struct untorn_error *reterr);

UNTORN_API enum untorn_kind untorn_node_kind(const struct untorn_node *node);

/* false if it is of another kind, or does not fit. An integer is a double too. */
UNTORN_API bool untorn_node_boolean(const struct untorn_node *node, bool *ret_value);
UNTORN_API bool untorn_node_integer(const struct untorn_node *node, int64_t *ret_value);
UNTORN_API bool untorn_node_double(const struct untorn_node *node, double *ret_value);

/* A string's bytes, which may contain NUL; the spelling of any other scalar; NULL for an array or
 * object. Terminated, borrowed. */
UNTORN_API const char *untorn_node_text(const struct untorn_node *node, size_t *ret_size);

/* Children in the order of the text; NULL when there is no more. Keys as untorn_node_text. */
UNTORN_API size_t untorn_node_count(const struct untorn_node *node);
UNTORN_API const struct untorn_node *untorn_node_first(const struct untorn_node *node);
UNTORN_API const struct untorn_node *untorn_node_next(const struct untorn_node *node);
UNTORN_API const char *untorn_node_key(const struct untorn_node *node, size_t *ret_size);
UNTORN_API const struct untorn_node *untorn_node_member(const struct untorn_node *node,
                                                        const char *key, size_t key_size);

/* Where its spelling is in the document's text. false for what has none of its own. */
UNTORN_API bool untorn_node_span(const struct untorn_node *node, uint64_t *ret_offset,
                                 uint64_t *ret_size);

/* ---- making and writing ---- */

/* Adds a value to a document that is being made (untorn_document_new): behind the last child of
 * `parent`, NULL for the root itself. `text` is a string's bytes, or the spelling of another
 * scalar; not used for an array or object. NULL: no memory, or it does not fit there. */
UNTORN_API struct untorn_node *untorn_document_add(struct untorn_document *document,
                                                   struct untorn_node *parent, const char *key,
                                                   size_t key_size, enum untorn_kind kind,
                                                   const char *text, size_t size);

/* The value as a text of its own. *ret_text is new (free it with free), terminated. TOML can write
 * an object only, and no null: -UNTORN_TYPE. */
UNTORN_API int untorn_node_write(const struct untorn_node *node, enum untorn_format format,
                                 const struct untorn_style *style, char **ret_text,
                                 size_t *ret_size, struct untorn_error *reterr);

UNTORN_END_C

#endif
