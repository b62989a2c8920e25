/* Adding a member, inserting an element.
 *
 * A new element comes directly behind the one before it, or directly before the comments of the one
 * behind it; so no comment changes its owner. What is put between two elements, the separator, is
 * copied from between two others. */
#include <string.h>

#include "text/json_gap.h"
#include "text/json_plan.h"
#include "text/json_style.h"
#include "text/place.h"

/* Blanks, or the end of a line and the indentation of the next one. */
struct piece {
    bool line;
    struct json_indent blanks;
};

/* Around a comma. */
struct separator {
    struct piece before, after;
};

struct site {
    struct json_job *job;
    const struct parsed *parsed;
    const struct untorn_node *container, *previous, *next; /* what the new one stands between */
    struct json_style style;
    bool comma_first; /* the commas begin the lines */
};

static struct json_gap gap_of(const struct site *site, const struct untorn_node *left,
                              const struct untorn_node *right)
{
    return json_gap_between(site->parsed, site->container, left, right);
}

/* ---- the new element ---- */

static void add_piece(struct buffer *buffer, const struct site *site, struct piece piece)
{
    if (piece.line)
        buffer_add(buffer, "\n", 1);
    json_add_indent(buffer, &site->style, piece.blanks);
}

static void add_separator(struct buffer *buffer, const struct site *site, struct separator between)
{
    add_piece(buffer, site, between.before);
    buffer_add(buffer, ",", 1);
    add_piece(buffer, site, between.after);
}

static const struct untorn_node *neighbour(const struct site *site)
{
    return site->previous ? site->previous : site->next;
}

/* Siblings that are looked at to see how things are laid out. */
enum { NEAR = 32 };

/* Whether what there is of the node tells whether it is a model; else the plan is unsure. */
static bool is_all_there(const struct site *site, const struct untorn_node *node)
{
    bool alike = node->kind == site->job->change->value->kind;
    bool cut = node->cut && ((alike && !node->cut_long) || node_stands_for_others(node));
    site->job->plan->unsure |= cut;
    return !cut;
}

/* A long one of whatever is in it. */
static bool is_model(const struct untorn_node *node, const struct untorn_node *value)
{
    if (node_is_container(node) && json_is_long(node))
        return node->kind == value->kind && node->count > 0 && value->count > 0;
    return json_is_model(node, value);
}

/* The nearest one that may be laid out likewise: those before it first, and the neighbour rather
 * than none. */
static const struct untorn_node *find_model(const struct site *site)
{
    const struct untorn_node *value = site->job->change->value, *beside = neighbour(site);
    size_t left = NEAR;
    if (!node_is_container(value) || site->comma_first)
        return NULL;
    for (const struct untorn_node *at = site->previous; at && left > 0; at = at->previous, left--)
        if (is_all_there(site, at) && is_model(at, value))
            return at;
    for (const struct untorn_node *at = site->next; at && left > 0; at = at->next, left--)
        if (is_all_there(site, at) && is_model(at, value))
            return at;
    return beside && beside->kind == value->kind && beside->count > 0 ? beside : NULL;
}

/* The kind of containers other than this one, as those in the model have it, or those around. */
static enum untorn_kind find_padding(const struct site *site, const struct untorn_node *model,
                                     enum untorn_kind kind)
{
    size_t left = NEAR;
    for (const struct untorn_node *at = model ? model->first : site->container->first;
         at && left > 0; at = at->next, left--) {
        site->job->plan->unsure |= node_stands_for_others(at);
        if (at->kind == kind && json_is_on_one_line(at)) /* [ABRIDGE-2] */
            return json_padding(at, kind);
    }
    return json_padding(site->container, kind);
}

static void set_padding(struct json_layout *layout, const struct site *site,
                        const struct untorn_node *model)
{
    enum untorn_kind kind = site->job->change->value->kind;
    enum untorn_kind other = kind == UNTORN_OBJECT ? UNTORN_ARRAY : UNTORN_OBJECT;
    layout->padded = json_padding(model ? model : site->container, kind);
    layout->padded_too = find_padding(site, model && !json_is_long(model) ? model : NULL, other);
    if (site->comma_first && site->container->raw[1] == ' ') {
        layout->padded = kind;
        layout->padded_too = other;
    }
}

