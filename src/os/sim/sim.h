/* A simulated machine: an in-memory disk with processes, behind the verbs of os/os.h.
 *
 * Linked instead of os/unix it runs the code above the seam unchanged, in one thread, and can stop
 * it anywhere: it keeps a log of what every call changed and which flush made it durable, and from
 * that log builds every disk that a power loss could leave.
 *
 * A crash test is a scenario:
 *
 *     static void setup(void *c)    { sim_put("/d/a", "old"); }
 *     static void workload(void *c) { if (untorn_write("/d/a", "new", 3, NULL, NULL) == 0)
 *                                         sim_ack(0); }
 *     static const char *verify(void *c)
 *     {
 *         const char *text = sim_get("/d/a");
 *         if (!text || (strcmp(text, "old") && strcmp(text, "new")))
 *             return "neither old nor new";
 *         return sim_acked(0) && strcmp(text, "new") ? "an acknowledged write is lost" : NULL;
 *     }
 *     struct sim_scenario scenario = {.name = "replace", .setup = setup, .workload = workload,
 *                                     .verify = verify, .profiles = SIM_ALL_GATES};
 *     struct sim_report report;
 *     sim_explore(&scenario, &report);
 *     sim_print(&scenario, &report);
 *     CHECK_INT(report.bad, 0);
 *
 * The workload runs once. Then for every crash point (each call, before and while it takes effect)
 * and every disk that the profile allows there, `recover` and `verify` run on a machine that was
 * started from that disk, with no processes and no locks. Equal disks are looked at once. A bad
 * one is told as a story: which calls were made, what survived of each, what the disk then holds.
 * Everything is derived from the seed, so the same program tells the same story again: its last
 * line is the command for that. UNTORN_STATE there has the number of the state, and no other one is
 * judged (sim_stop_here is called first, for a debugger). What would take one processor too long is
 * done by several: with UNTORN_WORKERS=2 sim_explore is two processes that know what the other has
 * seen. The figures are the same; of several bad states another one may be told.
 *
 * Several processes that run at once are in interleave.h.
 *
 * The model (what a flush covers, which disks are legal) stands in model.h.
 *
 * All memory is the simulator's own: a test that lets malloc fail does not hit it. It is valid
 * until the next sim_start or the end of the scenario's step.
 */
#ifndef UNTORN_OS_SIM_H
#define UNTORN_OS_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the machine ---- */

/* When the number of a removed file is given to a new one. */
enum sim_reuse {
    SIM_REUSE_AT_ONCE = 0,   /* as soon as nobody has it open: what a live system may do, and what
                                mistakes two files for one. A number ties the new file to the end
                                of the old one: no disk can hold both, such states are left out */
    SIM_REUSE_AFTER_RESTART, /* not before the next crash: the widest choice of crash states */
};

struct sim_options {
    unsigned unit; /* bytes that reach the disk together; 0: 4096. Strict: 512 */
    uint64_t seed; /* for os_random and for samples */
    enum sim_reuse reuse;
    bool no_areas; /* os_area_make gives ENOSYS */
};

/* An empty disk with a root directory (0777); process 0 of user 0 runs. NULL: defaults. */
void sim_start(const struct sim_options *options);

/* What is visible is from now on durable, and the log is empty. */
void sim_settle(void);

/* ---- the disk seen from outside: durable at once, no permissions, no log, no faults ---- */

void sim_make_dir(const char *path); /* with parents, 0755 */
void sim_put(const char *path, const char *text);
void sim_put_bytes(const char *path, const void *data, size_t size);
void sim_symlink(const char *path, const char *text);
void sim_hard_link(const char *path, const char *other);
void sim_remove(const char *path); /* with all below */

/* NULL if there is no regular file. Terminated; valid until the world is left. */
const char *sim_get(const char *path);
const char *sim_get_bytes(const char *path, size_t *ret_size);
bool sim_exists(const char *path);

/* One line `PATH` or `PATH/` for everything below `path`, sorted. */
const char *sim_tree(const char *path);

struct sim_attributes {
    uint32_t mode, owner, group;
    char acl[24], default_acl[24], xattr[24];
    bool immutable;
    bool mount_root; /* a file that is itself a mount point: rename onto it gives EBUSY */
};
struct sim_attributes sim_attributes(const char *path);
void sim_set_attributes(const char *path, const struct sim_attributes *attributes);
uint64_t sim_inode(const char *path); /* 0 if missing */

/* Another file system, empty, at an existing directory. Settles (sim_settle). */
struct sim_device {
    bool read_only;
    bool network;
    bool no_directory_flush; /* EINVAL */
    bool no_exchange;        /* EINVAL */
    bool no_no_replace;      /* a link and a removal instead: two steps */
    bool no_hard_link;       /* EPERM */
    bool no_inode_hold;      /* OS_HOLD is refused with EINVAL */
};
void sim_mount(const char *path, const struct sim_device *device);

/* ---- processes ---- */

