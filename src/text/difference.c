#include "text/difference.h"

#include <string.h>

#include "base/limits.h"
#include "text/format.h"

#define NOWHERE SIZE_MAX

/* Of a text of any size. */
enum { FEW_SCANS = 4 };

void difference_free(struct difference *difference)
{
    arena_free(&difference->arena);
    *difference = (struct difference){0};
}

/* ---- places and steps ---- */

struct finding {
    struct difference *difference;
    enum untorn_format format;
    struct difference_place *last; /* of those to be looked at */
};

static void add_step(struct difference *difference, struct difference_step step)
{
    bool value = step.kind == CHANGE_REPLACE;
    struct difference_steps *steps = value ? &difference->values : &difference->moves;
    struct difference_step *added = arena_take(&difference->arena, sizeof *added);
    if (!added) {
        difference->failed = true;
        return;
    }
    *added = step;
    *(steps->last ? &steps->last->next : &steps->first) = added;
    steps->last = added;
    steps->count++;
    difference->scans += !value || node_is_container(step.value);
}

static struct difference_place *add_place(struct difference *difference,
                                          struct difference_place place)
{
    struct difference_place *added = arena_take(&difference->arena, sizeof *added);
    if (added)
        *added = place;
    else
        difference->failed = true;
    return added;
}

/* A key of the old document, which will be gone. */
static const char *keep_key(struct difference *difference, const struct untorn_node *member)
{
    const char *key = arena_copy(&difference->arena, member->key, member->key_size);
    difference->failed |= !key;
    return key;
}

/* The place of a container as it is now. */
static struct difference_place *place_of(struct difference *difference,
                                         const struct untorn_node *node)
{
    struct difference_place *inner = NULL, *result = NULL;
    for (; node && !difference->failed; node = node->parent) {
        struct difference_place place = {.key_size = node->key_size};
        if (node->key)
            place.key = keep_key(difference, node);
        else if (node->parent)
            place.index = node_position(node);
        struct difference_place *added = add_place(difference, place);
        if (inner)
            inner->outer = added;
        else
            result = added;
        inner = added;
    }
    return result;
}

static void replace(const struct finding *finding, const struct difference_place *place)
{
    add_step(finding->difference, (struct difference_step){.kind = CHANGE_REPLACE,
                                                           .place = place->outer,
                                                           .key = place->key,
                                                           .key_size = place->key_size,
                                                           .index = place->index,
                                                           .value = place->value});
}

/* What was `old` in a container will be `value`, the member or element of that index. */
static void become(struct finding *finding, const struct difference_place *outer,
                   const struct untorn_node *old, const struct untorn_node *value, size_t index)
{
    if (node_equal(old, value))
        return;
    struct difference_place place = {.outer = outer,
                                     .key = value->key,
                                     .key_size = value->key_size,
                                     .index = index,
                                     .old = old,
                                     .value = value};
    if (old->kind != value->kind || !node_is_container(old)) {
        replace(finding, &place);
        return;
    }
    struct difference_place *added = add_place(finding->difference, place);
    if (added) {
        finding->last->next = added;
        finding->last = added;
    }
}

/* ---- objects ---- */

static bool has_repeated(const struct untorn_node *object)
{
    for (const struct untorn_node *member = object->first; member; member = member->next)
        if (member->repeated)
            return true;
    return false;
}

/* Whether its brackets may hold a comment, which only goes with them. */
static bool may_hold_comment(const struct finding *finding, const struct untorn_node *node)
{
    if (!node->raw || finding->format == UNTORN_JSON)
        return false;
    return memchr(node->raw, finding->format == UNTORN_JSONC ? '/' : '#', node->raw_size);
}

static bool share_key(const struct untorn_node *a, const struct untorn_node *b)
{
    for (const struct untorn_node *member = a->first; member; member = member->next)
        if (node_member(b, member->key, member->key_size))
            return true;
    return false;
}