/* ---- a column of colons ---- */

/* 0: no blank before the colon, or a tab. */
static size_t column_of(const struct untorn_node *member, size_t *ret_key)
{
    const char *end = member->key_raw + node_key_raw_size(member);
    size_t blanks = strspn(end, " ");
    *ret_key = text_width(member->key_raw, (size_t)(end - member->key_raw));
    return blanks > 0 && end[blanks] == ':' ? *ret_key + blanks : 0;
}

static bool begins_line_like(const struct site *site, const struct untorn_node *one,
                             const struct untorn_node *other)
{
    size_t start = json_start(site->parsed, one);
    if (!json_starts_line(site->parsed, start)) /* and lines can be long */
        return false;
    struct json_indent first = json_indent_at(site->parsed, start);
    struct json_indent second = json_indent_at(site->parsed, json_start(site->parsed, other));
    return first.size == second.size && memcmp(first.text, second.text, first.size) == 0;
}

static bool is_below_blank_line(const struct site *site, const struct untorn_node *member)
{
    const char *at = site->parsed->text + json_end(site->parsed, member->previous);
    bool empty = false;
    for (; at < member->key_raw; at++) {
        if (*at == '\n' && empty)
            return true;
        empty = *at == '\n' || (empty && (*at == ' ' || *at == '\t' || *at == '\r'));
    }
    return false;
}

/* Up to which column keys are filled so that all colons are in one, from the member up to a blank
 * line; 0: they are not, or all keys are equally long. */
static size_t find_column(const struct site *site)
{
    size_t column = 0, width = 0, left = NEAR;
    bool differ = false;
    for (const struct untorn_node *at = site->previous; at && left > 0; at = at->previous, left--) {
        size_t key, here = column_of(at, &key);
        site->job->plan->unsure |= node_stands_for_others(at);
        if (here == 0 || (column > 0 && here != column) ||
            !begins_line_like(site, at, site->previous))
            return 0;
        differ |= column > 0 && key != width;
        column = here;
        width = key;
        if (at->previous && is_below_blank_line(site, at))
            break;
    }
    return differ && site->style.colon[0] == ' ' ? column - 1 : 0; /* it has the last blank */
}

/* ---- the whole ---- */

static void add_key(struct buffer *buffer, const struct site *site)
{
    const struct change *change = site->job->change;
    size_t start = buffer->size;
    write_json_string(buffer, change->key, change->key_size, false);
    buffer_align(buffer, start, find_column(site));
    buffer_text(buffer, site->style.colon);
}

/* A container is laid out as one near it, else as the container in which it stands; where commas
 * begin the lines, on one line: it has none then. */
static void add_element(struct buffer *buffer, const struct site *site, bool one_line,
                        struct json_indent indent)
{
    const struct change *change = site->job->change;
    const struct untorn_node *value = change->value, *model = find_model(site);
    struct json_layout layout = {.one_line = one_line, .indent = indent};
    struct json_style style = site->style;
    if (site->comma_first) {
        layout.one_line = true;
        style.comma = (struct json_indent){" ", 1, 0};
    }
    if (model) {
        layout.one_line = json_is_on_one_line(model);
        layout.model = model;
        if (!json_is_long(model))
            style = json_style_in(site->parsed, model);
    }
    if (node_is_container(value)) {
        site->job->plan->unsure |= json_style_is_unsure(&style, value);
        set_padding(&layout, site, model);
    }
    if (change->kind == CHANGE_ADD)
        add_key(buffer, site);
    json_add_value(buffer, value, &style, &layout);
}

/* ---- separators ---- */

static struct json_indent blanks_between(const struct site *site, size_t start, size_t end)
{
    return (struct json_indent){site->parsed->text + start, end - start, 0};
}

static struct piece new_line_at(const struct site *site, size_t at)
{
    return (struct piece){true, json_indent_at(site->parsed, at)};
}

/* One level deeper than the container. */
static struct piece new_line_inside(const struct site *site)
{
    struct piece piece = new_line_at(site, json_start(site->parsed, site->container));
    piece.blanks.levels = 1;
    return piece;
}

