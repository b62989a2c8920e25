#include "text/json_abridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codes.h"
#include "text/json_style.h"

enum {
    LEFT = JSON_SURVEY_LEFT,
    SCRATCH = 64 * 1024,
    LINE = 4 * 1024,           /* the last line of a stretch is mostly found in so much */
    LARGEST = 2 * 1024 * 1024, /* of the abridged text */
    TARGET = 128,              /* what is changed may be longer by this than what stands beside, */
    LARGEST_TARGET = 256 * 1024, /* but not longer than this */
    NEAR = JSON_SURVEY_NEAR,
    SMALL = 16,          /* those that are only near must be shorter by this, */
    BESIDE = 4,          /* and those beside the place may be longer */
    KEPT = 2 * NEAR + 3, /* elements of a level, at most */
};

struct abridging {
    const struct json_survey *survey;
    const struct json_source *source;
    size_t whole;
    struct json_abridged *out;
    char *scratch;
};

static int64_t fetch(const struct abridging *job, uint64_t start, uint64_t end)
{
    size_t size = end - start < SCRATCH ? (size_t)(end - start) : SCRATCH;
    int64_t n = job->source->read(job->source->context, job->scratch, size, start);
    return n >= 0 && (size_t)n < size ? -ESTALE : n;
}

/* ---- what to cut ---- */

static bool add_cut(const struct abridging *job, enum json_cut_kind kind, uint64_t start,
                    uint64_t end)
{
    struct json_abridged *out = job->out;
    if (out->count == out->room) {
        size_t room = out->room ? 2 * out->room : 16;
        struct json_cut *cuts = realloc(out->cuts, room * sizeof *cuts);
        if (!cuts)
            return false;
        out->cuts = cuts;
        out->room = room;
    }
    out->cuts[out->count++] = (struct json_cut){.kind = kind, .start = start, .end = end};
    return true;
}

/* The next value in the container; any other token: there is none, or none so far. */
static enum json_token next_value(struct json_scanner *scanner)
{
    enum json_token token = json_scan_next(scanner);
    return token == JSON_KEY ? json_scan_next(scanner) : token;
}

static bool is_value(enum json_token token)
{
    return token < JSON_DONE && token != JSON_OBJECT_END && token != JSON_ARRAY_END;
}

/* Where the rest of a container begins: with its second value if that is near, so that a comma
 * shows, else with the first; 0: it has none. LEFT: that is far behind its bracket. */
static int find_rest(const struct abridging *job, const struct json_element *element,
                     uint64_t *ret_rest)
{
    struct json_scanner scanner;
    int64_t n = fetch(job, element->value, element->end);
    if (n < 0)
        return (int)n;
    json_scan_begin(&scanner, job->survey->format);
    json_scan_feed(&scanner, job->scratch, (size_t)n, (uint64_t)n == element->end - element->value);
    enum json_token opening = json_scan_next(&scanner), token = json_scan_next(&scanner);
    bool keyed = token == JSON_KEY;
    if (keyed)
        token = json_scan_next(&scanner);
    bool cut_off = token == JSON_MORE && scanner.keep < (uint64_t)n && /* [SCAN-1] */
                   job->scratch[scanner.keep] == '"' && keyed == (opening == JSON_OBJECT_BEGIN);
    uint64_t first = element->value + (cut_off ? scanner.keep : scanner.start);
    *ret_rest = is_value(token) || cut_off ? first : 0;
    if (token >= JSON_DONE)
        return cut_off ? 0 : LEFT;
    if (token == JSON_OBJECT_BEGIN || token == JSON_ARRAY_BEGIN)
        token = json_scan_skip(&scanner, scanner.depth);
    if (*ret_rest != 0 && token < JSON_DONE && is_value(next_value(&scanner)) &&
        scanner.start <= job->whole)
        *ret_rest = element->value + scanner.start;
    return 0;
}

