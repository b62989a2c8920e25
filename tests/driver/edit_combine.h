/* A combiner of the storm's own, as small as can be: who finds the lock taken leaves the update as
 * a letter in shared memory, and whoever holds the lock applies all letters with one rename.
 *
 * It is right, which shows that the judge lets combining pass; and it can be ordered to make the
 * mistakes that only a kill between two steps brings out, which shows that the storm gets there.
 *
 * The holder takes the letters, applies them to the text, writes the stage, notes that it intends
 * the rename, renames, reports to each, and takes the note back. The next holder first settles what
 * a dead one left: noted and the stage gone, it was applied, else not.
 */
#ifndef DRIVER_EDIT_COMBINE_H
#define DRIVER_EDIT_COMBINE_H

#include "edit_update.h"

int edit_combine(const struct edit_job *job); /* returns what untorn_edit would */

#endif
