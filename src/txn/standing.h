/* Whether files that were committed together are of one commit: whole, mixed or edited.
 *
 * Every file is compared with the newest commit that is known to have named it: by the records in
 * the directories of all files, and by the slots there, which hold what the last commit did also
 * where a power loss took its record, or where a tree was copied in the middle of it.
 *
 *   STANDING-1  A file is old only if it has exactly the content it had before that commit, and
 *               another file of the same commit has what the commit made of it, or what a later
 *               one did. All of them from before it are an earlier state, not a mixture.
 *   STANDING-2  What untorn itself put back, alone, is edited and not old: its history says that it
 *               replaced what the commit had made.
 *   STANDING-3  A file is called old or edited only if no commit was there since it was read:
 *               records that are found may be of a later one, and not all of that.
 */
#ifndef UNTORN_TXN_STANDING_H
#define UNTORN_TXN_STANDING_H

#include "txn/snapshot.h"

enum set_standing {
    STANDING_UNKNOWN, /* never committed with others, as far as is known */
    STANDING_WHOLE,   /* as the commit left it, or as it was before with all the others */
    STANDING_EDITED,
    STANDING_OLD, /* from before the commit that the others are of */
};

/* One for each file of the snapshot. 0, or a negative errno value where that cannot be known:
 * -ESTALE for a snapshot that is no longer current. */
int standing_judge(const struct snapshot *snapshot, enum set_standing *ret_standings);

#endif