/* Later calls are made by process `id` (0..15), which is started as user 0 if it does not run. */
void sim_process(int id);
void sim_process_user(uint32_t user, uint32_t group);
void sim_process_mask(uint32_t mask);
/* A child of the current process: with all handles (fork), or those marked os_inherit (spawn). */
void sim_process_fork(int child);
void sim_process_spawn(int child);
/* Closes all its handles, as SIGKILL does. */
void sim_process_kill(int id);
int sim_open_handles(void); /* of the current process */

/* Called before each counted call takes effect, and each os_sleep_ns (then with SIM_ASLEEP): the
 * place for what others do meanwhile. It may make calls itself; they do not come here again. Not
 * called while the guard of the code above is entered: simulated processes share that code. */
typedef void sim_meanwhile(void *context, int call);
#define SIM_ASLEEP (-1)
void sim_set_meanwhile(sim_meanwhile *function, void *context);

/* ---- the calls ---- */

/* clang-format off */
#define SIM_VERB_LIST(X) \
    X(OPEN_DIR, "open_dir") \
    X(OPEN, "open") \
    X(CLOSE, "close") \
    X(INHERIT, "inherit") \
    X(READ_AT, "read_at") \
    X(WRITE_AT, "write_at") \
    X(RESIZE, "resize") \
    X(FLUSH, "flush") \
    X(FLUSH_DIR, "flush_dir") \
    X(STAT, "stat") \
    X(READ_LINK, "read_link") \
    X(MAKE_DIR, "make_dir") \
    X(REMOVE, "remove") \
    X(RENAME, "rename") \
    X(LINK, "link") \
    X(LIST, "list") \
    X(LOCK, "lock") \
    X(COPY_META, "copy_meta") \
    X(NEW_META, "new_meta") \
    X(NARROW, "narrow") \
    X(SHARE, "share") \
    X(CAPABILITIES, "capabilities") \
    X(DIR_PATH, "dir_path") \
    X(RANDOM, "random") \
    X(AREA_MAKE, "area_make") \
    X(AREA_JOIN, "area_join") \
    X(AREA_LEAVE, "area_leave")
/* clang-format on */
#define SIM_VERB_ENUM(name, word) SIM_##name,
enum sim_verb { SIM_VERB_LIST(SIM_VERB_ENUM) SIM_VERBS };
#undef SIM_VERB_ENUM
#define SIM_ONLY(verb) (1u << (verb))

int sim_calls(void); /* made since sim_start or sim_settle */
int sim_calls_of(enum sim_verb verb);

/* A wrong use of the seam (a closed handle, a name with a slash): told in words, NULL if none.
 * Every state of a scenario in which it happens is bad. */
const char *sim_misuse(void);

/* Marks what the workload was promised; ids 0..63. `sim_note` only adds words to the story. */
void sim_ack(int id);
void sim_note(const char *words);

/* ---- faults ---- */

enum sim_effect {
    SIM_REFUSED = 0, /* nothing happens; a flush, though, poisons what it would have covered */
    SIM_HALF_DONE,   /* a write leaves half of its bytes, then fails; others as SIM_REFUSED */
    SIM_SHORT,       /* read and write return about half the count, others are left alone */
    SIM_REVERTED,    /* a flush also takes the visible content back to what is on the disk */
    SIM_OMITTED,     /* a flush returns 0 and does nothing, as if the code above had forgotten it:
                        for negative controls; others are left alone */
    SIM_DONE_ANYWAY, /* it happens, and yet an error is returned (NFS: a repeated request) */
    SIM_DEAD,        /* nothing happens, nor is anything poisoned: it was killed before. With
                        `process` and `forever`; the test kills the process when it is back */
};

struct sim_fault {
    int at;         /* the n-th call that `verbs` and `on` match, from 1; 0: no fault */
    int error;      /* an errno value */
    const char *on; /* only calls on a path that contains this; NULL: all */
    enum sim_effect effect;
    unsigned verbs; /* SIM_ONLY(SIM_FLUSH) | ...; 0: all */
    int process;    /* only calls of this one, counted from 1; 0: of all */
    int times;      /* that call and the matching ones after it, so many; 0: once */
    bool forever;   /* that call and all matching ones after it */
};
void sim_fail(const struct sim_fault *fault); /* NULL: no more */
bool sim_fault_fired(void);

/* Breaks the machine on purpose, for negative controls. */
enum sim_broken {
    SIM_FLUSH_LIES = 1, /* os_flush returns 0 and does nothing */
    SIM_FLUSH_DIR_LIES = 2,
    SIM_RENAME_SPLIT = 4,  /* removal and naming are separate steps */
    SIM_LOCK_LIES = 8,     /* every lock is granted */
    SIM_SPOILT_STAYS = 16, /* a unit whose flush failed is not even whole again when it was cut */
};
void sim_break(unsigned broken);

/* ---- scenarios ---- */

