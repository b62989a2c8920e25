#include "text/toml_box.h"

static int cut(struct toml_plan *plan, uint64_t start, uint64_t end)
{
    struct buffer nothing = {0};
    return start < end ? toml_splice(plan, (struct span){start, end}, &nothing) : 0;
}

static uint64_t behind(const struct toml_entry *entry)
{
    return entry->comma ? entry->comma + 1 : entry->end;
}

/* ---- on one line ---- */

/* Nothing is left: { a = 1 } becomes {}, the blanks go in pairs. */
static int remove_all(struct toml_plan *plan, const struct toml_box *box)
{
    const char *text = plan->lines.text;
    uint64_t start = box->entries[0].start, end = behind(&box->entries[box->count - 1]);
    uint64_t last = box_skip_blanks(text, end);
    if (!box->lines && last == box->close)
        for (; start > box->open + 1 && end < last; start--)
            end++;
    return cut(plan, start, end);
}

/* The blanks before an entry go with it; of the first one, those behind its comma. */
static int remove_on_line(struct toml_plan *plan, const struct toml_box *box, const bool *gone,
                          size_t kept)
{
    int rc = 0;
    bool first = true;
    for (size_t i = 0; i < kept && rc == 0; i++) {
        const struct toml_entry *entry = &box->entries[i];
        first &= gone[i];
        if (first)
            rc = cut(plan, entry->start, entry[1].start);
        else if (gone[i])
            rc = cut(plan, box_floor(box, i), behind(entry));
    }
    const struct toml_entry *previous = &box->entries[kept], *last = &box->entries[box->count - 1];
    if (rc != 0 || previous == last)
        return rc;
    return last->comma ? cut(plan, previous->comma + 1, last->comma + 1)
                       : cut(plan, previous->end, last->end);
}

/* ---- on several lines ---- */

/* Of blank lines above and below those above, for the lower ones stay; at a bracket none stays. */
static void take_blank_lines(const struct toml_lines *lines, const struct toml_box *box,
                             uint64_t floor, struct span *at)
{
    uint64_t top = at->start, bottom = at->end;
    while (top > floor && lines_above(lines, top) >= floor &&
           lines_is_blank(lines, lines_above(lines, top)))
        top = lines_above(lines, top);
    while (bottom < box->close && lines_is_blank(lines, bottom))
        bottom = lines_next(lines, bottom);
    bool opens =
        lines_above(lines, top) <= box->open && !box_holds(lines->text, box->open, top, '#');
    bool closes = lines_start(lines, box->close) == bottom;
    if (top < at->start && (bottom > at->end || closes))
        at->start = top;
    else if (opens && !closes)
        at->end = bottom;
}

/* The lines of an entry that shares them with no other. */
static bool own_lines(const struct toml_plan *plan, const struct toml_box *box, size_t index,
                      struct span *ret_lines)
{
    const struct toml_lines *lines = &plan->lines;
    const struct toml_entry *entry = &box->entries[index];
    uint64_t end, floor = box_floor(box, index);
    bool comment;
    if (!box_first_on_line(lines->text, entry->start, floor) ||
        box_holds(lines->text, entry->end, behind(entry), '\n') ||
        !box_ends_line(lines->text, behind(entry), &comment, &end))
        return false;
    *ret_lines =
        (struct span){box_owned(lines, entry->start, floor), box_behind_newline(lines->text, end)};
    take_blank_lines(lines, box, floor, ret_lines);
    return true;
}

static int cut_comma(struct toml_plan *plan, const struct toml_entry *entry)
{
    return entry->comma ? cut(plan, entry->comma, entry->comma + 1) : 0;
}

/* The last entry, which shares its lines with another or with a bracket. */
static int remove_last(struct toml_plan *plan, const struct toml_box *box)
{
    const struct toml_entry *last = &box->entries[box->count - 1], *previous = last - 1;
    if (last->comma && box_holds(plan->lines.text, previous->comma, last->start, '#'))
        return cut(plan, last->start, last->comma + 1);
    if (last->comma)
        return cut(plan, previous->comma + 1, last->comma + 1);
    if (!box_holds(plan->lines.text, previous->end, last->start, '#'))
        return cut(plan, previous->end, last->end);
    int rc = cut_comma(plan, previous);
    uint64_t floor = previous->comma + 1;
    bool first = box_first_on_line(plan->lines.text, last->start, floor);
    uint64_t start = first ? box_owned(&plan->lines, last->start, floor) : last->start;
    return rc == 0 ? cut(plan, start, last->end) : rc;
}