static struct separator separator_like(const struct site *site, const struct json_gap *gap)
{
    struct separator between = {0};
    if (gap->line_before)
        between.before = new_line_at(site, gap->comma);
    else
        between.before.blanks =
            blanks_between(site, json_back(site->parsed, gap->comma, gap->start), gap->comma);
    if (gap->line_after)
        between.after = new_line_at(site, gap->head);
    else
        between.after.blanks =
            blanks_between(site, gap->comma + 1, json_on(site->parsed, gap->comma + 1, gap->end));
    return between;
}

/* Where there is but one element, nothing shows how two are separated but what is before it. */
static struct separator separator_of_one(const struct site *site)
{
    struct separator between = {0};
    struct json_gap gap = gap_of(site, NULL, site->container->first);
    if (gap.lines) {
        between.after = new_line_at(site, gap.head);
    } else {
        between.after.blanks = site->style.comma;
        site->job->plan->unsure |= site->style.unsure;
    }
    return between;
}

static struct separator find_separator(const struct site *site)
{
    const struct untorn_node *left = site->previous, *right = site->next;
    if (site->container->count < 2)
        return separator_of_one(site);
    if (!left) {
        left = site->container->first;
        right = left->next;
    } else if (!right) {
        right = left;
        left = right->previous;
    }
    struct json_gap gap = gap_of(site, left, right);
    return separator_like(site, &gap);
}

/* An object whose brackets have lines of their own gets a line for each new member, even where two
 * old ones share one. */
static bool wants_line(const struct site *site, const struct json_gap *last)
{
    return site->container->kind == UNTORN_OBJECT && last->lines &&
           gap_of(site, NULL, site->container->first).lines;
}

/* Behind a comment that goes to the end of the line there is no place on it; nor behind any that
 * follows the comma, which would become the new one's. */
static bool needs_line(const struct json_gap *last, struct separator between)
{
    if (between.after.line)
        return false;
    return last->has_comma ? last->tail > last->comma : last->tail_is_line && !between.before.line;
}

static struct separator separator_behind(const struct site *site, const struct json_gap *last)
{
    struct separator between = find_separator(site);
    if (!between.before.line && !between.after.line && wants_line(site, last))
        between.after = new_line_at(site, gap_of(site, NULL, site->container->first).head);
    if (!needs_line(last, between))
        return between;
    size_t start = json_start(site->parsed, site->previous);
    bool own_line = json_starts_line(site->parsed, start);
    between.after = own_line ? new_line_at(site, start) : new_line_inside(site);
    return between;
}

/* Of the line in which `at` is. A scalar needs none, and lines can be long. */
static struct json_indent indent_at(const struct site *site, size_t at)
{
    if (!node_is_container(site->job->change->value))
        return (struct json_indent){0};
    return json_indent_at(site->parsed, at);
}

/* Of the line on which an element stands that is put at `at`, with `between` before it. */
static struct json_indent indent_behind(const struct site *site, struct separator between,
                                        size_t at)
{
    if (between.after.line)
        return between.after.blanks;
    return between.before.line ? between.before.blanks : indent_at(site, at);
}

/* ---- before the next, behind the one before ---- */

static void insert_before(const struct site *site, const struct json_gap *gap)
{
    struct separator between = find_separator(site);
    if (gap->head < gap->end && json_starts_line(site->parsed, gap->head))
        between.after = new_line_at(site, gap->head); /* the comments keep their own line */
    struct buffer buffer = {0};
    bool lines = between.before.line || between.after.line;
    add_element(&buffer, site, !lines, indent_at(site, gap->head));
    add_separator(&buffer, site, between);
    json_plan_put(site->job, gap->head, gap->head, &buffer);
}

/* The comma is there already, and the new element gets one too. */
static void insert_behind_comma(const struct site *site, const struct json_gap *gap,
                                struct separator between)
{
    size_t at = gap->tail > gap->comma ? gap->tail : gap->comma + 1;
    struct buffer buffer = {0};
    if (gap->comma_tail > 0) { /* comments on the comma's line do not become the new one's */
        at = gap->comma_tail;
        between = (struct separator){.after = new_line_inside(site)};
    }
    if (between.after.line)
        at = json_line_end(site->parsed, at);
    struct piece before = between.before;
    between.before = (struct piece){0};
    add_piece(&buffer, site, between.after);
    add_element(&buffer, site, !between.after.line, indent_behind(site, between, at));
    if (!before.line)
        add_piece(&buffer, site, before);
    buffer_add(&buffer, ",", 1);
    json_plan_put(site->job, at, at, &buffer);
}

