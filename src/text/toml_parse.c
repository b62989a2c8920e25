#include <string.h>

#include "text/toml_scan.h"

static const char byte_order_mark[] = "\xef\xbb\xbf";
enum { MARK = sizeof byte_order_mark - 1 };

/* ---- the list of statements ---- */

enum { FEW = 16 };

static struct toml_statement *add_statement(struct toml_scan *scan)
{
    struct parsed *parsed = scan->parsed;
    struct arena *arena = &parsed->arena;
    size_t count = parsed->statement_count, used = count * sizeof *parsed->statements;
    if (count == scan->statement_room) {
        scan->statement_room = count ? 2 * count : FEW;
        struct toml_statement *list = arena_take(arena, scan->statement_room * sizeof *list);
        if (!list)
            return NULL;
        if (count > 0) {
            memcpy(list, parsed->statements, used);
            arena_give_back(arena, parsed->statements, used);
        }
        parsed->statements = list;
    }
    return &parsed->statements[parsed->statement_count++];
}

/* The statement whose key was just read; `start` is where it begins. */
static struct toml_statement *note_statement(struct toml_scan *scan, enum toml_statement_kind kind,
                                             const char *start)
{
    if (!scan->keeps)
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
        .part_count = (unsigned)count,
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

static bool scan_text(struct toml_scan *scan)
{
    struct parsed *parsed = scan->parsed;
    parsed->root = scan->table = node_add(&parsed->arena, NULL, NULL, 0, UNTORN_OBJECT);
    if (!parsed->root)
        return toml_no_memory(scan);
    scan->level = 1;
    parsed->root->origin = NODE_ROOT;
    parsed->root->raw_format = parsed->format;
    bool taken = skip_mark(scan) && take_all(scan);
    return toml_enter(scan) && taken;
}

static bool run(struct parsed *parsed, bool keeps, struct flaw *ret_flaw)
{
    const char *text = parsed->text ? parsed->text : "";
    struct toml_scan scan = {
        .text = text,
        .at = text,
        .end = text + parsed->size,
        .keeps = keeps,
        .strict = parsed->format == UNTORN_TOML_1_0,
        .parsed = parsed,
        .flaw = ret_flaw,
    };
    return scan_text(&scan);
}

int parsed_fill_toml(struct parsed *parsed, struct flaw *ret_flaw)
{
    if (run(parsed, true, ret_flaw))
        return 0;
    parsed_free(parsed);
    return -1;
}

bool toml_skim(const char *text, size_t size, enum untorn_format format, struct parsed *ret_parsed)
{
    struct flaw flaw;
    *ret_parsed = (struct parsed){.format = format, .text = text, .size = size};
    return run(ret_parsed, false, &flaw);
}

bool toml_is_valid(const char *text, size_t size, enum untorn_format format)
{
    struct parsed parsed;
    bool is = toml_skim(text, size, format, &parsed);
    parsed_free(&parsed);
    return is;
}