/* Members come before others go, so that there are some to look like. false: as a whole. */
static bool compare_objects(struct finding *finding, const struct difference_place *place)
{
    const struct untorn_node *old = place->old, *value = place->value;
    if (has_repeated(old) || has_repeated(value) ||
        !(share_key(old, value) || may_hold_comment(finding, old)))
        return false;
    for (const struct untorn_node *member = value->first; member; member = member->next) {
        const struct untorn_node *was = node_member(old, member->key, member->key_size);
        if (was)
            become(finding, place, was, member, 0);
        else
            add_step(finding->difference, (struct difference_step){.kind = CHANGE_ADD,
                                                                   .place = place,
                                                                   .key = member->key,
                                                                   .key_size = member->key_size,
                                                                   .value = member});
    }
    for (const struct untorn_node *member = old->first; member; member = member->next)
        if (!node_member(value, member->key, member->key_size))
            add_step(finding->difference,
                     (struct difference_step){.kind = CHANGE_REMOVE,
                                              .place = place,
                                              .key = keep_key(finding->difference, member),
                                              .key_size = member->key_size});
    return true;
}

/* ---- arrays ---- */

/* The elements of both, and what becomes of the old ones: where they will be, or NOWHERE. */
struct alignment {
    const struct untorn_node **old, **value;
    size_t *to;
    bool comments; /* there may be some */
};

static const struct untorn_node **elements_of(struct difference *difference,
                                              const struct untorn_node *array)
{
    const struct untorn_node **list =
        arena_take(&difference->arena, (array->count + 1) * sizeof(const struct untorn_node *));
    size_t count = 0;
    for (const struct untorn_node *at = array->first; list && at; at = at->next)
        list[count++] = at;
    return list;
}

/* Objects of which the first member is equal, which often says what they are, or half of all. */
static bool are_akin_objects(const struct untorn_node *old, const struct untorn_node *value)
{
    size_t equal = 0;
    for (const struct untorn_node *member = old->first; member; member = member->next) {
        const struct untorn_node *same = node_member(value, member->key, member->key_size);
        if (same && node_equal(member, same)) {
            if (member == old->first && !node_is_container(member))
                return true;
            equal++;
        }
    }
    return equal > 0 && 2 * equal >= old->count;
}

static size_t word_length(const struct untorn_node *string)
{
    size_t length = 0;
    while (length < string->size) {
        char byte = string->text[length];
        if (!((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
              (byte >= '0' && byte <= '9') || (byte != '\0' && strchr("_-./@", byte))))
            break;
        length++;
    }
    return length;
}

/* Whether a comment about the one may be about the other: "click>=8" and "click>=9" are. */
static bool are_akin(const struct untorn_node *old, const struct untorn_node *value)
{
    if (old->kind == UNTORN_OBJECT && value->kind == UNTORN_OBJECT)
        return are_akin_objects(old, value);
    if (old->kind != UNTORN_STRING || value->kind != UNTORN_STRING)
        return false;
    size_t length = word_length(old);
    return length > 0 && length == word_length(value) &&
           memcmp(old->text, value->text, length) == 0;
}

/* Stretches of both. */
struct stretch {
    size_t old, old_end, value, value_end;
};

typedef bool relation(const struct untorn_node *old, const struct untorn_node *value);

/* The longest row of related ones in sequence. */
static void match(struct difference *difference, const struct alignment *at, struct stretch stretch,
                  relation *related)
{
    size_t rows = stretch.old_end - stretch.old, columns = stretch.value_end - stretch.value;
    if (rows == 0 || columns == 0 || rows > LIMIT_MATCHES / columns)
        return;
    size_t width = columns + 1;
    uint16_t *longest = arena_take(&difference->arena, (rows + 1) * width * sizeof *longest);
    if (!longest) {
        difference->failed = true;
        return;
    }
    const struct untorn_node **old = at->old + stretch.old, **value = at->value + stretch.value;
    memset(longest, 0, (rows + 1) * width * sizeof *longest);
    for (size_t i = rows; i-- > 0;)
        for (size_t j = columns; j-- > 0;) {
            uint16_t *here = &longest[i * width + j];
            *here = here[1] > here[width] ? here[1] : here[width];
            if (here[width + 1] == *here && related(old[i], value[j]))
                ++*here;
        }
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
        const uint16_t *here = &longest[i * width + j];
        if (*here > here[1] && *here > here[width]) {
            at->to[stretch.old + i++] = stretch.value + j++;
        } else if (here[width] == *here) {
            i++;
        } else {
            j++;
        }
    }
}