static void insert_behind(const struct site *site, const struct json_gap *gap)
{
    struct separator between = separator_behind(site, gap);
    if (gap->has_comma && gap->closes) {
        insert_behind_comma(site, gap, between);
        return;
    }
    bool lines = between.before.line || between.after.line;
    size_t at = lines ? json_line_end(site->parsed, gap->tail) : gap->tail;
    struct buffer comma = {0}, buffer = {0};
    if (between.after.line && !between.before.line && at > gap->start) {
        add_piece(&comma, site, between.before);
        buffer_add(&comma, ",", 1);
        json_plan_put(site->job, gap->start, gap->start, &comma); /* before the comment */
        add_piece(&buffer, site, between.after);
    } else {
        add_separator(&buffer, site, between);
    }
    add_element(&buffer, site, !lines, indent_behind(site, between, at));
    json_plan_put(site->job, at, at, &buffer);
}

/* ---- into an empty container ---- */

/* Comments stay in front on the bracket's line, and behind on the lines below. */
static void insert_among_comments(const struct site *site, const struct json_gap *gap)
{
    struct buffer buffer = {0};
    if (!gap->lines) {
        size_t at = json_back(site->parsed, gap->end, gap->start);
        buffer_add(&buffer, " ", 1);
        add_element(&buffer, site, true, (struct json_indent){0});
        json_plan_put(site->job, at, at, &buffer);
        return;
    }
    size_t at = json_line_end(site->parsed, gap->tail);
    size_t newline = json_is_newline(site->parsed->text, at) ? 1 : 2;
    size_t below = json_on(site->parsed, at + newline, gap->end);
    bool comment = below < gap->end && site->parsed->text[below] == '/';
    struct piece line = comment ? new_line_at(site, below) : new_line_inside(site);
    add_piece(&buffer, site, line);
    add_element(&buffer, site, false, line.blanks);
    json_plan_put(site->job, at, at, &buffer);
}

/* Where the line of the closing bracket begins: the newline before it. */
static size_t last_line_end(const struct site *site, const struct json_gap *gap)
{
    size_t at = json_back(site->parsed, gap->end, gap->start);
    const char *text = site->parsed->text;
    while (!json_is_newline(text, at))
        at--;
    return at > gap->start && text[at] == '\n' && text[at - 1] == '\r' ? at - 1 : at;
}

static void insert_alone(const struct site *site, const struct json_gap *gap)
{
    const struct untorn_node *parent = site->container->parent;
    struct buffer buffer = {0};
    size_t end = gap->end;
    if (json_is_on_one_line(parent)) {
        bool padded = json_padding(parent, site->container->kind) != 0;
        buffer_repeat(&buffer, ' ', padded);
        add_element(&buffer, site, true, (struct json_indent){0});
        buffer_repeat(&buffer, ' ', padded);
    } else {
        struct piece line = new_line_inside(site);
        add_piece(&buffer, site, line);
        add_element(&buffer, site, false, line.blanks);
        line.blanks.levels = 0;
        if (gap->lines)
            end = last_line_end(site, gap);
        else
            add_piece(&buffer, site, line);
    }
    json_plan_put(site->job, gap->start, end, &buffer);
}

void json_plan_insert(struct json_job *job)
{
    const struct change *change = job->change;
    struct site site = {.job = job, .parsed = job->parsed, .container = change->node};
    site.style = json_style_in(job->parsed, site.container);
    if (change->kind == CHANGE_INSERT)
        site.next = node_element(site.container, change->index);
    site.previous = site.next ? site.next->previous : site.container->last;

    struct json_gap gap = gap_of(&site, site.previous, site.next);
    if (site.container->count > 1) {
        struct separator between = find_separator(&site);
        site.comma_first = between.before.line && !between.after.line;
    }
    if (!site.previous && !site.next && gap.others)
        insert_among_comments(&site, &gap);
    else if (!site.previous && !site.next)
        insert_alone(&site, &gap);
    else if (site.next && !gap.comma_first)
        insert_before(&site, &gap);
    else
        insert_behind(&site, &gap);
}