static int remove_shared(struct toml_plan *plan, const struct toml_box *box, size_t index)
{
    const char *text = plan->lines.text;
    const struct toml_entry *entry = &box->entries[index];
    uint64_t end, floor = box_floor(box, index);
    bool comment;
    if (index + 1 == box->count)
        return remove_last(plan, box);
    if (index == 0 && !box_first_on_line(text, entry->start, floor) &&
        !box_holds(text, entry->end, entry[1].start, '#'))
        return cut(plan, entry->start, entry[1].start);
    if (!box_ends_line(text, behind(entry), &comment, &end))
        return cut(plan, entry->start, box_skip_blanks(text, behind(entry)));
    bool first = index == 0 || box_first_on_line(text, entry->start, floor);
    return first ? cut(plan, entry->start, box_skip_blanks(text, behind(entry)))
                 : cut(plan, floor, behind(entry));
}

static int remove_comma_first(struct toml_plan *plan, const struct toml_box *box, size_t index)
{
    const struct toml_lines *lines = &plan->lines;
    const struct toml_entry *entry = &box->entries[index];
    uint64_t end;
    bool comment;
    if (index == 0 && !box_holds(lines->text, entry->end, entry[1].start, '#'))
        return cut(plan, entry->start, entry[1].start);
    if (index == 0) {
        int rc = cut(plan, entry->start, box_skip_blanks(lines->text, entry->end));
        return rc == 0 ? cut(plan, entry->comma, entry[1].start) : rc;
    }
    uint64_t comma = entry[-1].comma, floor = entry[-1].end;
    if (!box_first_on_line(lines->text, comma, floor) ||
        !box_ends_line(lines->text, entry->end, &comment, &end))
        return cut(plan, box_holds(lines->text, floor, comma, '#') ? comma : floor, entry->end);
    return cut(plan, box_owned(lines, comma, floor), box_behind_newline(lines->text, end));
}

/* Several that may be neighbours: each with its comma, and the comma that would be the last. */
static int remove_several(struct toml_plan *plan, const struct toml_box *box, const bool *gone,
                          size_t kept)
{
    int rc = 0;
    struct span lines;
    for (size_t i = 0; i < box->count && rc == 0; i++) {
        if (!gone[i])
            continue;
        if (own_lines(plan, box, i, &lines))
            rc = cut(plan, lines.start, lines.end);
        else
            rc = cut(plan, box->entries[i].start, behind(&box->entries[i]));
    }
    if (rc == 0 && kept + 1 < box->count && !box->entries[box->count - 1].comma)
        rc = cut_comma(plan, &box->entries[kept]);
    return rc;
}

static int remove_one(struct toml_plan *plan, const struct toml_box *box, size_t index)
{
    struct span lines;
    if (box_comma_first(plan->lines.text, box))
        return remove_comma_first(plan, box, index);
    bool own = own_lines(plan, box, index, &lines);
    if (!own && box->count == 1)
        return remove_all(plan, box);
    if (!own)
        return remove_shared(plan, box, index);
    int rc = cut(plan, lines.start, lines.end);
    if (rc == 0 && index > 0 && index + 1 == box->count && !box->entries[index].comma)
        rc = cut_comma(plan, &box->entries[index - 1]);
    return rc;
}

int box_remove(struct toml_plan *plan, const struct toml_box *box, const bool *gone)
{
    size_t number = 0, kept = SIZE_MAX, only = 0;
    for (size_t i = 0; i < box->count; i++) {
        number += gone[i];
        *(gone[i] ? &only : &kept) = i;
    }
    if (number == 0)
        return 0;
    if (box->lines && number == 1)
        return remove_one(plan, box, only);
    if (kept == SIZE_MAX)
        return remove_all(plan, box);
    if (box->lines)
        return remove_several(plan, box, gone, kept);
    return remove_on_line(plan, box, gone, kept);
}
