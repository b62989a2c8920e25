/* The parts of the planner of JSON; plan_json (plan.h) is the way in.
 *
 * Lines are planned with \n as their end; json_plan_put makes of it what the text has.
 */
#ifndef UNTORN_TEXT_JSON_PLAN_H
#define UNTORN_TEXT_JSON_PLAN_H

#include "text/plan.h"
#include "text/write.h"

struct json_job {
    const struct parsed *parsed;
    const struct change *change;
    struct plan *plan;
    bool failed; /* no memory: nothing more is planned */
};

/* Replaces what is from `start` to `end` by the buffer's text, and frees that. */
void json_plan_put(struct json_job *job, size_t start, size_t end, struct buffer *buffer);

/* Nothing if `end` is not behind `start`. */
void json_plan_cut(struct json_job *job, size_t start, size_t end);

void json_plan_insert(struct json_job *job); /* CHANGE_ADD and CHANGE_INSERT */
void json_plan_remove(struct json_job *job);

#endif
