/* What must not be lost is kept aside in .untorn/kept/ until somebody gives it up.
 *
 *     tail-<name>.<16 digits of its hash>      a torn record that an append cut
 *     damaged-<name>.<16 digits of its hash>   content that did not parse when it was replaced
 *                                              (quarantine.h)
 *     conflict-<name>.<16 random digits>       the journal of an overwrite that met content it did
 *                                              not know; it holds the old and the new version
 *     conflict-<name>.<16 digits of its hash>  the new version itself, where a commit of several
 *                                              files met content it did not know, or a file that is
 *                                              not its maker's to change; of random digits where
 *                                              who kept it could not read it
 *     foreign-<name>.<16 random digits>        a journal that was copied here or planted
 *     lost-<name>.<16 digits of its hash>      a text that says which directory of an unfinished
 *                                              commit had lost its journal
 */
#ifndef UNTORN_FILE_KEPT_H
#define UNTORN_FILE_KEPT_H

#include "file/state.h"

enum { KEPT_ROOM = 9 + LIMIT_SUFFIX }; /* what stands around a name: "conflict-" and the digits */

/* Durably keeps `size` bytes of `file` from `offset` as `kind`; the same bytes only once.
 * *ret_entry is the name under kept/. 0 or a negative errno value. */
int kept_add(struct state *state, const char *kind, const char *name, os_fd file, uint64_t offset,
             uint64_t size, char ret_entry[LIMIT_NAME + 1]);
int kept_add_tail(struct state *state, const char *name, os_fd file, uint64_t offset, uint64_t size,
                  char ret_entry[LIMIT_NAME + 1]);

/* The same for a text. */
int kept_note(struct state *state, const char *kind, const char *name, const char *text,
              char ret_entry[LIMIT_NAME + 1]);

/* Moves `entry` of `folder` there, as `kind` ("conflict", "foreign"). */
int kept_move(struct state *state, const char *kind, const char *name, enum folder folder,
              const char *entry, char ret_entry[LIMIT_NAME + 1]);

#endif