/* An element that is beside the way, unless it takes less than `whole`. */
static int cut_element(const struct abridging *job, const struct json_element *element,
                       size_t whole)
{
    uint64_t start = element->value + 1, end = element->end - 1;
    enum json_cut_kind kind = JSON_CUT_STRING;
    if (element->end - element->value <= whole)
        return 0;
    if (json_element_is_container(element)) {
        int rc = find_rest(job, element, &start);
        if (rc != 0 || start == 0)
            return rc;
        end = element->end;
        kind = element->token == JSON_OBJECT_BEGIN ? JSON_CUT_OBJECT : JSON_CUT_ARRAY;
    }
    bool cut = json_element_is_container(element) || (element->token == JSON_STRING && end > start);
    return !cut || add_cut(job, kind, start, end) ? 0 : -ENOMEM;
}

struct kept {
    uint64_t number;
    const struct json_element *element;
    bool near; /* it only stands near the place, or near the beginning */
};

/* In their order. */
struct keeping {
    struct kept kept[KEPT];
    size_t count;
};

/* Once, also if it is for several reasons. */
static void keep(struct keeping *keeping, uint64_t number, const struct json_element *element,
                 bool near)
{
    size_t i = keeping->count;
    while (i > 0 && keeping->kept[i - 1].number > number)
        i--;
    if (i > 0 && keeping->kept[i - 1].number == number)
        keeping->kept[i - 1].near &= near;
    else if (i == keeping->count)
        keeping->kept[keeping->count++] = (struct kept){number, element, near};
}

/* Those before `number`, of which the one right before is a neighbour. */
static void keep_before(struct keeping *keeping, const struct json_element ring[NEAR],
                        uint64_t number, uint64_t most)
{
    for (uint64_t i = number > most ? number - most : 0; i < number; i++)
        keep(keeping, i, &ring[i % NEAR], i + 1 < number);
}

/* `most`: of those before the place. */
static void keep_elements(struct keeping *keeping, const struct json_level *level, uint64_t most)
{
    uint64_t first = most > 2 ? most : 2;
    for (uint64_t i = 0; i < first && i < level->count; i++)
        keep(keeping, i, &level->first[i], i > 1);
    if (level->has_child) {
        keep_before(keeping, level->before, level->place, most);
        if (level->place < level->count)
            keep(keeping, level->place, &level->child, false);
        if (level->place + 1 < level->count)
            keep(keeping, level->place + 1, &level->next, false);
        most = 1;
    }
    keep_before(keeping, level->recent, level->count, most);
}

/* How many before the place may decide how it looks: one, unless something may be put in there. */
static uint64_t most_before(const struct abridging *job, size_t number)
{
    const struct json_survey *survey = job->survey;
    bool replaced = survey->levels[number].has_child && survey->enters_target;
    if (number + 1 != survey->count || number == survey->path.count || replaced)
        return 1;
    return job->whole < NEAR ? job->whole : NEAR;
}

/* The child of a level that was not entered: it is the target, or the way ends there. */
static int cut_child(const struct abridging *job, size_t number, size_t whole)
{
    const struct json_level *level = &job->survey->levels[number];
    bool entered = number + 1 < job->survey->count;
    bool compared = number + 1 == job->survey->path.count && job->survey->enters_target;
    return entered || compared ? 0 : cut_element(job, &level->child, whole);
}

/* In arrays the child has another number when elements before it are left out. */
static void renumber(const struct abridging *job, size_t number, uint64_t place)
{
    if (!job->survey->levels[number].object)
        job->out->path.steps[number] = (struct step){.kind = STEP_INDEX, .index = (int64_t)place};
}

