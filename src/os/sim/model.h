/* What survives a power loss.
 *
 * Every call that changes something is logged as effects, each with the flush that made it
 * durable, if any:
 *
 *   write over existing bytes     one BLOCK per unit
 *   write beyond the end          per unit SIZE, then BLOCK
 *   resize                        SIZE (smaller: what lies beyond is gone)
 *   create, make_dir, link        NAME
 *   remove                        NAME
 *   rename, exchange              NAMEs in one group, which survives whole or not at all
 *   copy_meta, new_meta, narrow, share  META
 *   flush = 0                     covers BLOCK, SIZE and META of that file logged before the call
 *   flush_dir = 0                 covers NAMEs of that directory, a group by either directory
 *   flush failing                 poisons what it would have covered: each effect may survive or
 *                                 be lost, no later flush covers it, and that flush returns 0.
 *                                 Nor does one cover what is written over a unit in which all
 *                                 bytes were new then, until the file is cut before it
 *   flush failing, reverted       it is lost, and no longer visible either
 *   close failing                 poisons the content of the file
 *   lock, close                   nothing
 *
 * A crash in call c leaves: what was durable when the log began, and in the order of the log all
 * effects covered by a flush that returned before c, and of the others (up to and including those
 * of c) any choice that the profile allows:
 *
 *   kill           all effects; of call c the first few. The machine goes on: it is the same boot,
 *                  and another process. What was not durable still is not: the power may go while
 *                  that process recovers
 *   posix          any choice
 *   posix+dirent   any choice; flush of a file covers its names too
 *   ext4           NAMEs: the first few. A flush of anything covers all of them. What a file grows
 *                  by: the first few units, each SIZE with its BLOCK. Overwritten units: any.
 *                  A rename over an existing name has the content written before it; so has a
 *                  file that was cut to nothing, rewritten and closed
 *   xfs            as ext4, but the rename does not wait for the content
 *   btrfs          as ext4, but a flush of a file covers its own names only, a flush of a
 *                  directory that directory's: these run ahead of the others
 *   alice          any choice; a group falls apart; a grown unit may hold garbage
 *
 * A unit that a file has grown by without its BLOCK holds zeros. Later versions of the same unit,
 * size, meta or name hide earlier ones, so that choices are made per place and not per effect, and
 * what cannot be reached by any name is not varied.
 */
#ifndef UNTORN_OS_SIM_MODEL_H
#define UNTORN_OS_SIM_MODEL_H

#include "os/sim/disk.h"

enum sim_effect_kind {
    SIM_EFFECT_BLOCK,
    SIM_EFFECT_GARBAGE, /* alice only: what the unit holds before its BLOCK */
    SIM_EFFECT_SIZE,
    SIM_EFFECT_META,
    SIM_EFFECT_NAME,
};

/* By whom a flush is believed to cover names. */
enum sim_cover { SIM_COVER_POSIX, SIM_COVER_DIRENT, SIM_COVER_ALL, SIM_COVERS };

enum { SIM_NEVER = 0x7fffffff };

struct sim_step { /* one effect */
    enum sim_effect_kind kind;
    int call;
    int inode; /* the file, or what the name leads to; SIM_NO_INODE: the name goes */
    int dir;
    const char *name;
    int index; /* of the block */
    struct sim_block *block;
    uint64_t size;
    const struct sim_attributes *meta;
    int group;          /* place in the log of the first of those that survive together */
    int moved;          /* the inode a group of names is about, for the dirent rule */
    int tied_until;     /* of a SIZE that cut the file to nothing: the log's length at close */
    int tied_call;      /* and the call that closed it */
    bool grown;         /* a BLOCK that belongs to the SIZE before it */
    bool fresh;         /* a BLOCK of a unit of which the file had nothing before */
    bool smaller;       /* a SIZE that cuts */
    bool over_existing; /* a group that replaced a file */
    /* Numbers of calls, or SIM_NEVER: */
    int poisoned;            /* the flush that failed */
    int lost;                /* and that took it back */
    int covered[SIM_COVERS]; /* the flush that made it durable */
};

struct sim_call {
    enum sim_verb verb;
    const char *path, *name; /* a place is a handle's path and perhaps a name in it */
    const char *to_path, *to_name;
    uint64_t offset, size;
    const char *how; /* "create", "exclusive"; or NULL */
    int64_t result;
    int first_step, step_count;
    int process;
    bool faulty; /* a fault was injected here */
};

struct sim_ack_record {
    int id;    /* or -1: a note */
    int calls; /* that had returned */
    const char *words;
};

struct sim_log {
    struct sim_step *steps;
    int step_count, step_capacity;
    struct sim_call *calls;
    int call_count, call_capacity;
    struct sim_inode *born; /* as they were made, still without names and content */
    int born_count, born_capacity;
    struct sim_ack_record *acks;
    int ack_count, ack_capacity;
};

/* Makes `disk` out of `base` and the steps marked in `kept`, in order. */
void sim_model_build(const struct sim_disk *base, const struct sim_log *log,
                     const unsigned char *kept, struct sim_disk *disk);

/* Only what one inode of `disk`, built with the same names, holds: made anew. */
void sim_model_build_content(const struct sim_disk *base, const struct sim_log *log,
                             const unsigned char *kept, int inode, struct sim_disk *disk);

/* How a step stands at a crash point. */
enum sim_standing { SIM_NOT_YET, SIM_DURABLE, SIM_UNDECIDED };
enum sim_standing sim_model_standing(const struct sim_log *log, enum sim_profile profile, int call,
                                     int step);
bool sim_model_is_ordered(enum sim_profile profile); /* ext4, xfs, btrfs */
/* The first of the steps that survive together with this one. */
int sim_model_group(const struct sim_log *log, enum sim_profile profile, int step);

/* A question: which disks can a crash in `call` leave? */
struct sim_crash {
    const struct sim_disk *base;
    const struct sim_log *log;
    enum sim_profile profile;
    int call;  /* in flight; the number of calls: after the last */
    int limit; /* of answers; beyond that a sample, drawn with `seed` */
    uint64_t seed;
    bool every_point; /* all crash points, although the later ones contain the earlier */
    bool every_place; /* vary also what cannot be reached */

    /* Contents of files with this in their path are not chosen place by place, but together. NULL:
     * none. See sim_scenario. */
    const char *together;

    /* Where an answer's hash (sim_disk_hash) is known before its disk is built, this is asked first
     * whether it is wanted: most disks can be reached in many ways. May be NULL. */
    bool (*wants)(void *context, uint64_t hash);

    /* Called with each answer: kept[i] says whether step i survived. Valid during the call. */
    void (*emit)(void *context, const unsigned char *kept);
    void *context;
};

/* True if it was a sample. */
bool sim_model_choices(const struct sim_crash *crash);

/* kill: the first few effects of the call in flight. Of other profiles: prefixes of the log. */
void sim_model_prefixes(const struct sim_crash *crash);

/* The same for posix and alice by brute force, all subsets: the check on sim_model_choices. */
void sim_model_subsets(const struct sim_crash *crash);

/* Whether not all answers at this crash point are also answers at the next one. */
bool sim_model_is_boundary(const struct sim_crash *crash);

/* The log as it was when a kill in `call` left what is marked in `kept`. */
void sim_model_cut(const struct sim_log *log, int call, const unsigned char *kept,
                   struct sim_log *ret_log);

/* Acknowledgements given before crash point `call`, a bit each. */
uint64_t sim_model_acked(const struct sim_log *log, int call);

#endif
