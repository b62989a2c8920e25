/* An edit of a JSON text that was surveyed, planned and proven in the short text that stands for it
 * (json_abridge.h), as splices of the text itself.
 *
 *   SHORT-1  The spliced text is a document, and its data is the old data with the edit done to it.
 *            For the short text both were proven [DOCUMENT-1] [DOCUMENT-2]. Its data has a
 *            stand-in for each stretch that was left out: so a scanner of the new short text
 *            meets each that is still there as what it was before, in the state it had then. No
 *            splice begins or ends inside one. The new text is the new short text with the
 *            stretches back in their places; a stretch and its stand-in lead from the same
 *            state to the same state [ABRIDGE-1], so a scanner accepts it too, and finds the
 *            same data, but in each stretch what stood there in the old text.
 *   SHORT-2  The bytes are those of the general way: what a change looks like depends on nothing
 *            that was left out [ABRIDGE-2], or on something that is marked as cut (node.h): then
 *            the plan is unsure, and the edit is left to the general way.
 *   SHORT-3  Where one container becomes another by several changes, all of them are inside it,
 *            and all of it is in the short text: to the old text they are one change.
 */
#ifndef UNTORN_TEXT_JSON_SHORT_H
#define UNTORN_TEXT_JSON_SHORT_H

#include "base/error.h"
#include "text/json_abridge.h"
#include "text/plan.h"

enum {
    JSON_SHORT_UNCHANGED = 1, /* the value is there already */
    JSON_SHORT_UNSUITED,      /* it is for the general way */
    JSON_SHORT_STALE,         /* the text is not the one that was surveyed */
};

/* How the lines of the text end. */
struct json_line_ends {
    const char *newline; /* of most of them: so end those that are added */
    bool mixed;          /* not all are alike */
};

/* 0 with the plan; one of the above; below 0: the edit is
 * refused, in *error, with the words of the general way, or reading failed. */
int json_short_plan(const struct json_survey *survey, const struct json_source *source,
                    size_t whole, const struct untorn_edit *edit,
                    const struct json_line_ends *lines, struct plan *ret_plan,
                    struct untorn_error *error);

/* Why the survey found nothing: below 0 as untorn_document_find says it, or one of the above. */
int json_short_missing(const struct json_survey *survey, const struct json_source *source,
                       size_t whole, struct untorn_error *error);

#endif