/* A number, or an array of them, is known by its place. */
static bool is_placed(const struct untorn_node *old)
{
    return old->kind != UNTORN_STRING && old->kind != UNTORN_OBJECT;
}

/* Between what is equal. Without a comment near, any may take the place of any. */
static void match_others(struct difference *difference, const struct alignment *at,
                         struct stretch stretch)
{
    if (stretch.old_end - stretch.old != stretch.value_end - stretch.value) {
        match(difference, at, stretch, are_akin);
        return;
    }
    for (size_t i = stretch.old, j = stretch.value; i < stretch.old_end; i++, j++)
        if (!at->comments || is_placed(at->old[i]) || are_akin(at->old[i], at->value[j]))
            at->to[i] = j;
}

static void align(struct difference *difference, const struct alignment *at, size_t rows,
                  size_t columns)
{
    struct stretch middle = {0, rows, 0, columns};
    for (size_t i = 0; i < rows; i++)
        at->to[i] = NOWHERE;
    for (; middle.old < rows && middle.value < columns; middle.old++, middle.value++) {
        if (!node_equal(at->old[middle.old], at->value[middle.value]))
            break;
        at->to[middle.old] = middle.value;
    }
    for (; middle.old_end > middle.old && middle.value_end > middle.value;) {
        if (!node_equal(at->old[middle.old_end - 1], at->value[middle.value_end - 1]))
            break;
        at->to[--middle.old_end] = --middle.value_end;
    }
    match(difference, at, middle, node_equal);
    struct stretch others = {middle.old, middle.old, middle.value, middle.value};
    for (; others.old <= middle.old_end; others.old = ++others.old_end) {
        while (others.old_end < middle.old_end && at->to[others.old_end] == NOWHERE)
            others.old_end++;
        bool last = others.old_end == middle.old_end;
        others.value_end = last ? middle.value_end : at->to[others.old_end];
        match_others(difference, at, others);
        others.value = others.value_end + 1;
    }
}

/* From the back, so that what is still to come has the places that it had. */
static void move_elements(struct finding *finding, const struct difference_place *place,
                          const struct alignment *at)
{
    size_t next = place->old->count, coming = place->value->count;
    for (size_t i = place->old->count + 1; i-- > 0;) {
        if (i > 0 && at->to[i - 1] == NOWHERE)
            continue;
        size_t before = i > 0 ? at->to[i - 1] + 1 : 0;
        while (coming > before)
            add_step(finding->difference, (struct difference_step){.kind = CHANGE_INSERT,
                                                                   .place = place,
                                                                   .index = next,
                                                                   .value = at->value[--coming]});
        while (next > i)
            add_step(
                finding->difference,
                (struct difference_step){.kind = CHANGE_REMOVE, .place = place, .index = --next});
        if (i > 0) {
            coming--;
            next--;
            become(finding, place, at->old[next], at->value[coming], coming);
        }
    }
}

static bool are_all_objects(const struct untorn_node *array)
{
    for (const struct untorn_node *element = array->first; element; element = element->next)
        if (element->kind != UNTORN_OBJECT)
            return false;
    return array->first != NULL;
}

static bool keeps_any(const struct alignment *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (at->to[i] != NOWHERE)
            return true;
    return false;
}

static bool compare_arrays(struct finding *finding, const struct difference_place *place)
{
    struct difference *difference = finding->difference;
    const struct untorn_node *old = place->old, *value = place->value;
    if (old->origin == NODE_TABLES && !are_all_objects(value))
        return false;
    struct alignment at = {elements_of(difference, old), elements_of(difference, value),
                           arena_take(&difference->arena, (old->count + 1) * sizeof *at.to),
                           old->origin == NODE_TABLES || may_hold_comment(finding, old)};
    if (!at.old || !at.value || !at.to) {
        difference->failed = true;
        return true;
    }
    align(difference, &at, old->count, value->count);
    if (!keeps_any(&at, old->count) && !at.comments)
        return false;
    move_elements(finding, place, &at);
    return true;
}