static int cut_level(const struct abridging *job, size_t number)
{
    const struct json_level *level = &job->survey->levels[number];
    struct keeping keeping = {.count = 0};
    const struct kept *kept = keeping.kept;
    uint64_t left_out = 0;
    int rc = 0;
    uint64_t most = most_before(job, number);
    size_t beside = most > 1 ? BESIDE * job->whole : job->whole;
    keep_elements(&keeping, level, most);
    for (size_t i = 0; i < keeping.count && rc == 0; i++) {
        uint64_t between = i > 0 ? kept[i].number - kept[i - 1].number - 1 : 0;
        uint64_t start = i > 0 ? kept[i - 1].element->end : 0, end = kept[i].element->before;
        if (between > 0 && end - start > job->whole) {
            enum json_cut_kind kind = level->object ? JSON_CUT_MEMBERS : JSON_CUT_ELEMENTS;
            rc = add_cut(job, kind, start, end) ? 0 : -ENOMEM;
            left_out += between - 1; /* the stand-in counts */
        }
        bool child = level->has_child && kept[i].number == level->place;
        if (child)
            renumber(job, number, level->place - left_out);
        size_t whole = kept[i].near ? job->whole / SMALL : beside;
        if (rc == 0)
            rc = child ? cut_child(job, number, beside) : cut_element(job, kept[i].element, whole);
    }
    if (level->has_child && level->place == level->count) /* it is not passed yet */
        renumber(job, number, level->place - left_out);
    if (left_out > 0 && !level->object)
        job->out->miscounts = true;
    return rc;
}

static int by_start(const void *a, const void *b)
{
    const struct json_cut *one = a, *other = b;
    return one->start < other->start ? -1 : one->start > other->start;
}

static int find_cuts(const struct abridging *job)
{
    const struct json_survey *survey = job->survey;
    int rc = 0;
    for (size_t i = 0; i < survey->count && rc == 0; i++) {
        size_t cuts = job->out->count;
        const struct json_element *self = &survey->levels[i].self;
        uint64_t size = self->end - self->value;
        bool target = i == survey->path.count;
        if (!target || size / TARGET > job->whole || size > LARGEST_TARGET)
            rc = cut_level(job, i);
        job->out->cut_target = target && job->out->count > cuts;
    }
    if (job->out->count > 0)
        qsort(job->out->cuts, job->out->count, sizeof *job->out->cuts, by_start);
    return rc;
}

/* ---- cutting ---- */

static int copy(const struct abridging *job, uint64_t start, uint64_t end)
{
    struct buffer *text = &job->out->text;
    if (end - start > LARGEST - text->size)
        return LEFT;
    for (int64_t n; start < end; start += (uint64_t)n) {
        n = fetch(job, start, end);
        if (n < 0)
            return (int)n;
        buffer_add(text, job->scratch, (size_t)n);
    }
    return text->failed ? -ENOMEM : 0;
}

