/* Removing an element, with the comments that are its own, and no others. [PLAN-3]
 *
 * Of the commas around it one goes: its own, the one behind it; that of the element before where
 * the last goes and has none. Where commas stand at the start of lines, the one before it. */
#include "text/json_gap.h"
#include "text/json_plan.h"

struct removal {
    struct json_job *job;
    const struct parsed *parsed;
    struct json_gap left, right; /* the gaps around the element */
};

/* ---- lines ---- */

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static size_t back_over_lines(const struct parsed *parsed, size_t at, size_t limit)
{
    while (at > limit && is_blank(parsed->text[at - 1]))
        at--;
    return at;
}

static size_t on_over_lines(const struct parsed *parsed, size_t at, size_t limit)
{
    while (at < limit && is_blank(parsed->text[at]))
        at++;
    return at;
}

static bool has_blank_line(const struct parsed *parsed, size_t start, size_t end)
{
    size_t lines = 0;
    for (size_t at = start; at < end; at++)
        lines += json_is_newline(parsed->text, at);
    return lines > 1;
}

/* The end of the line above `at`, which is the first on its own. */
static size_t end_of_line_above(const struct parsed *parsed, size_t at, size_t limit)
{
    const char *text = parsed->text;
    at = json_back(parsed, at, limit) - 1;
    return at > limit && text[at] == '\n' && text[at - 1] == '\r' ? at - 1 : at;
}

static bool starts_line(const struct removal *removal, size_t at)
{
    size_t back = json_back(removal->parsed, at, removal->left.start);
    return back > removal->left.start && json_is_newline(removal->parsed->text, back - 1);
}

static bool ends_line(const struct removal *removal, size_t at)
{
    return json_line_ends(removal->parsed, json_on(removal->parsed, at, removal->right.end));
}

/* Cuts whole lines. Of blank lines above and below those above go, for the lower ones stay; at a
 * bracket none stays. */
static void cut_whole_lines(const struct removal *removal, size_t start, size_t end)
{
    const struct parsed *parsed = removal->parsed;
    const struct json_gap *left = &removal->left, *right = &removal->right;
    size_t top = back_over_lines(parsed, start, left->start);
    size_t bottom = on_over_lines(parsed, end, right->end);
    bool above = has_blank_line(parsed, top, start), below = has_blank_line(parsed, end, bottom);
    bool at_bracket = right->closes && bottom == right->end;
    size_t from = end_of_line_above(parsed, start, left->start);
    size_t to = json_on(parsed, end, right->end);
    if (above && (below || at_bracket))
        from = top;
    else if (below && !at_bracket && left->opens && top == left->start)
        to = end_of_line_above(parsed, bottom, end);
    json_plan_cut(removal->job, from, to);
}

/* Cuts the element with its comments out of its lines. Only a bracket behind it comes to stand on
 * the line before, and not behind a comment that ends with its line. */
static void cut_lines(const struct removal *removal, size_t start, size_t end)
{
    const struct parsed *parsed = removal->parsed;
    const struct json_gap *left = &removal->left;
    bool may_join = !left->tail_is_line && !left->others;
    size_t on = json_on(parsed, end, removal->right.end);
    if (starts_line(removal, start) && ends_line(removal, end))
        cut_whole_lines(removal, start, end);
    else if (ends_line(removal, end))
        json_plan_cut(removal->job, json_back(parsed, start, left->start), end);
    else if (!removal->right.closes)
        json_plan_cut(removal->job, start, on);
    else if (may_join)
        json_plan_cut(removal->job, back_over_lines(parsed, start, left->start), end);
    else if (starts_line(removal, start))
        json_plan_cut(removal->job, start, on);
    else
        json_plan_cut(removal->job, json_back(parsed, start, left->start), end);
}

/* ---- commas ---- */

/* Behind the element, its comments and the comma on its line. */
static size_t own_end(const struct removal *removal)
{
    const struct json_gap *right = &removal->right;
    bool own = right->has_comma && !right->line_before;
    return own && right->comma >= right->tail ? right->comma + 1 : right->tail;
}

static bool comma_has_line(const struct json_gap *gap)
{
    return gap->has_comma && gap->line_before;
}

/* The element's comma too where that is not on its line. */
static void cut_lines_and_comma(const struct removal *removal)
{
    const struct json_gap *right = &removal->right;
    cut_lines(removal, removal->left.head, own_end(removal));
    if (comma_has_line(right))
        json_plan_cut(removal->job, right->comma,
                      right->comma_first ? right->head : right->comma + 1);
}

/* ---- the four places ---- */

static void remove_only(const struct removal *removal)
{
    if (removal->left.others || removal->right.others)
        cut_lines_and_comma(removal);
    else
        json_plan_cut(removal->job, removal->left.start, removal->right.end);
}

/* Whether the next element stays where it is; else it takes the place of the one that goes. */
static bool leaves_a_line_end(const struct removal *removal)
{
    const struct parsed *parsed = removal->parsed;
    const struct json_gap *left = &removal->left, *right = &removal->right;
    if (left->opens || !right->lines || comma_has_line(right))
        return false;
    if (!starts_line(removal, left->head))
        return true;
    size_t top = back_over_lines(parsed, left->head, left->start), end = own_end(removal);
    return !has_blank_line(parsed, top, left->head) &&
           has_blank_line(parsed, end, on_over_lines(parsed, end, right->end));
}

static void remove_before_next(const struct removal *removal)
{
    const struct json_gap *left = &removal->left, *right = &removal->right;
    if (right->others || leaves_a_line_end(removal)) {
        cut_lines_and_comma(removal);
    } else if (right->comma_first) {
        json_plan_cut(removal->job, left->head, right->unit);
        json_plan_cut(removal->job, right->comma, right->head);
    } else {
        json_plan_cut(removal->job, left->head, right->head);
    }
}

/* The element before it becomes the last, and has no comma then. */
static void remove_last(const struct removal *removal)
{
    const struct parsed *parsed = removal->parsed;
    const struct json_gap *left = &removal->left;
    size_t end = removal->right.tail;
    size_t kept = left->tail > left->comma ? left->tail : left->comma + 1;
    bool ends = ends_line(removal, end), must_end = left->tail_is_line;
    if (comma_has_line(left) && !left->others && (ends || !must_end)) {
        json_plan_cut(removal->job, left->tail, end);
        return;
    }
    json_plan_cut(removal->job, json_back(parsed, left->comma, left->start), left->comma + 1);
    if (left->others || (must_end && !ends))
        cut_lines(removal, left->head, end);
    else if (ends && left->line_after)
        json_plan_cut(removal->job, json_line_end(parsed, kept), json_line_end(parsed, end));
    else
        json_plan_cut(removal->job, kept, end);
}

void json_plan_remove(struct json_job *job)
{
    const struct untorn_node *node = job->change->node;
    const struct untorn_node *previous = node->previous, *next = node->next;
    const struct parsed *parsed = job->parsed;
    struct removal removal = {
        .job = job,
        .parsed = parsed,
        .left = json_gap_between(parsed, node->parent, previous, node),
        .right = json_gap_between(parsed, node->parent, node, next),
    };
    const struct json_gap *left = &removal.left, *right = &removal.right;
    if (!previous && !next)
        remove_only(&removal);
    else if (left->comma_first && (right->comma_first || !right->has_comma))
        cut_lines(&removal, left->unit, right->tail);
    else if (next)
        remove_before_next(&removal);
    else if (right->has_comma)
        cut_lines_and_comma(&removal);
    else
        remove_last(&removal);
}
