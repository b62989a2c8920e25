/* Lines are compared after Myers, "An O(ND) Difference Algorithm": row d of the trace holds, for
 * each diagonal k = x - y, how far along the old lines d edits can reach. The work grows with the
 * number of edits, so it is bounded by CLI_DIFF_EDITS; beyond that the part between the common
 * beginning and the common end is shown as one block, which is longer but just as true.
 */
#include "diff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "output.h"

struct line {
    const char *text;
    size_t size; /* with its newline */
    uint32_t sum;
};

struct side {
    struct line *lines;
    size_t count;
    bool *changed; /* per line: only on this side */
};

struct diff {
    struct side before, after;
    bool colour;
};

static bool same_line(const struct line *a, const struct line *b)
{
    return a->sum == b->sum && a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

static size_t count_lines(const char *data, size_t size)
{
    size_t count = 0;
    for (const char *end = data + size; data < end; count++) {
        const char *newline = memchr(data, '\n', (size_t)(end - data));
        data = newline ? newline + 1 : end;
    }
    return count;
}

static bool split(struct side *side, const char *data, size_t size)
{
    side->count = count_lines(data, size);
    side->lines = calloc(side->count + 1, sizeof *side->lines);
    side->changed = calloc(side->count + 1, sizeof *side->changed);
    if (!side->lines || !side->changed)
        return false;
    for (size_t i = 0; i < side->count; i++) {
        const char *end = memchr(data, '\n', size);
        size_t length = end ? (size_t)(end - data) + 1 : size;
        uint32_t sum = 2166136261u;
        for (size_t j = 0; j < length; j++)
            sum = (sum ^ (unsigned char)data[j]) * 16777619u;
        side->lines[i] = (struct line){data, length, sum};
        data += length;
        size -= length;
    }
    return true;
}

/* The part of both sides that is compared: without the common beginning and end. */
struct window {
    const struct line *before, *after;
    bool *before_changed, *after_changed;
    long before_count, after_count;
};

static struct window narrow(struct diff *diff)
{
    size_t start = 0, before_end = diff->before.count, after_end = diff->after.count;
    while (start < before_end && start < after_end &&
           same_line(&diff->before.lines[start], &diff->after.lines[start]))
        start++;
    while (before_end > start && after_end > start &&
           same_line(&diff->before.lines[before_end - 1], &diff->after.lines[after_end - 1]))
        before_end--, after_end--;
    return (struct window){diff->before.lines + start,   diff->after.lines + start,
                           diff->before.changed + start, diff->after.changed + start,
                           (long)(before_end - start),   (long)(after_end - start)};
}

/* Where row d of the trace has its diagonal 0; a row has 2d + 1 of them. */
static int *trace_row(int *trace, long d)
{
    return trace + d * d + d;
}

/* Whether diagonal k with d edits is entered by adding a line (from k + 1) rather than by removing
 * one (from k - 1): from where d - 1 edits got further. */
static bool enters_down(const int *row, long d, long k)
{
    return k == -d || (k != d && row[k - 1] < row[k + 1]);
}

/* The least number of edits, or -1 if there are too many. */
static long fill_trace(const struct window *window, int *trace)
{
    for (long d = 0; d <= CLI_DIFF_EDITS; d++) {
        int *row = trace_row(trace, d);
        for (long k = -d; k <= d; k += 2) {
            const int *last = d > 0 ? trace_row(trace, d - 1) : NULL;
            long x = !last ? 0 : enters_down(last, d, k) ? last[k + 1] : last[k - 1] + 1;
            long y = x - k;
            while (x < window->before_count && y < window->after_count &&
                   same_line(&window->before[x], &window->after[y]))
                x++, y++;
            row[k] = (int)x;
            if (x >= window->before_count && y >= window->after_count)
                return d;
        }
    }
    return -1;
}

/* Follows the trace back from the end and marks the lines it crosses. */
static void mark_edits(const struct window *window, int *trace, long edits)
{
    long x = window->before_count, y = window->after_count;
    for (long d = edits; d > 0; d--) {
        const int *last = trace_row(trace, d - 1);
        long k = x - y;
        bool down = enters_down(last, d, k);
        long from = down ? k + 1 : k - 1;
        x = last[from];
        y = x - from;
        if (down)
            window->after_changed[y] = true;
        else
            window->before_changed[x] = true;
    }
}

static void compare(struct diff *diff)
{
    struct window window = narrow(diff);
    size_t side = CLI_DIFF_EDITS + 1;
    int *trace = malloc(side * side * sizeof *trace);
    long edits = trace ? fill_trace(&window, trace) : -1;
    if (edits >= 0) {
        mark_edits(&window, trace, edits);
    } else {
        memset(window.before_changed, true, (size_t)window.before_count * sizeof(bool));
        memset(window.after_changed, true, (size_t)window.after_count * sizeof(bool));
    }
    free(trace);
}

static void print_line(const struct diff *diff, char mark, const struct line *line)
{
    const char *shade = mark == '-' ? "\033[31m" : "\033[32m";
    const char *colour = diff->colour && mark != ' ' ? shade : NULL;
    bool ended = line->text[line->size - 1] == '\n';
    if (colour)
        output_text(colour);
    output_bytes(&mark, 1);
    output_bytes(line->text, line->size - ended);
    output_text(colour ? "\033[m\n" : "\n");
    if (!ended)
        output_text("\\ No newline at end of file\n");
}

/* A place in both versions. */
struct place {
    size_t before, after;
};

static bool at_end(const struct diff *diff, struct place place)
{
    return place.before == diff->before.count && place.after == diff->after.count;
}

static bool is_common(const struct diff *diff, struct place place)
{
    return !diff->before.changed[place.before] && !diff->after.changed[place.after];
}

/* The end of a block of changes that are at most two contexts apart, with its context. */
static struct place hunk_end(const struct diff *diff, struct place place)
{
    size_t common = 0;
    while (!at_end(diff, place) && common <= 2 * CLI_DIFF_CONTEXT) {
        bool keeps = is_common(diff, place);
        common = keeps ? common + 1 : 0;
        place.before += keeps || diff->before.changed[place.before];
        place.after += keeps || diff->after.changed[place.after];
    }
    size_t extra = common > CLI_DIFF_CONTEXT ? common - CLI_DIFF_CONTEXT : 0;
    return (struct place){place.before - extra, place.after - extra};
}

/* An empty range is named by the line before it. */
static size_t first_line(size_t start, size_t end)
{
    return start == end ? start : start + 1;
}

static void print_hunk(const struct diff *diff, struct place start, struct place end)
{
    output_format("%s@@ -%zu,%zu +%zu,%zu @@%s\n", diff->colour ? "\033[36m" : "",
                  first_line(start.before, end.before), end.before - start.before,
                  first_line(start.after, end.after), end.after - start.after,
                  diff->colour ? "\033[m" : "");
    while (start.before < end.before || start.after < end.after) {
        if (start.before < end.before && diff->before.changed[start.before]) {
            print_line(diff, '-', &diff->before.lines[start.before++]);
        } else if (start.after < end.after && diff->after.changed[start.after]) {
            print_line(diff, '+', &diff->after.lines[start.after++]);
        } else {
            print_line(diff, ' ', &diff->before.lines[start.before++]);
            start.after++;
        }
    }
}

static void print_hunks(const struct diff *diff)
{
    struct place place = {0, 0};
    size_t common = 0; /* unchanged lines just before, up to the context */
    while (!at_end(diff, place)) {
        if (is_common(diff, place)) {
            place.before++, place.after++;
            common += common < CLI_DIFF_CONTEXT;
            continue;
        }
        struct place start = {place.before - common, place.after - common};
        place = hunk_end(diff, place);
        print_hunk(diff, start, place);
        common = 0;
    }
}

static void print_header(const char *path, bool exists, bool colour)
{
    const char *on = colour ? "\033[1m" : "", *off = colour ? "\033[m" : "";
    output_text(on);
    output_text("--- ");
    output_escaped(exists ? path : "/dev/null");
    output_format("%s\n%s+++ ", off, on);
    output_escaped(path);
    output_format("%s\n", off);
}

static bool is_text(const char *data, size_t size)
{
    return size <= CLI_DIFF_BYTES && (size == 0 || !memchr(data, '\0', size));
}

static void print_summary(const char *path, bool exists, size_t before_size, size_t after_size)
{
    output_escaped(path);
    if (exists)
        output_format(": %zu bytes become %zu other bytes\n", before_size, after_size);
    else
        output_format(": would be created with %zu bytes\n", after_size);
}

void diff_print(const char *path, const char *before, size_t before_size, const char *after,
                size_t after_size)
{
    struct diff diff = {.colour = output_colour()};
    bool exists = before != NULL;
    before = exists ? before : "";
    if (exists && before_size == after_size &&
        (before_size == 0 || memcmp(before, after, before_size) == 0))
        return;
    if (after_size == 0 && !exists) {
        print_summary(path, exists, before_size, after_size);
    } else if (!is_text(before, before_size) || !is_text(after, after_size) ||
               !split(&diff.before, before, before_size) ||
               !split(&diff.after, after, after_size)) {
        print_summary(path, exists, before_size, after_size);
    } else {
        compare(&diff);
        print_header(path, exists, diff.colour);
        print_hunks(&diff);
    }
    free(diff.before.lines), free(diff.before.changed);
    free(diff.after.lines), free(diff.after.changed);
}
