#include <string.h>

#include "text/toml_plan.h"

/* ---- marking ---- */

bool toml_is_below(const struct untorn_node *node, const struct untorn_node *top)
{
    while (node && node != top)
        node = node->parent;
    return node != NULL;
}

/* Whether the key of an assignment leads to the node or through it. */
static bool leads_to(const struct toml_statement *statement, const struct untorn_node *node)
{
    const struct untorn_node *at = statement->node;
    while (at != node && at != statement->table)
        at = at->parent;
    return at == node && at != statement->table;
}

void toml_mark_gone(struct toml_plan *plan, const struct untorn_node *node)
{
    bool inside = false;
    for (size_t i = 0; i < plan->lines.count; i++) {
        const struct toml_statement *statement = &plan->lines.statements[i];
        if (statement->kind != TOML_ASSIGNMENT)
            inside = toml_is_below(statement->table, node);
        plan->gone[i] = inside || (statement->kind == TOML_ASSIGNMENT && leads_to(statement, node));
    }
}

/* ---- taking out, with the comments of who goes [PLAN-3] ---- */

static bool has_comment(const struct toml_lines *lines, uint64_t line, uint64_t end)
{
    for (; line < end; line = lines_next(lines, line))
        if (lines_is_comment(lines, line))
            return true;
    return false;
}

/* Whether all lines are nothing but the usual end of a line. */
static bool is_plain(const struct toml_lines *lines, uint64_t line, uint64_t end)
{
    for (; line < end; line += lines->eol_size)
        if (end - line < lines->eol_size ||
            memcmp(lines->text + line, lines->eol, lines->eol_size) != 0)
            return false;
    return true;
}

/* Of the blank lines before and behind what goes the fewer go too, so that what is left is as far
 * apart as it was from that; and all of them at the begin or end of the text. */
static void take_blank_lines(const struct toml_lines *lines, struct span *at)
{
    uint64_t before = at->start, behind = at->end;
    size_t above = 0, below = 0;
    while (before > lines->begin && lines_is_blank(lines, lines_above(lines, before))) {
        before = lines_above(lines, before);
        above++;
    }
    while (behind < lines->end && lines_is_blank(lines, behind)) {
        behind = lines_next(lines, behind);
        below++;
    }
    if (above > 0 && below > 0) {
        bool first = above < below || (above == below && !is_plain(lines, at->end, behind) &&
                                       is_plain(lines, before, at->start));
        *(first ? &at->start : &at->end) = first ? before : behind;
    } else if (at->end == lines->end && before > lines->begin) {
        at->start = before;
    } else if (at->start == lines->begin && behind < lines->end) {
        at->end = behind;
    }
}

/* Replaces whole lines by whole lines. A last line without an end stays without one. */
static int put_lines(struct toml_plan *plan, struct span at, struct buffer *text)
{
    const struct toml_lines *lines = &plan->lines;
    if (!lines->unended || at.end < lines->end)
        return toml_splice(plan, at, text);
    struct buffer put = {0};
    if (at.start == lines->end)
        toml_add_eol(plan, &put);
    if (text->size > 0) {
        buffer_add(&put, text->data, text->size - lines->eol_size);
    } else if (at.start > lines->begin) {
        at.start--;
        at.start -= at.start > lines->begin && lines->text[at.start - 1] == '\r';
    }
    put.failed |= text->failed;
    buffer_free(text);
    return toml_splice(plan, at, &put);
}

static int put_coming(struct toml_plan *plan, struct span at)
{
    struct buffer text = plan->coming;
    plan->coming = (struct buffer){0};
    return put_lines(plan, at, &text);
}

static bool comes_within(const struct toml_plan *plan, struct span at)
{
    return plan->coming.size > 0 && plan->place >= at.start && plan->place <= at.end;
}

static int take_lines(struct toml_plan *plan, struct span at)
{
    int rc = 0;
    if (!comes_within(plan, at))
        take_blank_lines(&plan->lines, &at);
    if (comes_within(plan, at))
        return put_coming(plan, at);
    if (plan->coming.size > 0 && plan->place < at.start)
        rc = put_coming(plan, (struct span){plan->place, plan->place});
    struct buffer nothing = {0};
    return rc == 0 ? put_lines(plan, at, &nothing) : rc;
}

/* Whether what is between two statements that go goes with them. */
static bool joins(const struct toml_lines *lines, size_t statement, bool section_gone)
{
    return section_gone ||
           !has_comment(lines, lines_behind(lines, statement), lines_owned(lines, statement + 1));
}

/* What stands directly under the header of the table it is in goes: the next such takes its place,
 * without the blank lines between them. */
static void close_up(const struct toml_plan *plan, size_t first, size_t last, struct span *at)
{
    const struct toml_lines *lines = &plan->lines;
    const struct toml_statement *statements = lines->statements;
    if (first == 0 || last + 1 == lines->count || statements[first].kind == TOML_ASSIGNMENT ||
        statements[first - 1].kind == TOML_ASSIGNMENT ||
        statements[last + 1].kind == TOML_ASSIGNMENT || plan->gone[first - 1] ||
        !toml_is_below(statements[last + 1].table, statements[first - 1].table) ||
        at->start != lines_behind(lines, first - 1))
        return;
    while (at->end < lines->end && lines_is_blank(lines, at->end))
        at->end = lines_next(lines, at->end);
}

int toml_apply(struct toml_plan *plan)
{
    const struct toml_lines *lines = &plan->lines;
    bool section_gone = false;
    int rc = plan->coming.failed ? -UNTORN_NO_MEMORY : 0;
    for (size_t i = 0; i < lines->count && rc == 0; i++) {
        if (lines->statements[i].kind != TOML_ASSIGNMENT)
            section_gone = plan->gone[i];
        if (!plan->gone[i])
            continue;
        size_t first = i;
        struct span at = {.start = lines_owned(lines, i)};
        for (; i + 1 < lines->count && plan->gone[i + 1] && joins(lines, i, section_gone); i++)
            section_gone |= lines->statements[i + 1].kind != TOML_ASSIGNMENT;
        at.end = section_gone ? lines_tail(lines, i) : lines_behind(lines, i);
        close_up(plan, first, i, &at);
        rc = take_lines(plan, at);
    }
    if (rc == 0 && plan->coming.size > 0)
        rc = put_coming(plan, (struct span){plan->place, plan->place});
    return rc;
}
