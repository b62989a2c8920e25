/* One member of a commit that counts: from what the slot says to the file itself.
 *
 *   FINISH-1  A file is changed only if it is what it was before the commit: the same inode, which
 *             came to be at the same time, with the same content; or, of a file that is to be
 *             created, no file. What has the new content already is done. Everything else is a
 *             conflict: the file stays as it is, the new version is durably kept aside, and the
 *             commit goes on.
 *   FINISH-2  The new version comes from the slot's own bytes or from the stage it names, and is
 *             used only if it has the hash that the slot says.
 *   FINISH-3  Doing it again, after a crash at any step or by another process, ends in the same.
 *   FINISH-4  A stage becomes the file itself, and is given its owner and mode, only if it has no
 *             other name and belongs to the maker of the slot; or, where that is root, to the owner
 *             of the file or whom root says that it is to belong to. Any other is copied: it may be
 *             a version under way [PAST-5], or a file from elsewhere. But one that the maker of the
 *             slot may not even read is kept aside as it is: he may have moved it there.
 *   FINISH-5  A new version that is not applied, for whatever reason, is kept aside before its
 *             stage goes. A stage that we may not open is moved there as it is.
 *   FINISH-6  A new file has the group that its maker gave it, also where the directory has one for
 *             all that is new in it, if he finishes it himself (root for root), or his own stage
 *             shows that he could give it. Nobody is given a group because a slot says so.
 */
#ifndef UNTORN_TXN_FINISH_H
#define UNTORN_TXN_FINISH_H

#include "file/target.h"
#include "txn/seat.h"

enum standing {
    STANDS_BEFORE,
    STANDS_AFTER,
    STANDS_ELSE, /* neither: a conflict */
};

/* The target is locked and looked at. 0 or a negative errno value. */
int finish_judge(const struct target *target, const struct slot_member *member,
                 enum standing *ret_standing);

/* Makes it new, unless it is or must not be. The options of `target` are a copy that may change.
 * AGAIN: it is no longer what was looked at; nothing changed. Flags in *error: IN_PLACE,
 * CONFLICT_KEPT, ... */
int finish_member(struct target *target, struct untorn_options *options, const struct seat *seat,
                  const struct slot_member *member, struct untorn_error *error);

/* The file stays as it is, for `reason`, and its new version is kept aside. [FINISH-5] 0, AGAIN or
 * a failure. */
int finish_keep_aside(struct target *target, const struct seat *seat,
                      const struct slot_member *member, const char *reason,
                      struct untorn_error *error);

#endif