#define SIM_PROFILE_LIST(X)                                                                        \
    X(KILL, "kill")                 /* the process dies, the machine does not */                   \
    X(POSIX, "posix")               /* power loss, what POSIX promises and an atomic rename */     \
    X(POSIX_DIRENT, "posix+dirent") /* and: flushing a file makes its names durable */             \
    X(EXT4, "ext4")                                                                                \
    X(XFS, "xfs")                                                                                  \
    X(BTRFS, "btrfs") X(ALICE, "alice") /* not even rename is atomic: a report, never a gate */
#define SIM_PROFILE_ENUM(name, word) SIM_PROFILE_##name,
enum sim_profile { SIM_PROFILE_LIST(SIM_PROFILE_ENUM) SIM_PROFILES };
#undef SIM_PROFILE_ENUM

enum {
    SIM_KILL = 1 << SIM_PROFILE_KILL,
    SIM_POSIX = 1 << SIM_PROFILE_POSIX,
    SIM_POSIX_DIRENT = 1 << SIM_PROFILE_POSIX_DIRENT,
    SIM_EXT4 = 1 << SIM_PROFILE_EXT4,
    SIM_XFS = 1 << SIM_PROFILE_XFS,
    SIM_BTRFS = 1 << SIM_PROFILE_BTRFS,
    SIM_ALICE = 1 << SIM_PROFILE_ALICE,
    SIM_ALL_GATES = (1 << SIM_PROFILE_ALICE) - 1,
};

enum { SIM_NO_LIMIT = -1 }; /* all states, however many */

struct sim_scenario {
    const char *name;
    void (*setup)(void *context);
    void (*workload)(void *context);

    /* Runs on each crash state before verify; crashes inside it are explored too (depth 2; after a
     * kill the power may go as well), and running it twice must give the same disk as once. May be
     * NULL. */
    void (*recover)(void *context);

    /* NULL if the disk is as it must be, else a sentence. It may make calls and change things:
     * what it leaves is thrown away. */
    const char *(*verify)(void *context);

    void *context;
    unsigned profiles; /* SIM_POSIX | ... */
    struct sim_options options;
    unsigned broken; /* enum sim_broken, in force during workload and recover */
    int limit;       /* states per crash point before samples take over; 0: 20000 */

    /* In every n-th crash state also let each call of recover fail in turn (EIO, once and for
     * ever); then recover must do it after all. 0: not. */
    int faulty_recoveries;

    /* What files with this in their path hold is chosen together: the first few of the open writes
     * to all of them, all but those to one unit, only those to one unit; and not each unit for
     * itself, which multiplies all else by 6 for every lock file. Decision 0026 says why that loses
     * nothing there. Unordered profiles only. NULL: nothing is. */
    const char *together;
    bool every_subset; /* posix and alice by brute force, at all crash points; this and ... */
    bool every_place;  /* what cannot be reached counts as well: both to test the simulator */
    bool quiet;        /* a bad state is expected: no story */
};

struct sim_report {
    int crash_points; /* calls at which the power could go */
    long states;      /* disks built */
    long distinct;    /* different ones, together with what was acknowledged: all were checked */
    long deeper;      /* of them, those reached by a crash inside recover */
    long bad;
    long faults;       /* runs of the workload with a fault */
    long left_out;     /* states that need one inode number twice */
    bool sampled;      /* some crash point had more states than the limit */
    double seconds;    /* of processor time */
    char story[16384]; /* of the first bad state */
};

void sim_explore(const struct sim_scenario *scenario, struct sim_report *report);

/* Adds the figures of `more`, for a total over several scenarios; keeps the first story. */
void sim_report_add(struct sim_report *total, const struct sim_report *more);

/* One line of figures on standard output, and the story of the first bad state unless quiet. */
void sim_print(const struct sim_scenario *scenario, const struct sim_report *report);

/* In recover and verify: */
bool sim_acked(int id);
enum sim_profile sim_profile(void); /* under which the disk is legal */
bool sim_alive(void);               /* no crash: the workload's own process goes on */

/* Runs the workload with the n-th call failing, n = 1, 2, 3 ... until it ends without having met
 * the fault; for each of `faults` (their `at` is set here). Each time all crash states are checked
 * as by sim_explore, and the living machine by verify. The workload acknowledges its outcome. */
void sim_for_each_fault(const struct sim_scenario *scenario, const struct sim_fault *faults,
                        size_t count, struct sim_report *report);

/* EIO, ENOSPC, EINTR, EACCES and EROFS, once and for ever; half-done and short writes; reverted
 * flushes; renames that happened although they failed. */
extern const struct sim_fault sim_usual_faults[];
extern const size_t sim_usual_fault_count;

/* The same with the n-th allocation failing, once and for ever. The test defines malloc and its
 * kin so that they ask sim_allocation_fails (as tests/crash/allocation_test.c does). */
void sim_for_each_allocation_failure(const struct sim_scenario *scenario,
                                     struct sim_report *report);
bool sim_allocation_fails(void);

#endif
