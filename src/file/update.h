/* What a change function makes, for those who call one: an update, a commit of several files. */
#ifndef UNTORN_FILE_UPDATE_H
#define UNTORN_FILE_UPDATE_H

#include <untorn/update.h>

#include "file/target.h"

struct untorn_change {
    char *data; /* new; or NULL */
    size_t size;
    bool set;
    bool old_is_whole; /* the function has parsed the old content: it need not be looked at again
                          before it is replaced (target.old_is_whole) */
};

/* An update in parts, for who has more to do under the lock. */
struct update {
    untorn_change_function *function;
    void *context;
    struct target target; /* with stages_under_lock and was_read */
};

/* With the lock held and the file looked at. As untorn_update returns; AGAIN; REPLACE_ALONE. */
int update_once(struct update *update, struct untorn_error *error);

#endif
