#include <string.h>

#include "text/toml_scan.h"

static const char byte_order_mark[] = "\xef\xbb\xbf";
enum { MARK = sizeof byte_order_mark - 1 };

/* ---- the list of statements ---- */

enum { USUAL = 24 }; /* bytes of a statement; where they are shorter the list grows */

static struct toml_statement *add_statement(struct toml_scan *scan)
{
    struct parsed *parsed = scan->parsed;
    size_t room = scan->statement_room;
    if (parsed->statement_count == room) {
        room = room ? 2 * room : (size_t)(scan->end - scan->text) / USUAL + 16;
        struct toml_statement *list = arena_take(&parsed->arena, room * sizeof *list);
        if (!list)
            return NULL;
        if (parsed->statement_count > 0)
            memcpy(list, parsed->statements, parsed->statement_count * sizeof *list);
        parsed->statements = list;
        scan->statement_room = room;
    }
    return &parsed->statements[parsed->statement_count++];
}

/* The statement whose key was just read; `start` is where it begins. */
static struct toml_statement *note_statement(struct toml_scan *scan, enum toml_statement_kind kind,
                                             const char *start)
{
    if (!scan->copy)
        return &scan->unkept;
    struct toml_statement *statement = add_statement(scan);
    size_t count = scan->part_count;
    struct span *parts = arena_take(&scan->parsed->arena, count * sizeof *parts);
    if (!statement || !parts) {
        (void)toml_no_memory(scan);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        parts[i].start = (uint64_t)(scan->parts[i].raw - scan->text);
        parts[i].end = parts[i].start + scan->parts[i].raw_size;
    }
    *statement = (struct toml_statement){
        .kind = kind,
        .text = {(uint64_t)(start - scan->text), (uint64_t)(scan->at - scan->text)},
        .parts = parts,
        .part_count = count,
    };
    return statement;
}

/* ---- statements ---- */

static bool take_header(struct toml_scan *scan)
{
    const char *start = scan->at++;
    bool element = toml_take(scan, '[');
    toml_skip_blanks(scan);
    if (!toml_key(scan))
        return false;
    if (!toml_take(scan, ']') || (element && !toml_take(scan, ']')))
        return toml_fail(scan, scan->at, element ? "expected ']]'" : "expected ']'");
    scan->table = toml_open(scan, element);
    if (!scan->table)
        return false;
    struct toml_statement *statement =
        note_statement(scan, element ? TOML_TABLES_HEADER : TOML_HEADER, start);
    if (!statement)
        return false;
    statement->table = statement->node = scan->table;
    return true;
}

static bool take_assignment(struct toml_scan *scan)
{
    const char *start = scan->at;
    if (!toml_key(scan))
        return false;
    if (!toml_take(scan, '='))
        return toml_fail(scan, scan->at, "expected '='");
    toml_skip_blanks(scan);
    struct untorn_node *node = toml_assign(scan, scan->table);
    struct toml_statement *statement = node ? note_statement(scan, TOML_ASSIGNMENT, start) : NULL;
    if (!statement || !toml_value(scan, node))
        return false;
    statement->text.end = (uint64_t)(scan->at - scan->text);
    statement->table = scan->table;
    statement->node = node;
    return true;
}

static bool take_all(struct toml_scan *scan)
{
    for (;;) {
        if (!toml_skip_lines(scan))
            return false;
        if (scan->at == scan->end)
            return true;
        if (!(toml_is(scan, '[') ? take_header(scan) : take_assignment(scan)))
            return false;
        if (!toml_end_line(scan))
            return false;
    }
}

static bool skip_mark(struct toml_scan *scan)
{
    size_t size = (size_t)(scan->end - scan->at), most = size < MARK ? size : MARK;
    if (most == 0 || memcmp(scan->at, byte_order_mark, most) != 0)
        return true;
    scan->at += most;
    return most == MARK || toml_fail(scan, scan->at, "a byte order mark is cut");
}

static bool scan_text(struct toml_scan *scan, bool keeps)
{
    struct parsed *parsed = scan->parsed;
    parsed->root = scan->table = node_add(&parsed->arena, NULL, NULL, 0, UNTORN_OBJECT);
    if (keeps)
        scan->copy = arena_copy(&parsed->arena, scan->text, parsed->size);
    if (!parsed->root || (keeps && !scan->copy))
        return toml_no_memory(scan);
    scan->level = 1;
    parsed->root->origin = NODE_ROOT;
    parsed->root->raw_format = parsed->format;
    return skip_mark(scan) && take_all(scan);
}

static bool run(const char *text, size_t size, enum untorn_format format, bool keeps,
                struct parsed *ret_parsed, struct flaw *ret_flaw)
{
    *ret_parsed = (struct parsed){.format = format, .text = text, .size = size};
    *ret_flaw = (struct flaw){0};
    text = text ? text : "";
    struct toml_scan scan = {
        .text = text,
        .at = text,
        .end = text + size,
        .strict = format == UNTORN_TOML_1_0,
        .parsed = ret_parsed,
        .flaw = ret_flaw,
    };
    return scan_text(&scan, keeps);
}

int parse_toml(const char *text, size_t size, enum untorn_format format, struct parsed *ret_parsed,
               struct flaw *ret_flaw)
{
    if (run(text, size, format, true, ret_parsed, ret_flaw))
        return 0;
    arena_free(&ret_parsed->arena);
    *ret_parsed = (struct parsed){0};
    return -1;
}

bool toml_skim(const char *text, size_t size, enum untorn_format format, struct parsed *ret_parsed)
{
    struct flaw flaw;
    return run(text, size, format, false, ret_parsed, &flaw);
}

bool toml_is_valid(const char *text, size_t size, enum untorn_format format)
{
    struct parsed parsed;
    bool is = toml_skim(text, size, format, &parsed);
    parsed_free(&parsed);
    return is;
}