/* Behind the last end of a line in what was fetched; 0: there is none. */
static size_t behind_last_line(const struct abridging *job, size_t size)
{
    const char *at = job->scratch, *end = at + size, *line;
    size_t behind = 0;
    while ((line = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        at = line + 1;
        behind = (size_t)(at - job->scratch);
    }
    return behind;
}

/* The last end of a line in the stretch, and the blanks behind it. [ABRIDGE-2] */
static int keep_indent(const struct abridging *job, uint64_t start, uint64_t end)
{
    size_t step = LINE, behind = 0;
    uint64_t from = end;
    if (start < job->source->first_line)
        start = job->source->first_line;
    for (; from > start && behind == 0; step = SCRATCH) {
        uint64_t to = from;
        from = to - start > step ? to - step : start;
        int64_t n = fetch(job, from, to);
        if (n < 0)
            return (int)n;
        behind = behind_last_line(job, (size_t)n);
    }
    if (behind == 0)
        return 0;
    int64_t n = fetch(job, from + behind, end);
    if (n < 0)
        return (int)n;
    size_t blanks = 0;
    while (blanks < (size_t)n && (job->scratch[blanks] == ' ' || job->scratch[blanks] == '\t'))
        blanks++;
    buffer_add(&job->out->text, "\n", 1);
    buffer_add(&job->out->text, job->scratch, blanks);
    return blanks < SCRATCH ? 0 : LEFT;
}

static int stand_in(const struct abridging *job, const struct json_cut *cut, size_t number)
{
    struct buffer *text = &job->out->text;
    char value[32];
    snprintf(value, sizeof value, cut->kind == JSON_CUT_MEMBERS ? "\"\\u0000%zu\":0" : "%zu",
             number);
    switch (cut->kind) {
    case JSON_CUT_ELEMENTS:
    case JSON_CUT_MEMBERS:
        buffer_text(text, ",");
        int rc = keep_indent(job, cut->start, cut->end);
        buffer_text(text, value);
        return rc;
    case JSON_CUT_ARRAY:
    case JSON_CUT_OBJECT:
        buffer_text(text, value);
        rc = keep_indent(job, cut->start, cut->end);
        buffer_text(text, cut->kind == JSON_CUT_ARRAY ? "]" : "}");
        return rc;
    default:
        buffer_text(text, value);
        return 0;
    }
}

static int cut(const struct abridging *job)
{
    uint64_t at = 0;
    int rc = 0;
    for (size_t i = 0; i < job->out->count && rc == 0; i++) {
        struct json_cut *cut = &job->out->cuts[i];
        rc = copy(job, at, cut->start);
        cut->at = job->out->text.size;
        if (rc == 0)
            rc = stand_in(job, cut, i);
        cut->size = job->out->text.size - cut->at;
        at = cut->end;
    }
    if (rc == 0)
        rc = copy(job, at, job->source->size);
    if (job->survey->wants_value)
        buffer_text(&job->out->text, "0");
    for (size_t i = job->survey->depth; i > 0; i--)
        buffer_text(&job->out->text, job->survey->levels[i - 1].object ? "}" : "]");
    return rc == 0 && job->out->text.failed ? -ENOMEM : rc;
}

static bool copy_path(const struct abridging *job)
{
    const struct keypath *path = &job->survey->path;
    job->out->path = *path;
    job->out->path.steps = malloc((path->count + 1) * sizeof *path->steps);
    if (!job->out->path.steps)
        return false;
    memcpy(job->out->path.steps, path->steps, path->count * sizeof *path->steps);
    return true;
}

int json_abridge(const struct json_survey *survey, const struct json_source *source, size_t whole,
                 struct json_abridged *ret_abridged)
{
    struct abridging job = {
        .survey = survey, .source = source, .whole = whole, .out = ret_abridged};
    job.scratch = malloc(SCRATCH);
    int rc = job.scratch && copy_path(&job) ? find_cuts(&job) : -ENOMEM;
    if (rc == 0)
        rc = cut(&job);
    free(job.scratch);
    return rc;
}

/* ---- using it ---- */

/* The innermost node in which that byte is. */
static struct untorn_node *node_at(struct untorn_node *root, const char *byte)
{
    struct untorn_node *node = root;
    for (struct untorn_node *child = root->first; child && child->raw <= byte;) {
        if (child->raw + child->raw_size <= byte) {
            child = child->next;
        } else {
            node = child;
            child = child->first;
        }
    }
    return node;
}

/* The last byte of a stand-in is in the value that stands for elements, or in the string, or is the
 * bracket of the container. */
void json_abridged_mark(const struct json_abridged *abridged, struct untorn_node *root)
{
    for (size_t i = 0; i < abridged->count; i++) {
        const struct json_cut *cut = &abridged->cuts[i];
        struct untorn_node *node = node_at(root, abridged->text.data + cut->at + cut->size - 1);
        node->cut = true;
        node->cut_long = node_is_container(node) && cut->end - cut->start > JSON_LONGEST_MODEL;
    }
}

bool json_abridged_place(const struct json_abridged *abridged, uint64_t at, uint64_t *ret_place)
{
    *ret_place = at;
    for (size_t i = 0; i < abridged->count && abridged->cuts[i].at < at; i++) {
        const struct json_cut *cut = &abridged->cuts[i];
        if (at < cut->at + cut->size)
            return false;
        *ret_place = cut->end + (at - (cut->at + cut->size));
    }
    return true;
}

void json_abridged_free(struct json_abridged *abridged)
{
    buffer_free(&abridged->text);
    free(abridged->path.steps);
    free(abridged->cuts);
    *abridged = (struct json_abridged){0};
}
