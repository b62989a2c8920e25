/* Removing what dead writers left.
 *
 *   SWEEP-1  Only while holding the name's lock, and after an unfinished overwrite was finished.
 *   SWEEP-2  Only a stage whose own lock can be taken: its creator is dead, or has not locked it
 *            yet and will notice. [STAGE-1]
 *   SWEEP-3  At most LIMIT_SWEEP stages by one call, among at most LIMIT_LISTING names; the user's
 *            directory is never listed.
 */
#ifndef UNTORN_FILE_SWEEP_H
#define UNTORN_FILE_SWEEP_H

#include "file/state.h"

struct stage;

/* Removes dead stages of `name`. Best effort: what stays is swept by the next one. `own` is the
 * caller's own stage, or NULL. Whether any may be left, `own` among them. */
bool sweep_stages(struct state *state, const char *name, const struct stage *own);

/* Removes this one, if it is dead. 0, or a negative errno value: -EBUSY if its writer lives. */
int sweep_stage(os_fd folder, const char *entry);

/* Whether the stage's writer is gone: 1, 0, or a negative errno value where it cannot be known.
 * Never removes. */
int sweep_is_dead(os_fd folder, const char *entry);

#endif
