/* A large JSON text made short: what a change at one place does not look at is left out, so that
 * the general way can plan the change, prove it and have words for what is wrong.
 *
 * Of every container on the way to the place stay the first two elements, the last, the one on the
 * way and its neighbours; where something may be put in, JSON_SURVEY_NEAR at the beginning and as
 * many before the place, if they are small. That is what json_style.h, json_gap.h and the planners
 * look at, or else they say that they are unsure. What stands before an element stays too, up to
 * the end of the one before. Every stretch that is left out has a stand-in, a value that is nowhere
 * else:
 *
 *     {                                  {
 *       "a": {"x": [1, 2], "y": 3},        "a": {"x": 1},
 *       "b": 1,                            "b": 1,
 *       "c": 2,                            "\u00002": 0,
 *       "d": 3,
 *       "e": "a long text"                 "e": "3"
 *     }                                  }
 *
 *   ABRIDGE-1  A stretch and its stand-in lead a scanner from the same state to the same state:
 *              both are elements with the commas before them; or the rest of a container, from
 *              one of its first two values to behind its bracket; or what is between the quotes of
 *              a string.
 *   ABRIDGE-2  The blanks at the start of the line are the same at every byte that stayed, and what
 *              had an end of a line in it still has.
 *   ABRIDGE-3  What begins or ends within a stand-in has no place in the old text.
 */
#ifndef UNTORN_TEXT_JSON_ABRIDGE_H
#define UNTORN_TEXT_JSON_ABRIDGE_H

#include "text/json_survey.h"
#include "text/write.h"

struct json_source {
    /* As many bytes from `offset` on as there are, at most `size`; or a negative errno value. */
    int64_t (*read)(void *context, char *data, size_t size, uint64_t offset);
    void *context;
    uint64_t size;
    uint64_t first_line; /* before this offset no line ends */
};

enum json_cut_kind {
    JSON_CUT_ELEMENTS, /* of an array */
    JSON_CUT_MEMBERS,  /* of an object */
    JSON_CUT_ARRAY,    /* the rest of one */
    JSON_CUT_OBJECT,
    JSON_CUT_STRING, /* between its quotes */
};

struct json_cut {
    enum json_cut_kind kind;
    uint64_t start, end; /* of the old text */
    size_t at, size;     /* the stand-in in the new one */
};

/* Start from zero. */
struct json_abridged {
    struct buffer text;
    struct keypath path;   /* leads to the same place in this text */
    struct json_cut *cuts; /* in the order of the text */
    size_t count, room;
    bool miscounts;  /* an array on the way has fewer elements here */
    bool cut_target; /* what the key names is not all here */
};

/* What takes up to `whole` bytes stays. While the survey is only settled the text ends where that
 * is, and what is missing there is added. 0, JSON_SURVEY_LEFT if there is too much
 * that must stay, or a negative errno value. */
int json_abridge(const struct json_survey *survey, const struct json_source *source, size_t whole,
                 struct json_abridged *ret_abridged);

/* Marks as cut (node.h) what is a stand-in or has one in it. The tree is that of the new text. */
void json_abridged_mark(const struct json_abridged *abridged, struct untorn_node *root);

/* The place in the old text; false: it has none. [ABRIDGE-3] */
bool json_abridged_place(const struct json_abridged *abridged, uint64_t at, uint64_t *ret_place);

/* Accepts a zeroed one. */
void json_abridged_free(struct json_abridged *abridged);

#endif
