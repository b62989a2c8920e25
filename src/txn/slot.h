/* The journal of commits of several files, as bytes: docs/format/journal.md.
 *
 * One file for each directory, .untorn/journal/slot. It is overwritten by every commit and stays:
 * a header of 512 bytes, behind it a record for each member in this directory and for each other
 * directory that takes part, behind these the new bytes of small members.
 *
 *   SLOT-1  A slot counts only if the header's own hash and the hash of all behind it fit, and it
 *           lies where it was written: it names its own inode and its directory's, and when each
 *           came to be. A torn one is one whose flush never returned, or one that was finished: not
 *           committed. One that was copied, restored or moved is told by that: reported, never
 *           applied.
 *   SLOT-2  A slot has authority over single names in the directory it lies in, and over nothing
 *           else: a record of any other name makes it invalid. Other directories are only named in
 *           it to be asked, and their own slots must agree.
 *   SLOT-3  A slot is written by its owner alone, and holds the bytes of no member that somebody
 *           may not read who may read the slot.
 *
 * The states, and what a reader or writer who meets one concludes:
 *
 *   IDLE       nothing
 *   PREPARED   of a directory that is not the coordinator's: what the coordinator's slot says
 *   COMMITTED  the members are to be new; those that are not yet are made so
 *   DONE       as IDLE, but a power loss may bring COMMITTED or PREPARED back
 */
#ifndef UNTORN_TXN_SLOT_H
#define UNTORN_TXN_SLOT_H

#include <untorn/hash.h>

#include "base/limits.h"
#include "os/os.h"

enum { SLOT_HEAD = 512, SLOT_ID = 16, SLOT_ID_TEXT = 2 * SLOT_ID + 1 };

enum slot_state { SLOT_IDLE, SLOT_PREPARED, SLOT_COMMITTED, SLOT_DONE };
enum slot_kind { SLOT_REPLACE = 1, SLOT_CREATE, SLOT_REMOVE };

/* One member, in the directory of the slot. */
struct slot_member {
    enum slot_kind kind;
    char name[LIMIT_NAME + 1];
    char stage[LIMIT_NAME + 1]; /* its entry in stage/; empty if it has none */
    struct {
        bool hashed; /* the hash is known: it was a file that we could read */
        uint64_t inode, born, size;
        struct untorn_hash hash;
    } before; /* unless created */
    struct {
        uint64_t size;
        struct untorn_hash hash;
        uint32_t mode, owner, group;
    } after;       /* unless removed */
    bool in_place; /* it keeps its inode: overwritten through the journal of file/inplace.h */
    bool inlined;  /* the bytes are in the slot; else only in the stage, whose name is durable */
    const void *bytes; /* for slot_encode: the new content, if inlined. Borrowed */
    uint64_t offset;   /* where the bytes begin in the slot's file, if inlined */
};

/* Another directory that takes part: a participant, or for a participant the coordinator. */
struct slot_directory {
    uint64_t inode, born;
    uint64_t journal_inode, journal_born; /* of its folder journal/; zero: not known [SEAT-3] */
    uint32_t owner;  /* whose the folder for our files is, where the directory is sticky */
    char *path;      /* physical, absolute */
    char *relative;  /* the same, from the slot's own directory: both may be moved together */
    char *state_dir; /* the state directory, physical; NULL: beside the files */
};

struct slot {
    bool older; /* as version 1 has it: without journal_inode and journal_born */
    enum slot_state state;
    uint64_t sequence; /* goes up with every commit */
    unsigned char id[SLOT_ID];
    uint64_t own_inode, own_born;
    uint64_t directory_inode, directory_born; /* whose members they are; zero where it has none */
    bool participant; /* directories[0] is the coordinator; else they are the participants */
    uint32_t index;   /* of a participant, among the coordinator's directories */
    int32_t keep;     /* options.keep and options.level of the commit */
    uint32_t level;
    bool rooted; /* its name is durable, and so was the file once, as long as it is [SLOT-6] */
    uint32_t member_count, directory_count;
    uint64_t records_size, body_size; /* the body is the records and the bytes of members */
    struct untorn_hash body_hash;
    struct slot_member *members;        /* new; NULL where only the header was read */
    struct slot_directory *directories; /* new, as the texts in them */
};

/* Frees members and directories. Accepts a zeroed slot, and one that slot_encode was given if those
 * are its own. */
void slot_free(struct slot *slot);

/* How many bytes it takes, with its header. Sets sizes and offsets in `slot`. */
uint64_t slot_measure(struct slot *slot);

/* All of the slot: 0 and *ret_data is new, or a negative errno value. Sets sizes, hash and offsets
 * in `slot`. */
int slot_encode(struct slot *slot, unsigned char **ret_data, size_t *ret_size);

/* Only the header: to change the state of a slot that was read or encoded. */
void slot_encode_head(const struct slot *slot, unsigned char head[SLOT_HEAD]);

/* False for anything that slot_encode_head did not make. */
bool slot_decode_head(const unsigned char head[SLOT_HEAD], struct slot *ret_slot);

/* The records behind a decoded header; -ENODATA for anything that slot_encode did not make. */
int slot_decode_records(struct slot *slot, const unsigned char *records);

/* Reads the header. 0, -ENODATA where there is no valid one, or another errno value. */
int slot_read_head(os_fd file, struct slot *ret_slot);

/* Reads all but the members' bytes, which are only hashed. 0; -ENODATA where it is not valid
 * [SLOT-1]; -EXDEV where it is, but was written under another inode than `own`, or for another
 * directory (NULL: for any); -ENOMEM, ... */
int slot_read(os_fd file, const struct os_stat *own, const struct os_stat *directory,
              struct slot *ret_slot);

/* Of a header: whether it is no copy. [SLOT-1] */
bool slot_lies_where_it_was_written(const struct slot *slot, const struct os_stat *own,
                                    const struct os_stat *directory);

/* The new content of an inlined member, which is new and terminated, its hash checked (-ESTALE). */
int slot_read_bytes(os_fd file, const struct slot_member *member, char **ret_data);

/* NULL if it does not name it. */
const struct slot_member *slot_find(const struct slot *slot, const char *name);

/* Whether the commit is neither finished nor given up. */
bool slot_is_active(const struct slot *slot);

bool slot_same_id(const struct slot *a, const struct slot *b);
void slot_id_text(const unsigned char id[SLOT_ID], char text[SLOT_ID_TEXT]);

#endif
