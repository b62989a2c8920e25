/* How a container becomes another of its kind: by single changes, so that what both have stays as
 * it stands in the text, with its comments.
 *
 * Members are the same if they have the same key. Elements are the same if they are equal, in
 * sequence. Of what is between those, a string takes the place of one that begins with the same
 * word, an object that of one with the same first member, and whatever there are as many of as
 * before take the places of the old ones; but not so that a comment would come to stand at
 * something else. All others go or come.
 *
 *     if (difference_find(&editing.parsed, old, value, &difference))
 *         rc = difference_apply(&difference, &editing, error);
 *     difference_free(&difference);
 */
#ifndef UNTORN_TEXT_DIFFERENCE_H
#define UNTORN_TEXT_DIFFERENCE_H

#include "text/editing.h"

/* A container, by the one around it as that will be. */
struct difference_place {
    const struct difference_place *outer; /* NULL: the root */
    const char *key;                      /* NULL: an element */
    size_t key_size, index;
    const struct untorn_node *old, *value; /* what it was and is to be, while that is found out */
    struct difference_place *next;         /* to be looked at */
};

struct difference_step {
    enum change_kind kind;
    const struct difference_place *place; /* the container in which something changes */
    const char *key;                      /* of a member */
    size_t key_size, index;               /* of an element, when the turn has come to this step */
    const struct untorn_node *value;      /* borrowed */
    struct difference_step *next;
};

struct difference_steps {
    struct difference_step *first, *last;
    size_t count;
};

struct difference {
    struct difference_steps moves;  /* what comes and goes; the outer containers first */
    struct difference_steps values; /* what is replaced, when all has its place */
    size_t scans;                   /* steps of which each takes a scan of the text */
    struct arena arena;
    bool failed; /* no memory */
};

/* Both are containers of one kind. false: the new value is to take the place of the old one as a
 * whole, for nothing stays, or it comes with a spelling of its own, or it would take too long; or
 * the old one was cut (node.h): then the plan will be unsure. */
bool difference_find(const struct parsed *parsed, const struct untorn_node *old,
                     const struct untorn_node *value, struct difference *ret_difference);

/* To the document for which it was found. */
int difference_apply(const struct difference *difference, struct editing *editing,
                     struct untorn_error *error);

/* Accepts a zeroed one. */
void difference_free(struct difference *difference);

#endif
