#include "text/json_survey.h"

#include <stdlib.h>
#include <string.h>

enum { LEFT = JSON_SURVEY_LEFT, NEAR = JSON_SURVEY_NEAR };

bool json_survey_begin(struct json_survey *survey, const struct keypath *path,
                       enum untorn_format format, struct arena *arena)
{
    size_t steps = path->count * sizeof *path->steps;
    *survey = (struct json_survey){.format = format, .path = *path};
    survey->levels = arena_take(arena, (path->count + 1) * sizeof *survey->levels);
    survey->path.steps = arena_take(arena, steps + 1);
    if (!survey->levels || !survey->path.steps)
        return false;
    if (steps > 0)
        memcpy(survey->path.steps, path->steps, steps);
    return true;
}

bool json_element_is_container(const struct json_element *element)
{
    return element->token == JSON_OBJECT_BEGIN || element->token == JSON_ARRAY_BEGIN;
}

const struct json_element *json_survey_target(const struct json_survey *survey)
{
    size_t steps = survey->path.count;
    if (steps == 0)
        return &survey->root;
    if (survey->count < steps || !survey->levels[steps - 1].has_child)
        return NULL;
    return &survey->levels[steps - 1].child;
}

const struct json_element *json_level_last(const struct json_level *level)
{
    return &level->recent[(level->count - 1) % NEAR];
}

/* ---- tokens ---- */

/* The next token, or with `depth` the end of the container that was begun at that depth. `kept`:
 * its text is needed. */
static int next(struct json_survey *survey, size_t depth, bool kept, enum json_token *ret_token)
{
    struct json_scanner *scanner = &survey->scanner;
    scanner->skips = !kept;
    for (;;) {
        *ret_token = depth ? json_scan_skip(scanner, depth) : json_scan_next(scanner);
        if (*ret_token != JSON_MORE)
            return *ret_token == JSON_WRONG ? LEFT : 0;
        int rc = survey->more(survey->context);
        if (rc != 0)
            return rc;
    }
}

static int skip(struct json_survey *survey, struct json_element *element)
{
    enum json_token token;
    int rc =
        json_element_is_container(element) ? next(survey, survey->scanner.depth, false, &token) : 0;
    element->end = survey->scanner.end;
    return rc;
}

/* ---- steps ---- */

/* A literal key "a.b" could be meant by the steps a and b. */
static bool may_be_literal(const struct keypath *path, const struct step *step, const char *key,
                           size_t size)
{
    return step->typed && step < &path->steps[path->count - 1] && size > step->typed_size &&
           memcmp(key, step->typed, step->typed_size) == 0 && size <= strlen(step->typed) &&
           memcmp(key, step->typed, size) == 0;
}

/* Whether the key is the step's. [SURVEY-2] */
static int compare_key(const struct json_survey *survey, const struct step *step, const char *key,
                       size_t size, bool *ret_is)
{
    bool last = step == &survey->path.steps[survey->path.count - 1];
    *ret_is = size == step->key_size && memcmp(key, step->key, size) == 0;
    if (survey->other && last && !*ret_is && size == survey->other_size &&
        memcmp(key, survey->other, size) == 0)
        return LEFT;
    return may_be_literal(&survey->path, step, key, size) ? LEFT : 0;
}

static int is_key_of(const struct json_survey *survey, const struct step *step, bool *ret_is)
{
    const struct json_scanner *scanner = &survey->scanner;
    const char *raw = json_token_text(scanner);
    size_t size = (size_t)(scanner->end - scanner->start);
    if (!scanner->escaped)
        return compare_key(survey, step, raw + 1, size - 2, ret_is);
    char *decoded = malloc(size);
    if (!decoded)
        return LEFT;
    int rc = compare_key(survey, step, decoded, json_decode(raw, size, decoded), ret_is);
    free(decoded);
    return rc;
}

/* The number of the element that the step names; UINT64_MAX: none, or it counts from the end. */
static uint64_t wanted_index(const struct step *step)
{
    if (step->kind == STEP_INDEX && step->index >= 0)
        return (uint64_t)step->index;
    if (step->kind != STEP_EITHER || step->key_size == 0 || step->key_size > 18 ||
        strspn(step->key, "0123456789") != step->key_size ||
        (step->key[0] == '0' && step->key_size > 1))
        return UINT64_MAX;
    return (uint64_t)strtoull(step->key, NULL, 10);
}

static bool is_from_end(const struct step *step)
{
    return step->kind == STEP_INDEX && step->index < 0;
}

/* ---- levels ---- */

static struct json_level *innermost(struct json_survey *survey)
{
    return &survey->levels[survey->depth - 1];
}

/* NULL: no step leads on from there. */
static struct step *step_in(const struct json_survey *survey, const struct json_level *level)
{
    size_t number = (size_t)(level - survey->levels);
    return number < survey->path.count ? &survey->path.steps[number] : NULL;
}

static uint64_t end_of_last(const struct json_level *level)
{
    return level->count > 0 ? json_level_last(level)->end : level->self.value + 1;
}

