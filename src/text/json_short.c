#include "text/json_short.h"

#include <string.h>

#include "base/codes.h"
#include "text/api.h"
#include "text/document.h"

enum { UNSUITED = JSON_SHORT_UNSUITED, STALE = JSON_SHORT_STALE };

static int abridge(const struct json_survey *survey, const struct json_source *source, size_t whole,
                   struct json_abridged *ret_abridged, struct untorn_error *error)
{
    int rc = json_abridge(survey, source, whole, ret_abridged);
    if (rc == JSON_SURVEY_LEFT || rc == -ENOMEM)
        return UNSUITED;
    if (rc == -ESTALE)
        return STALE;
    return rc < 0 ? error_os(error, rc, "read it") : 0;
}

/* Refused in the short text: in the words of the general way, unless these have a number of
 * elements, or it is not the edit's fault. */
static int refused(const struct json_abridged *abridged, int rc)
{
    bool plain = rc == -UNTORN_NO_KEY || rc == -UNTORN_TYPE || rc == -UNTORN_INVALID ||
                 rc == -UNTORN_TOO_LARGE;
    return plain && !abridged->miscounts ? rc : UNSUITED;
}

/* ---- the edit ---- */

/* Whether the value that was set may have been there: its elements were not all compared. */
static bool may_be_unchanged(const struct json_survey *survey, const struct json_abridged *abridged,
                             const struct editing *editing)
{
    const struct json_level *old = &survey->levels[survey->path.count];
    struct untorn_error unseen;
    struct found found;
    if (!abridged->cut_target)
        return false;
    error_begin(&unseen, NULL, NULL);
    if (keypath_find(&abridged->path, editing->parsed.root, &found, &unseen) != 0)
        return true;
    enum untorn_kind kind = old->object ? UNTORN_OBJECT : UNTORN_ARRAY;
    return !found.node || (found.node->kind == kind && found.node->count == old->count);
}

/* Behind the last element is no element that would have a number in the short text. */
static void adapt_path(const struct json_survey *survey, const struct untorn_edit *edit,
                       struct json_abridged *abridged)
{
    size_t last = survey->path.count - 1;
    const struct json_level *level = &survey->levels[last];
    if (edit->kind == UNTORN_INSERT && survey->count == last + 1 && !level->object &&
        level->wanted == level->count)
        abridged->path.steps[last] = (struct step){.kind = STEP_APPEND};
}

/* Several changes are one of what the key names [SHORT-3]. After each of them the general way
 * counts the ends of lines: that must make no difference. */
static int join_changes(const struct json_abridged *abridged, const struct json_line_ends *lines,
                        struct editing *editing)
{
    const struct buffer *old = &abridged->text;
    struct untorn_error unseen;
    struct found found;
    error_begin(&unseen, NULL, NULL);
    if (abridged->cut_target || lines->mixed ||
        keypath_find(&abridged->path, editing->parsed.root, &found, &unseen) != 0 || !found.node)
        return UNSUITED;
    struct span now = parsed_span(&editing->parsed, found.node);
    const char *behind = editing->text + now.end;
    size_t start = (size_t)now.start, tail = editing->parsed.size - (size_t)now.end;
    if (start + tail > old->size || memcmp(editing->text, old->data, start) != 0 ||
        memcmp(behind, old->data + old->size - tail, tail) != 0)
        return UNSUITED;
    plan_free(&editing->last);
    size_t size = (size_t)(now.end - now.start);
    const char *text = arena_copy(&editing->last.arena, editing->text + start, size);
    bool added =
        text && plan_add(&editing->last, (struct span){start, old->size - tail}, text, size);
    return added ? 0 : UNSUITED;
}

/* Begins the editing of the short text, which stands for one of that size. */
static int begin_short(const struct json_survey *survey, const struct json_abridged *abridged,
                       uint64_t size, const struct json_line_ends *lines,
                       struct editing *ret_editing)
{
    const struct buffer *text = &abridged->text;
    struct untorn_error unseen;
    error_begin(&unseen, NULL, NULL);
    int rc = editing_begin(ret_editing, text->data, text->size, survey->format, NULL, &unseen);
    if (rc != 0) /* it was scanned: it has changed since */
        return rc == -UNTORN_NO_MEMORY ? UNSUITED : STALE;
    json_abridged_mark(abridged, ret_editing->parsed.root);
    ret_editing->parsed.stands_for = size;
    ret_editing->parsed.newline = lines->newline;
    return 0;
}

/* editing->last becomes what happens to the short text. */
static int edit_short(const struct json_survey *survey, const struct json_abridged *abridged,
                      const struct untorn_edit *edit, const struct json_line_ends *lines,
                      struct editing *editing, struct untorn_error *error)
{
    int rc = document_apply(editing, edit, &abridged->path, error);
    if (rc == 0)
        rc = editing_settle(editing, error);
    if (rc != 0)
        return refused(abridged, rc);
    if (!editing->text)
        return abridged->cut_target ? UNSUITED : JSON_SHORT_UNCHANGED;
    if (editing->last.unsure || may_be_unchanged(survey, abridged, editing))
        return UNSUITED;
    return editing->changes > 1 ? join_changes(abridged, lines, editing) : 0;
}

/* ---- the way back ---- */

/* The plan moved from the short text to the old one. [ABRIDGE-3] */
static int place_plan(struct plan *plan, const struct json_abridged *abridged)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct span *at = &plan->splices[i].at;
        if (!json_abridged_place(abridged, at->start, &at->start) ||
            !json_abridged_place(abridged, at->end, &at->end))
            return UNSUITED;
    }
    return 0;
}

int json_short_plan(const struct json_survey *survey, const struct json_source *source,
                    size_t whole, const struct untorn_edit *edit,
                    const struct json_line_ends *lines, struct plan *ret_plan,
                    struct untorn_error *error)
{
    struct json_abridged abridged = {0};
    struct editing editing = {0};
    *ret_plan = (struct plan){0};
    int rc = abridge(survey, source, whole, &abridged, error);
    if (rc == 0)
        rc = begin_short(survey, &abridged, source->size, lines, &editing);
    if (rc == 0) {
        adapt_path(survey, edit, &abridged);
        rc = edit_short(survey, &abridged, edit, lines, &editing, error);
    }
    if (rc == 0)
        rc = place_plan(&editing.last, &abridged);
    if (rc == 0) {
        *ret_plan = editing.last;
        editing.last = (struct plan){0};
    }
    editing_free(&editing);
    json_abridged_free(&abridged);
    return rc;
}

int json_short_missing(const struct json_survey *survey, const struct json_source *source,
                       size_t whole, struct untorn_error *error)
{
    struct json_abridged abridged = {0};
    struct parsed parsed = {0};
    struct flaw flaw;
    int rc = abridge(survey, source, whole, &abridged, error);
    if (rc == 0 &&
        parse_json(abridged.text.data, abridged.text.size, survey->format, &parsed, &flaw) < 0)
        rc = flaw.out_of_memory ? UNSUITED : STALE;
    if (rc == 0 && api_find(parsed.root, &abridged.path, error))
        rc = STALE; /* it was not there */
    else if (rc == 0)
        rc = refused(&abridged, -error->status);
    parsed_free(&parsed);
    json_abridged_free(&abridged);
    return rc;
}
