/* The running machine: shared by the files that implement the verbs, by no test. */
#ifndef UNTORN_OS_SIM_WORLD_H
#define UNTORN_OS_SIM_WORLD_H

#include "os/sim/model.h"

enum { SIM_PROCESSES = 16, SIM_CALL_LIMIT = 1000000, SIM_TOGETHER = 4 };

struct sim_opening {
    int inode;
    unsigned how; /* enum os_how */
    int references;
    enum os_lock lock;
    const char *path;
    bool cut; /* resized to nothing through any handle since it was opened */
};

struct sim_handle {
    struct sim_opening *opening; /* NULL: closed */
    int process;
    bool inherit;
    struct sim_handle *next; /* the same number in another process */
};

struct sim_process {
    bool running;
    uint32_t user, group, mask;
    uint64_t start;
    int handles, areas; /* so many numbers were given out */
    uint64_t history;   /* while several run by turns: a hash of all that it was told */
    uint64_t told;      /* and of what it told the test */
    int looks;          /* at words that were still what they had to be, in a row */
};

/* Memory that processes share: area.c. */
struct sim_area;

/* Where another process may go on first, while several run by turns. */
enum sim_point_kind {
    SIM_POINT_CALL,
    SIM_POINT_WORD,  /* of an area */
    SIM_POINT_ALIVE, /* os_is_alive */
    SIM_POINT_SLEEP, /* until a time, or until os_wake of a word */
    SIM_POINT_EXIT,
};
struct sim_point {
    enum sim_point_kind kind;
    enum sim_verb verb;
    uint64_t until;
    const struct sim_area *area; /* NULL: only the time counts */
    size_t offset;
};
struct sim_turns {
    void (*reach)(const struct sim_point *point); /* returns when this process goes on */
    void (*wake)(const struct sim_area *area, size_t offset);
};

struct sim_world {
    struct sim_options options;
    struct sim_disk base, now;
    struct sim_log log;
    struct sim_handle *handles;
    int handle_count, handle_capacity;
    os_fd first_handle; /* differs between worlds, so that a handle of a dead one is noticed */
    struct sim_process processes[SIM_PROCESSES];
    int process;
    unsigned boot;
    uint64_t clock, random;
    uint64_t start; /* of its first process */
    int verb_calls[SIM_VERBS];
    struct sim_fault fault;
    int fault_calls;
    bool fault_fired;
    unsigned broken;
    sim_meanwhile *meanwhile;
    void *meanwhile_context;
    bool in_meanwhile;
    const char *misuse;
    uint64_t acked; /* before the crash that this world was started after */
    enum sim_profile profile;
    bool alive;
    bool telling;                  /* every step is noted for a story */
    const struct sim_turns *turns; /* NULL: one process at a time, as the test says */
    struct sim_area *areas;
    uint64_t area_numbers;
};

extern struct sim_world *sim;

/* A machine started from `disk` (which is copied), process 0 running, everything durable. */
struct sim_world *sim_world_new(const struct sim_disk *disk, const struct sim_options *options);

/* Tells the code above that it now is another process (what it gave to os_guard_enter). */
void sim_forget_globals(void);
bool sim_is_guarded(void); /* between os_guard_enter and os_guard_leave */

/* What that code keeps for one process. Zeroed: of a new one. */
struct sim_globals {
    bool guarded;
    unsigned char memory[16384];
};
void sim_change_globals(struct sim_globals *from, const struct sim_globals *to);

/* When that will have passed; UINT64_MAX: never. */
uint64_t sim_time_in(uint64_t duration);

/* What the code above is told, beyond the result of the call; part of its history. */
void sim_observe(const void *data, size_t size);
void sim_observe_number(uint64_t number);

/* ---- a call ---- */

/* Logs the call, runs meanwhile, and decides whether it fails: 0 to go on, else a negative errno.
 * The place is a handle (or OS_NONE) and a name (or NULL). The call is closed by sim_end. */
struct sim_place {
    os_fd at;
    const char *name;
};
int sim_begin(enum sim_verb verb, struct sim_place place);
struct sim_call *sim_this_call(void);
int64_t sim_end(int64_t result);
/* Whether this call is to be done by half: see enum sim_effect. */
bool sim_call_is(enum sim_effect effect);
int sim_misused(const char *what); /* notes it; returns -EBADF */

/* ---- handles ---- */

struct sim_opening *sim_opening_of(os_fd fd); /* NULL, and a misuse, if it is not open here */
os_fd sim_handle_new(int inode, unsigned how, const char *path);
void sim_handle_close(struct sim_handle *handle);
void sim_end_lock(struct sim_opening *opening, int process);

/* ---- areas ---- */

void sim_areas_leave(int process); /* as its death does */
void sim_areas_end(void);          /* the machine stops */
uint64_t sim_areas_hash(void);     /* of all that they hold */

/* ---- looking up ---- */

/* The directory behind a handle (the root for OS_NONE), or a negative errno. */
int sim_dir_of(os_fd dir);
/* A single name in it, crossing mounts, permission checked: an inode or a negative errno. */
int sim_lookup(int dir, const char *name);
int sim_check_name(const char *name);
bool sim_may(const struct sim_inode *inode, unsigned bits); /* 4 read, 2 write, 1 search */
/* Add a name (SIM_NO_INODE), or remove or replace that of an inode. 0 or a negative errno. */
int sim_may_change(int dir, int inode);

/* The inode that a path names, or -errno. Where no link is followed, one at its end is the result
 * and one on the way gives -ELOOP. */
enum sim_follow { SIM_FOLLOW_ALL, SIM_FOLLOW_NONE };
int sim_resolve(int dir, const char *path, enum sim_follow follow);
/* The directory in which the last name of a path below `dir` lies, and that name. */
int sim_enter(int dir, const char **path, enum sim_follow follow);

/* ---- effects: on what is visible, and in the log ---- */

void sim_do_birth(int inode); /* an inode was made; its first name comes next */
void sim_do_size(int inode, uint64_t size);
void sim_do_meta(int inode, const struct sim_attributes *meta);
/* Names that change together; `moved` is what they are about. */
struct sim_naming {
    int dir;
    const char *name;
    int inode;
};
void sim_do_names(const struct sim_naming *namings, int count, int moved, bool over_existing);
void sim_do_write(int inode, const void *data, size_t size, uint64_t offset);
void sim_cover_file(int inode);
void sim_cover_content(int inode); /* neither its mode and owner, nor any name */
void sim_cover_dir(int dir);
void sim_poison_file(int inode);
void sim_poison_dir(int dir);
void sim_revert_file(int inode);

#endif
