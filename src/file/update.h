/* What a change function makes, for those who call one: an update, a commit of several files. */
#ifndef UNTORN_FILE_UPDATE_H
#define UNTORN_FILE_UPDATE_H

#include <untorn/update.h>

struct untorn_change {
    char *data; /* new; or NULL */
    size_t size;
    bool set;
    bool old_is_whole; /* the function has parsed the old content: it need not be looked at again
                          before it is replaced (target.old_is_whole) */
};

#endif
