#include "text/toml_box.h"

static struct span indent_of(const struct toml_lines *lines, uint64_t at)
{
    return (struct span){lines_start(lines, at), at};
}

static int splice_at(struct toml_plan *plan, uint64_t at, struct buffer *text)
{
    return toml_splice(plan, (struct span){at, at}, text);
}

/* Into empty brackets. On several lines it comes first, so that no comment becomes its own. */
static int insert_only(struct toml_plan *plan, const struct toml_box *box, struct buffer *text)
{
    const struct toml_lines *lines = &plan->lines;
    struct buffer out = {0};
    uint64_t place = box->open + 1;
    if (box->lines) {
        place = lines_next(lines, place);
        uint64_t line = lines_is_comment(lines, place) ? place : lines_start(lines, box->open);
        uint64_t indent = box_skip_blanks(lines->text, line);
        toml_add_span(plan, &out, (struct span){line, indent});
        if (line != place)
            buffer_text(&out, indent > line && lines->text[line] == '\t' ? "\t" : "    ");
    }
    bool spaced = box->table && !box->lines;
    buffer_text(&out, spaced ? " " : "");
    buffer_add(&out, text->data, text->size);
    buffer_text(&out, spaced ? " " : "");
    if (box->lines) {
        buffer_text(&out, box->table ? "" : ",");
        toml_add_eol(plan, &out);
    }
    return splice_at(plan, place, &out);
}

/* The comma with the blanks around it, as it is at another place. */
static void add_comma(const struct toml_plan *plan, struct buffer *out, const struct toml_box *box,
                      size_t index, bool before, bool behind)
{
    size_t pair = index == 0 ? 0 : index - 1;
    if (pair + 1 >= box->count)
        pair = box->count >= 2 ? box->count - 2 : 0;
    bool known = box->count >= 2;
    const struct toml_entry *entry = &box->entries[pair];
    if (before && known)
        toml_add_span(plan, out, (struct span){entry->end, entry->comma});
    buffer_text(out, before ? "," : "");
    if (behind && known)
        toml_add_span(plan, out, (struct span){entry->comma + 1, entry[1].start});
    else if (behind)
        buffer_text(out, " ");
}

static int insert_on_line(struct toml_plan *plan, const struct toml_box *box, size_t index,
                          struct buffer *text)
{
    struct buffer out = {0};
    if (index < box->count) {
        buffer_add(&out, text->data, text->size);
        add_comma(plan, &out, box, index, true, true);
        return splice_at(plan, box->entries[index].start, &out);
    }
    const struct toml_entry *last = &box->entries[box->count - 1];
    add_comma(plan, &out, box, index, last->comma == 0, true);
    buffer_add(&out, text->data, text->size);
    if (last->comma == 0)
        return splice_at(plan, last->end, &out);
    add_comma(plan, &out, box, index, true, false);
    return splice_at(plan, last->comma + 1, &out);
}

static int insert_comma_first(struct toml_plan *plan, const struct toml_box *box, size_t index,
                              struct buffer *text)
{
    const struct toml_lines *lines = &plan->lines;
    const struct toml_entry *first = box->entries;
    struct span comma = {lines_start(lines, first->comma), first[1].start};
    struct buffer out = {0};
    if (index == 0) {
        buffer_add(&out, text->data, text->size);
        toml_add_eol(plan, &out);
        toml_add_span(plan, &out, comma);
        return splice_at(plan, first->start, &out);
    }
    bool comment;
    uint64_t place, end = box->entries[index - 1].end;
    if (!box_ends_line(lines->text, end, &comment, &place))
        place = end;
    toml_add_eol(plan, &out);
    toml_add_span(plan, &out, comma);
    buffer_add(&out, text->data, text->size);
    return splice_at(plan, place, &out);
}

static int insert_before(struct toml_plan *plan, const struct toml_box *box, size_t index,
                         struct buffer *text)
{
    const struct toml_lines *lines = &plan->lines;
    const struct toml_entry *entry = &box->entries[index];
    uint64_t floor = box_floor(box, index);
    struct buffer out = {0};
    if (box_first_on_line(lines->text, entry->start, floor)) {
        toml_add_span(plan, &out, indent_of(lines, entry->start));
        buffer_add(&out, text->data, text->size);
        buffer_text(&out, ",");
        toml_add_eol(plan, &out);
        return splice_at(plan, box_owned(lines, entry->start, floor), &out);
    }
    buffer_add(&out, text->data, text->size);
    if (index == 0 && box->count > 1 && !box_holds(lines->text, entry->end, entry[1].start, '#'))
        toml_add_span(plan, &out, (struct span){entry->end, entry[1].start});
    else
        buffer_text(&out, ", ");
    return splice_at(plan, entry->start, &out);
}

/* Behind the last entry, which is the first on its line. */
static int append_line(struct toml_plan *plan, const struct toml_box *box, struct buffer *text)
{
    const struct toml_lines *lines = &plan->lines;
    const struct toml_entry *last = &box->entries[box->count - 1];
    uint64_t end, behind = last->comma ? last->comma + 1 : last->end;
    bool comment, alone = box_ends_line(lines->text, behind, &comment, &end);
    bool next_line = alone && (last->comma || end > behind);
    struct buffer out = {0}, comma = {0};
    if (!last->comma && next_line) { /* the comma goes before a comment, or blanks */
        buffer_text(&comma, ",");
        int rc = splice_at(plan, last->end, &comma);
        if (rc != 0)
            return rc;
    } else if (!last->comma) {
        buffer_text(&out, ",");
    }
    if (!next_line)
        toml_add_eol(plan, &out);
    toml_add_span(plan, &out, indent_of(lines, last->start));
    buffer_add(&out, text->data, text->size);
    buffer_text(&out, last->comma ? "," : "");
    if (next_line)
        toml_add_eol(plan, &out);
    return splice_at(plan, next_line ? box_behind_newline(lines->text, end) : behind, &out);
}

static int append(struct toml_plan *plan, const struct toml_box *box, struct buffer *text)
{
    const struct toml_entry *last = &box->entries[box->count - 1];
    if (box_first_on_line(plan->lines.text, last->start, box_floor(box, box->count - 1)))
        return append_line(plan, box, text);
    struct buffer out = {0};
    buffer_text(&out, last->comma ? " " : ", ");
    buffer_add(&out, text->data, text->size);
    buffer_text(&out, last->comma ? "," : "");
    return splice_at(plan, last->comma ? last->comma + 1 : last->end, &out);
}

int box_insert(struct toml_plan *plan, const struct toml_box *box, size_t index,
               struct buffer *text)
{
    int rc = -UNTORN_NO_MEMORY;
    if (text->failed)
        rc = -UNTORN_NO_MEMORY;
    else if (box->count == 0)
        rc = insert_only(plan, box, text);
    else if (!box->lines)
        rc = insert_on_line(plan, box, index, text);
    else if (box_comma_first(plan->lines.text, box))
        rc = insert_comma_first(plan, box, index, text);
    else if (index < box->count)
        rc = insert_before(plan, box, index, text);
    else
        rc = append(plan, box, text);
    buffer_free(text);
    return rc;
}
