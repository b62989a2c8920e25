#include "file/sweep.h"

#include <errno.h>
#include <string.h>

#include "base/pathtext.h"
#include "file/io.h"
#include "file/stage.h"

struct sweep {
    os_fd folder;
    char own_name[LIMIT_NAME + 1];
    const struct stage *own;
    int looked, removed, left;
};

/* Opens and locks a stage for the moment of looking at it: 1. 0 if its writer lives, or it is gone.
 * A stage we may not open belongs to another user, who sweeps it himself. */
static int take(os_fd folder, const char *entry, os_fd *ret_file)
{
    int rc = io_open(folder, entry, OS_READ, 0, ret_file);
    if (rc < 0)
        return rc == -ENOENT || rc == -EACCES || rc == -ELOOP ? 0 : rc;
    rc = os_lock(*ret_file, OS_LOCK_EXCLUSIVE);
    if (rc == 0)
        return 1;
    os_close(*ret_file);
    return rc == -EWOULDBLOCK ? 0 : rc;
}

int sweep_is_dead(os_fd folder, const char *entry)
{
    os_fd file;
    int rc = take(folder, entry, &file);
    if (rc > 0)
        os_close(file);
    return rc;
}

int sweep_stage(os_fd folder, const char *entry)
{
    os_fd file;
    int rc = take(folder, entry, &file);
    if (rc <= 0)
        return rc < 0 ? rc : -EBUSY;
    rc = os_remove(folder, entry, false); /* locked by us: [SWEEP-2] */
    os_close(file);
    return rc;
}

static int visit(void *context, const char *entry)
{
    struct sweep *sweep = context;
    if (++sweep->looked > LIMIT_LISTING || sweep->removed >= LIMIT_SWEEP) /* [SWEEP-3] */
        return 1;
    if (!path_is_own_entry(entry, sweep->own_name))
        return 0;
    bool spared = sweep->own && strcmp(entry, sweep->own->name) == 0;
    if (!spared && sweep_stage(sweep->folder, entry) == 0)
        sweep->removed++;
    else
        sweep->left++;
    return 0;
}

bool sweep_stages(struct state *state, const char *name, const struct stage *own)
{
    struct sweep sweep = {.own = own};
    if (own) /* its folder is open already */
        sweep.folder = own->folder;
    else {
        int rc = state_folder(state, FOLDER_STAGE, false, &sweep.folder);
        if (rc < 0)
            return rc != -ENOENT;
    }
    path_own_name(name, LIMIT_SUFFIX, sweep.own_name);
    return os_list(sweep.folder, visit, &sweep) != 0 || sweep.left > 0;
}
