#include "text/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/format.h"
#include "text/json.h"
#include "text/keypath.h"
#include "text/number.h"
#include "text/place.h"
#include "text/toml_scan.h"

/* ---- words ---- */

const char *value_kind_words(enum untorn_kind kind)
{
    static const char *const words[] = {
        [UNTORN_NULL] = "null",
        [UNTORN_BOOLEAN] = "a boolean",
        [UNTORN_INTEGER] = "an integer",
        [UNTORN_FLOAT] = "a float",
        [UNTORN_STRING] = "a string",
        [UNTORN_DATETIME] = "a date-time with offset",
        [UNTORN_DATETIME_LOCAL] = "a local date-time",
        [UNTORN_DATE_LOCAL] = "a local date",
        [UNTORN_TIME_LOCAL] = "a local time",
        [UNTORN_ARRAY] = "an array",
        [UNTORN_OBJECT] = "an object",
    };
    return words[kind];
}

bool value_is_utf8(const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = utf8_length(text + at, size - at);
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

static bool is_instant(enum untorn_kind kind)
{
    return kind >= UNTORN_DATETIME && kind <= UNTORN_TIME_LOCAL;
}

static bool is_word(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && memcmp(text, word, size) == 0;
}

/* ---- values that are scanned ---- */

/* Blanks around a value do not matter. */
static void trim(const char **text, size_t *size)
{
    while (*size > 0 && memchr(" \t\r\n", **text, 4)) {
        ++*text;
        --*size;
    }
    while (*size > 0 && memchr(" \t\r\n", (*text)[*size - 1], 4))
        --*size;
}

static int no_such_value(const char *text, size_t size, const char *language, size_t shift,
                         const struct flaw *flaw, struct untorn_error *error)
{
    if (flaw->out_of_memory)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    size_t position = (size_t)flaw->position < shift ? 0 : (size_t)flaw->position - shift;
    struct text_place place = text_place(text, size, position);
    char shown[KEYPATH_SHOWN];
    keypath_shown(text, size, shown);
    error_detail(error, "the value is not %s, line %llu, column %llu: %s: %s", language,
                 (unsigned long long)place.line, (unsigned long long)place.column, flaw->what,
                 shown);
    return error_fail(error, UNTORN_INVALID, NULL);
}

static int read_json(const char *text, size_t size, enum untorn_format format,
                     struct value *ret_value, struct untorn_error *error)
{
    struct flaw flaw;
    enum untorn_format spelled = format == UNTORN_JSONC ? UNTORN_JSONC : UNTORN_JSON;
    if (parse_json(text, size, spelled, &ret_value->parsed, &flaw) < 0)
        return no_such_value(text, size, "JSON", 0, &flaw, error);
    ret_value->node = ret_value->parsed.root;
    return 0;
}

enum { TOML_PREFIX = 4 }; /* of "x = " */

/* As the right side of an assignment. *ret_flaw too if it is more than one value. */
static int scan_toml_value(const char *text, size_t size, enum untorn_format format,
                           struct value *ret_value, struct flaw *ret_flaw)
{
    enum untorn_format spelled = format_is_toml(format) ? format : UNTORN_TOML;
    struct parsed *parsed = &ret_value->parsed;
    *ret_flaw = (struct flaw){.out_of_memory = true};
    ret_value->text = size < SIZE_MAX / 2 ? malloc(TOML_PREFIX + size + 1) : NULL;
    if (!ret_value->text)
        return -1;
    memcpy(ret_value->text, "x = ", TOML_PREFIX);
    if (size > 0)
        memcpy(ret_value->text + TOML_PREFIX, text, size);
    ret_value->text[TOML_PREFIX + size] = '\0';
    if (parse_toml(ret_value->text, TOML_PREFIX + size, spelled, parsed, ret_flaw) < 0)
        return -1;
    struct untorn_node *node = parsed->root->first;
    if (parsed->statement_count == 1 && node->raw == ret_value->text + TOML_PREFIX &&
        node->raw_size == size) {
        node_remove(node);
        ret_value->node = node;
        return 0;
    }
    uint64_t end = (uint64_t)(node->raw - ret_value->text) + node->raw_size;
    parsed_free(parsed);
    *ret_flaw = (struct flaw){.position = end, .what = "more than one value"};
    return -1;
}

/* ---- what only TOML 1.1 reads ---- */

/* 1: yes; 0: no; -1: no memory. */
static int is_toml_1_0(const char *text, size_t size)
{
    struct value value = {0};
    struct flaw flaw = {0};
    int is = scan_toml_value(text, size, UNTORN_TOML_1_0, &value, &flaw) == 0;
    value_free(&value);
    return !is && flaw.out_of_memory ? -1 : is;
}

/* 07:32 becomes 07:32:00. NULL: no memory. */
static const char *with_seconds(struct arena *arena, const struct untorn_node *node,
                                size_t *ret_size)
{
    const char *hour = memchr(node->text, ':', node->size);
    size_t clock = hour ? (size_t)(hour - node->text) + 3 : node->size;
    *ret_size = node->size;
    if (!hour || (clock < node->size && node->text[clock] == ':'))
        return node->text;
    char *longer = arena_take(arena, node->size + 4);
    if (!longer)
        return NULL;
    memcpy(longer, node->text, clock);
    memcpy(longer + clock, ":00", 3);
    memcpy(longer + clock + 3, node->text + clock, node->size - clock);
    *ret_size = node->size + 3;
    longer[*ret_size] = '\0';
    return longer;
}

/* Forgets how all of it is spelled: it is written anew, in TOML 1.0. */
static int forget_spelling(struct value *value, struct untorn_error *error)
{
    struct untorn_node *at = value->node;
    for (;;) {
        at->origin = NODE_ORDINARY;
        at->raw = NULL;
        at->key_raw = NULL;
        if (is_instant(at->kind))
            at->text = with_seconds(&value->arena, at, &at->size);
        if (!at->text && is_instant(at->kind))
            return error_fail(error, UNTORN_NO_MEMORY, NULL);
        if (at->first) {
            at = at->first;
            continue;
        }
        while (at != value->node && !at->next)
            at = at->parent;
        if (at == value->node)
            return 0;
        at = at->next;
    }
}

/* Readers of 1.0 still read the document behind the edit, if they could read what it replaces. */
static int spell_for_all(const char *text, size_t size, const struct untorn_node *old,
                         enum untorn_format format, struct value *value, struct untorn_error *error)
{
    if (format != UNTORN_TOML)
        return 0;
    int fine = is_toml_1_0(text, size);
    if (fine == 0 && old && old->raw) {
        int was_fine = is_toml_1_0(old->raw, old->raw_size);
        fine = was_fine < 0 ? -1 : !was_fine;
    }
    if (fine < 0)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    return fine ? 0 : forget_spelling(value, error);
}

static int read_toml(const char *text, size_t size, const struct untorn_node *old,
                     enum untorn_format format, struct value *ret_value, struct untorn_error *error)
{
    struct flaw flaw;
    trim(&text, &size);
    if (scan_toml_value(text, size, format, ret_value, &flaw) < 0)
        return no_such_value(text, size, "TOML", TOML_PREFIX, &flaw, error);
    return spell_for_all(text, size, old, format, ret_value, error);
}

/* ---- plain values ---- */

/* A scalar; with `spelled` it is written as it is here. */
static int make(enum untorn_kind kind, const char *text, size_t size, enum untorn_format spelled,
                struct value *ret_value, struct untorn_error *error)
{
    const char *copy = arena_copy(&ret_value->arena, text, size);
    struct untorn_node *node = copy ? node_add(&ret_value->arena, NULL, NULL, 0, kind) : NULL;
    if (!node)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    node->text = copy;
    node->size = size;
    if (spelled)
        node_spell(node, copy, size, spelled);
    ret_value->node = node;
    return 0;
}

static int make_string(const char *text, size_t size, struct value *ret_value,
                       struct untorn_error *error)
{
    if (value_is_utf8(text, size))
        return make(UNTORN_STRING, text, size, UNTORN_FORMAT_UNKNOWN, ret_value, error);
    error_detail(error, "the value is not UTF-8, which every string of a document is; write every "
                        "other byte as %%XX, its two hexadecimal digits, and a %% as %%25");
    return error_fail(error, UNTORN_INVALID, NULL);
}

/* Where nothing says what it is to be. */
static int make_by_spelling(const char *text, size_t size, enum untorn_format format,
                            struct value *ret_value, struct untorn_error *error)
{
    bool integer;
    if (is_word(text, size, "true") || is_word(text, size, "false"))
        return make(UNTORN_BOOLEAN, text, size, format, ret_value, error);
    if (number_is_json(text, size, &integer))
        return make(integer ? UNTORN_INTEGER : UNTORN_FLOAT, text, size, format, ret_value, error);
    return make_string(text, size, ret_value, error);
}

/* A float stays one: where 3 would be an integer to those who read it, it becomes 3.0. */
static int make_float(const char *text, size_t size, enum untorn_format format,
                      struct value *ret_value, struct untorn_error *error)
{
    char *longer = arena_take(&ret_value->arena, size + 2);
    if (!longer)
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    memcpy(longer, text, size);
    memcpy(longer + size, ".0", 2);
    return make(UNTORN_FLOAT, longer, size + 2, format, ret_value, error);
}

static int make_number(const struct untorn_node *old, const char *text, size_t size, bool integer,
                       enum untorn_format format, struct value *ret_value,
                       struct untorn_error *error)
{
    if (integer && old->kind == UNTORN_FLOAT && format_is_toml(format))
        return make_float(text, size, format, ret_value, error);
    return make(integer ? UNTORN_INTEGER : UNTORN_FLOAT, text, size, format, ret_value, error);
}

static int other_type(const struct untorn_node *old, const char *name, const char *text,
                      size_t size, enum untorn_format format, struct untorn_error *error)
{
    char shown[KEYPATH_SHOWN];
    const char *what = value_kind_words(old->kind);
    keypath_shown(text, size, shown);
    if (node_is_container(old))
        error_detail(error,
                     "%s is %s; a whole new value is given with %s, a string with --string, one "
                     "place in it by its own key",
                     name, what, format_is_toml(format) ? "--toml or --json" : "--json");
    else
        error_detail(error, "%s is %s, and '%s' is none; for another type say %s", name, what,
                     shown,
                     format_is_toml(format) ? "--string, --json or --toml" : "--string or --json");
    return error_fail(error, UNTORN_TYPE, NULL);
}

/* As TOML spells it: a date, 0xff, 1_000, inf. */
static int read_spelled(const struct untorn_node *old, const char *name, const char *text,
                        size_t size, enum untorn_format format, struct value *ret_value,
                        struct untorn_error *error)
{
    struct flaw flaw;
    if (scan_toml_value(text, size, format, ret_value, &flaw) < 0) {
        if (flaw.out_of_memory)
            return error_fail(error, UNTORN_NO_MEMORY, NULL);
        return other_type(old, name, text, size, format, error);
    }
    if (ret_value->node->kind != old->kind)
        return other_type(old, name, text, size, format, error);
    return spell_for_all(text, size, old, format, ret_value, error);
}

static int read_plain(const char *text, size_t size, const struct untorn_node *old,
                      const char *name, enum untorn_format format, struct value *ret_value,
                      struct untorn_error *error)
{
    bool integer;
    if (!old || old->kind == UNTORN_NULL)
        return make_by_spelling(text, size, format, ret_value, error);
    if (old->kind == UNTORN_STRING)
        return make_string(text, size, ret_value, error);
    if (old->kind == UNTORN_BOOLEAN && value_is_spelled(UNTORN_BOOLEAN, text, size, format))
        return make(UNTORN_BOOLEAN, text, size, format, ret_value, error);
    if ((old->kind == UNTORN_INTEGER || old->kind == UNTORN_FLOAT) &&
        number_is_json(text, size, &integer))
        return make_number(old, text, size, integer, format, ret_value, error);
    if (format_is_toml(format) && !node_is_container(old))
        return read_spelled(old, name, text, size, format, ret_value, error);
    return other_type(old, name, text, size, format, error);
}

static int read_value(const struct untorn_edit *edit, const struct untorn_node *old,
                      const char *name, enum untorn_format format, struct value *ret_value,
                      struct untorn_error *error)
{
    const char *text = edit->value ? edit->value : "";
    size_t size = edit->value ? edit->value_size : 0;
    switch (edit->syntax) {
    case UNTORN_PLAIN:
        return read_plain(text, size, old, name, format, ret_value, error);
    case UNTORN_AS_STRING:
        return make_string(text, size, ret_value, error);
    case UNTORN_AS_JSON:
        return read_json(text, size, format, ret_value, error);
    case UNTORN_AS_TOML:
        return read_toml(text, size, old, format, ret_value, error);
    }
    error_detail(error, "there is no syntax %d", (int)edit->syntax);
    return error_fail(error, UNTORN_INVALID, NULL);
}

/* Where a message quotes the value, another takes its place. */
static void keep_secret(const struct untorn_edit *edit, const struct untorn_node *old,
                        const char *name, int rc, struct untorn_error *error)
{
    if (rc == -UNTORN_TYPE && edit->syntax == UNTORN_PLAIN && old && !node_is_container(old))
        error_detail(error, "%s is %s, and the value is none; it is a secret, and not shown", name,
                     value_kind_words(old->kind));
    else if (rc == -UNTORN_INVALID &&
             (edit->syntax == UNTORN_AS_JSON || edit->syntax == UNTORN_AS_TOML))
        error_detail(error, "the value is not %s; it is a secret, and not shown",
                     edit->syntax == UNTORN_AS_TOML ? "TOML" : "JSON");
}

int value_read(const struct untorn_edit *edit, const struct untorn_node *old, const char *name,
               enum untorn_format format, struct value *ret_value, struct untorn_error *error)
{
    int rc = read_value(edit, old, name, format, ret_value, error);
    if (rc < 0 && edit->secret)
        keep_secret(edit, old, name, rc, error);
    return rc;
}

void value_free(struct value *value)
{
    parsed_free(&value->parsed);
    arena_free(&value->arena);
    free(value->text);
    *value = (struct value){0};
}

/* ---- what a format can hold ---- */

/* Why not, or NULL. The key of the topmost is not its own. */
static const char *unfit_for_toml(const struct untorn_node *node, bool top)
{
    int64_t number;
    if (node->kind == UNTORN_NULL)
        return "TOML has no null; unset removes a key";
    if (node->kind == UNTORN_INTEGER && !number_integer(node->text, node->size, &number))
        return "TOML's integers have 64 bits; --string keeps a longer one as a string";
    if ((node->kind == UNTORN_STRING && !value_is_utf8(node->text, node->size)) ||
        (!top && node->key && !value_is_utf8(node->key, node->key_size)))
        return "half a surrogate pair, which JSON can escape and TOML does not have";
    return !top && node->repeated ? "a key is there twice, which TOML does not have" : NULL;
}

static const char *unfit_for_json(const struct untorn_node *node)
{
    if (is_instant(node->kind))
        return "JSON has no dates and times; --string makes it a string";
    if (node->kind == UNTORN_FLOAT && strpbrk(node->text, "in"))
        return "JSON has neither inf nor nan; --string makes it a string";
    return NULL;
}

size_t value_depth(enum untorn_format format)
{
    return format_is_toml(format) ? TOML_DEPTH : JSON_DEPTH;
}

int value_fits(const struct untorn_node *node, enum untorn_format format, size_t depth,
               struct untorn_error *error)
{
    const struct untorn_node *top = node;
    for (;;) {
        const char *why =
            format_is_toml(format) ? unfit_for_toml(node, node == top) : unfit_for_json(node);
        if (why) {
            error_detail(error, "%s", why);
            return error_fail(error, UNTORN_TYPE, NULL);
        }
        depth += node_is_container(node);
        if (depth > value_depth(format)) {
            error_detail(error, "nested deeper than %zu levels", value_depth(format));
            return error_fail(error, UNTORN_TOO_LARGE, NULL);
        }
        if (node->first) {
            node = node->first;
            continue;
        }
        depth -= node_is_container(node);
        while (node != top && !node->next) {
            node = node->parent;
            depth--;
        }
        if (node == top)
            return 0;
        node = node->next;
    }
}

static bool is_toml_spelling(enum untorn_kind kind, const char *text, size_t size)
{
    struct value value = {0};
    struct flaw flaw;
    bool is =
        scan_toml_value(text, size, UNTORN_TOML, &value, &flaw) == 0 && value.node->kind == kind;
    value_free(&value);
    return is;
}

bool value_is_spelled(enum untorn_kind kind, const char *text, size_t size,
                      enum untorn_format format)
{
    bool integer;
    int64_t number;
    switch (kind) {
    case UNTORN_NULL:
        return is_word(text, size, "null") && !format_is_toml(format);
    case UNTORN_BOOLEAN:
        return is_word(text, size, "true") || is_word(text, size, "false");
    case UNTORN_STRING:
        return value_is_utf8(text, size);
    case UNTORN_INTEGER:
    case UNTORN_FLOAT:
        if (number_is_json(text, size, &integer))
            return integer == (kind == UNTORN_INTEGER) &&
                   !(integer && format_is_toml(format) && !number_integer(text, size, &number));
        return format_is_toml(format) && is_toml_spelling(kind, text, size);
    default:
        return is_instant(kind) && format_is_toml(format) && is_toml_spelling(kind, text, size);
    }
}