static void fix(struct json_survey *survey, uint64_t stays)
{
    if (!survey->fixed)
        survey->stays = stays;
    survey->fixed = true;
}

static void enter(struct json_survey *survey, const struct json_element *element)
{
    struct json_level *level = &survey->levels[survey->depth++];
    survey->count = survey->depth;
    level->object = element->token == JSON_OBJECT_BEGIN;
    level->self = *element;
    level->count = 0;
    level->has_child = false;
    const struct step *step = step_in(survey, level);
    level->wanted = step && !level->object ? wanted_index(step) : UINT64_MAX;
    if (step && !level->object && is_from_end(step))
        fix(survey, element->value + 1);
}

static void note(struct json_level *level, const struct json_element *element)
{
    uint64_t number = level->count++;
    if (number < NEAR)
        level->first[number] = *element;
    level->recent[number % NEAR] = *element;
    if (level->has_child && number == level->place)
        level->child = *element;
    if (level->has_child && number == level->place + 1)
        level->next = *element;
}

static void settle(struct json_survey *survey, uint64_t end)
{
    survey->end = end;
    if (survey->settled && !survey->is_settled)
        survey->settled(survey->context);
    survey->is_settled = true;
}

/* Behind the closing bracket. */
static int leave(struct json_survey *survey)
{
    struct json_level *level = innermost(survey);
    struct step *step = step_in(survey, level);
    if (step && !level->object && is_from_end(step) &&
        level->count >= (uint64_t)0 - (uint64_t)step->index) {
        step->index += (int64_t)level->count;
        return JSON_SURVEY_AGAIN;
    }
    bool is_place = !survey->fixed, was_last = step && level->has_child;
    if (!level->has_child)
        fix(survey, end_of_last(level));
    level->self.end = survey->scanner.end;
    survey->depth--;
    if (survey->depth > 0)
        note(innermost(survey), &level->self);
    else
        survey->root = level->self;
    if (is_place || was_last)
        settle(survey, level->self.end);
    return 0;
}

/* ---- elements ---- */

/* The element is what the step names. */
static int take_child(struct json_survey *survey, struct json_element *element)
{
    struct json_level *level = innermost(survey);
    if (level->has_child)
        return LEFT; /* it is there twice */
    level->has_child = true;
    level->place = level->count;
    memcpy(level->before, level->recent, sizeof level->before);
    bool target = survey->depth == survey->path.count;
    if (target || !json_element_is_container(element))
        fix(survey, element->before);
    if (json_element_is_container(element) && (!target || survey->enters_target)) {
        enter(survey, element);
        return 0;
    }
    int rc = skip(survey, element);
    note(level, element);
    return rc;
}

static int pass(struct json_survey *survey, struct json_element *element)
{
    if (!survey->fixed)
        survey->stays = UINT64_MAX;
    const struct json_level *level = innermost(survey);
    if (level->has_child && survey->depth == survey->path.count) {
        survey->wants_value = true;
        settle(survey, element->value);
        survey->wants_value = false;
    }
    int rc = skip(survey, element);
    note(innermost(survey), element);
    return rc;
}

/* One element of the innermost level, or its end. */
static int advance(struct json_survey *survey)
{
    struct json_level *level = innermost(survey);
    const struct step *step = step_in(survey, level);
    const struct json_scanner *scanner = &survey->scanner;
    struct json_element element = {.before = end_of_last(level)};
    if (!survey->fixed)
        survey->stays = element.before;
    bool is = level->wanted == level->count;
    int rc = next(survey, 0, level->object, &element.token);
    if (rc != 0)
        return rc;
    if (element.token == JSON_OBJECT_END || element.token == JSON_ARRAY_END)
        return leave(survey);
    element.start = scanner->start;
    if (level->object) {
        if (step && (step->kind == STEP_KEY || step->kind == STEP_EITHER))
            rc = is_key_of(survey, step, &is);
        if (!is && !survey->fixed)
            survey->stays = UINT64_MAX;
        if (rc == 0)
            rc = next(survey, 0, false, &element.token);
    }
    element.value = scanner->start;
    if (rc != 0)
        return rc;
    return is ? take_child(survey, &element) : pass(survey, &element);
}

int json_survey_run(struct json_survey *survey, int (*more)(void *context), void *context)
{
    enum json_token token;
    survey->more = more;
    survey->context = context;
    survey->count = survey->depth = 0;
    survey->stays = 0;
    survey->fixed = survey->is_settled = false;
    json_scan_begin(&survey->scanner, survey->format);
    int rc = more(context);
    if (rc == 0)
        rc = next(survey, 0, false, &token);
    if (rc != 0)
        return rc;
    survey->root = (struct json_element){.start = survey->scanner.start,
                                         .value = survey->scanner.start,
                                         .end = survey->scanner.end,
                                         .token = token};
    if (json_element_is_container(&survey->root) && survey->path.count > 0)
        enter(survey, &survey->root);
    while (rc == 0 && survey->depth > 0)
        rc = advance(survey);
    while (rc == 0 && token != JSON_DONE) { /* [SURVEY-1] */
        fix(survey, 0);
        rc = next(survey, 0, false, &token);
    }
    return rc;
}