/* ---- finding ---- */

/* A value that was spelled in TOML stays so, unless that would join lines. */
static bool has_own_layout(const struct untorn_node *old, const struct untorn_node *value)
{
    if (!value->raw || !format_is_toml(value->raw_format) || !old->raw ||
        !format_is_toml(old->raw_format))
        return false;
    return memchr(value->raw, '\n', value->raw_size) || !memchr(old->raw, '\n', old->raw_size);
}

bool difference_find(const struct parsed *parsed, const struct untorn_node *old,
                     const struct untorn_node *value, struct difference *ret_difference)
{
    *ret_difference = (struct difference){0};
    if (has_own_layout(old, value) || node_is_cut(old))
        return false;
    struct difference_place *place = place_of(ret_difference, old);
    struct finding finding = {ret_difference, parsed->format, place};
    bool top = true;
    if (place) {
        place->old = old;
        place->value = value;
    }
    for (; place && !ret_difference->failed; place = place->next, top = false) {
        bool object = place->old->kind == UNTORN_OBJECT;
        bool found = object ? compare_objects(&finding, place) : compare_arrays(&finding, place);
        if (!found && top)
            return false;
        if (!found)
            replace(&finding, place);
    }
    size_t steps = ret_difference->moves.count + ret_difference->values.count;
    size_t scans = ret_difference->scans;
    uint64_t size = parsed->stands_for ? parsed->stands_for : parsed->size;
    bool soon = scans <= FEW_SCANS || scans <= LIMIT_RESCANNED / (size + 1);
    return ret_difference->failed || (steps <= LIMIT_STEPS && soon);
}

/* ---- applying ---- */

static struct untorn_node *child_at(const struct untorn_node *container, const char *key,
                                    size_t key_size, size_t index)
{
    return key ? node_member(container, key, key_size) : node_element(container, index);
}

/* What is at that place now. NULL: no memory. */
static const struct untorn_node *find(const struct difference_place *place,
                                      const struct untorn_node *root)
{
    struct arena arena = {0};
    size_t depth = 0;
    for (const struct difference_place *at = place; at->outer; at = at->outer)
        depth++;
    const struct difference_place **way =
        arena_take(&arena, (depth + 1) * sizeof(const struct difference_place *));
    if (!way)
        return NULL;
    size_t i = depth;
    for (const struct difference_place *at = place; at->outer; at = at->outer)
        way[--i] = at;
    for (; i < depth; i++)
        root = child_at(root, way[i]->key, way[i]->key_size, way[i]->index);
    arena_free(&arena);
    return root;
}

static int take_step(const struct difference_step *step, struct editing *editing,
                     struct untorn_error *error)
{
    struct arena arena = {0};
    const struct untorn_node *container = find(step->place, editing->parsed.root);
    struct untorn_node *copy = step->value ? node_copy(&arena, step->value) : NULL;
    if (!container || (step->value && !copy)) {
        arena_free(&arena);
        return error_fail(error, UNTORN_NO_MEMORY, NULL);
    }
    struct change change = {.kind = step->kind,
                            .node = container,
                            .key = step->key,
                            .key_size = step->key_size,
                            .index = step->index,
                            .value = copy};
    if (step->kind == CHANGE_REPLACE || step->kind == CHANGE_REMOVE)
        change.node = child_at(container, step->key, step->key_size, step->index);
    int rc = editing_change(editing, &change, error);
    arena_free(&arena);
    return rc;
}

int difference_apply(const struct difference *difference, struct editing *editing,
                     struct untorn_error *error)
{
    int rc = difference->failed ? error_fail(error, UNTORN_NO_MEMORY, NULL) : 0;
    for (const struct difference_step *step = difference->moves.first; step && rc == 0;
         step = step->next)
        rc = take_step(step, editing, error);
    for (const struct difference_step *step = difference->values.first; step && rc == 0;
         step = step->next)
        rc = take_step(step, editing, error);
    return rc;
}
