/* Where a key leads in a JSON text, found while all of the text is scanned and nothing of it is
 * kept: offsets, and of the containers on the way those elements that decide how a change near them
 * looks.
 *
 *     struct json_survey survey;
 *     rc = json_survey_begin(&survey, &path, format, &arena);
 *     ...
 *     rc = json_survey_run(&survey, more, context);
 *
 * `more` feeds the scanner: at first, and whenever it has used up what it got. A text in memory is
 * fed whole and at once.
 *
 *   SURVEY-1  After 0 every byte was scanned: the text is a document.
 *   SURVEY-2  The steps lead where keypath_find would lead: a key that is there twice, or that may
 *             be meant as one literal key with dots, is left to that.
 *   SURVEY-3  A change at the key, of whatever kind, replaces no byte before `stays`. It only
 *             grows, and once it is `fixed` it is what it is.
 */
#ifndef UNTORN_TEXT_JSON_SURVEY_H
#define UNTORN_TEXT_JSON_SURVEY_H

#include "text/json_scan.h"
#include "text/keypath.h"

/* A member with its key, or an element of an array. */
struct json_element {
    uint64_t before;            /* the end of the one before it, or behind the opening bracket */
    uint64_t start, value, end; /* of the key if it has one; of the value; behind the value */
    enum json_token token;      /* that begins the value */
};

/* Siblings that may decide how a change looks: at the beginning, and before its place. */
enum { JSON_SURVEY_NEAR = 32 };

/* A container on the way. */
struct json_level {
    bool object;
    struct json_element self;
    uint64_t count;
    struct json_element first[JSON_SURVEY_NEAR];
    struct json_element
        recent[JSON_SURVEY_NEAR]; /* the last ones, each at its number modulo that */
    uint64_t wanted;              /* in an array: the number of the next step */
    bool has_child;               /* the next step was found */
    uint64_t place;               /* the child's number */
    struct json_element before[JSON_SURVEY_NEAR]; /* the recent ones, when it was found */
    struct json_element child, next;
};

struct json_survey {
    struct json_scanner scanner;
    enum untorn_format format;
    bool enters_target;  /* may be set before: what the key names is a level too */
    struct keypath path; /* a copy, in which an index from the end becomes one from 0 */
    const char *other;   /* may be set before: a key that must not be beside the target */
    size_t other_size;
    struct json_level *levels; /* room for one more than there are steps */
    size_t count, depth;       /* levels that were met; those that are open */
    struct json_element root;
    uint64_t stays; /* [SURVEY-3] UINT64_MAX: what was scanned, all of it */
    bool fixed;

    /* May be set before: is called when the place is passed, and nearly all is known that a change
     * looks at. With the context of `more`. */
    void (*settled)(void *context);
    uint64_t end;     /* during that call: the text up to here is known, */
    bool wants_value; /* and a value must come next */
    bool is_settled;

    /* Private from here on. */
    int (*more)(void *context);
    void *context;
};

enum {                        /* apart from what `more` may return */
       JSON_SURVEY_LEFT = 16, /* it is for the general way */
       JSON_SURVEY_AGAIN,     /* an index from the end is known now: run it again, from the start */
};

/* `format` is UNTORN_JSON or UNTORN_JSONC. false: no memory. */
bool json_survey_begin(struct json_survey *survey, const struct keypath *path,
                       enum untorn_format format, struct arena *arena);

/* 0, one of the above, or what `more` returned that was not 0. */
int json_survey_run(struct json_survey *survey, int (*more)(void *context), void *context);

/* What the key names; NULL if it is not there. */
const struct json_element *json_survey_target(const struct json_survey *survey);

/* The last element so far; there is one. */
const struct json_element *json_level_last(const struct json_level *level);

bool json_element_is_container(const struct json_element *element);

#endif
