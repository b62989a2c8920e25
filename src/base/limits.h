/* Every limit of the library, in one place. A loop, wait, retry or buffer that is not bounded by
 * the size of what the caller gave is bounded by one of these. */
#ifndef UNTORN_LIMITS_H
#define UNTORN_LIMITS_H

enum {
    LIMIT_NAME = 255,     /* bytes of one file name, on every file system we know */
    LIMIT_PATH = 4096,    /* bytes of a path the kernel takes in one call, NUL included */
    LIMIT_LINKS = 40,     /* symbolic links followed to one target; what the kernel allows */
    LIMIT_SUFFIX = 17,    /* "." and 16 random digits behind a name of ours */
    LIMIT_NEST = 64,      /* locks of one file inside each other across processes */
    LIMIT_RESTARTS = 100, /* times a call starts over because someone else replaced the file */
    LIMIT_TRIES = 32,     /* fresh random names, re-created folders, EINTR without progress */
    LIMIT_SWEEP = 64,     /* dead stages removed by one call */
    LIMIT_DAMAGED = 8,    /* damaged versions of one name that are kept aside */
    LIMIT_LISTING = 4096, /* names looked at in one of our folders by one call */
    LIMIT_KEPT = 1000,    /* earlier versions of one file */
    LIMIT_OWNER_RECORD = 1024,
    LIMIT_CHUNK = 256 * 1024,
    LIMIT_STRETCH = 8 * 1024, /* bytes compared at a time; a multiple of what a disk writes whole */
    LIMIT_INHERITED = 512,    /* locks named in UNTORN_LOCK */
    LIMIT_INLINE =
        64 * 1024, /* bytes of a member that lie in the slot itself; larger ones do not */
    LIMIT_INLINE_ALL = 4 * 1024 * 1024, /* of all members in one slot */
    LIMIT_SLOT = 64 * 1024 * 1024,      /* bytes of a slot behind its header */
    LIMIT_MEMBERS = 65536,              /* files that change together */
    LIMIT_OPEN_MEMBERS = 48,            /* of more members than this only the locks are kept open */
    LIMIT_RECORDS = 64,                 /* commits of several files that one directory remembers */
    LIMIT_RECORD = 16 * 1024 * 1024,    /* bytes of what it remembers of one */
    LIMIT_REMEMBERED = 4096,            /* members in all records that one commit leaves */
    LIMIT_NARROWED = 256,               /* directories whose records are closed with a file */
    LIMIT_STEPS = 16384,   /* changes by which one value becomes another, not as a whole */
    LIMIT_KEY_STEPS = 64,  /* of a key in the schema of a configuration */
    LIMIT_MATCHES = 65536, /* pairs of elements that are compared to find what stays */
};

#define LIMIT_POLL_NS 500000ull      /* between two looks at a lock that is taken */
#define LIMIT_YIELD_NS 1000000ull    /* we step back this long after waiters announced themselves */
#define LIMIT_TAKEN_NS 2000000000ull /* for an update that another process has begun to make */
#define LIMIT_UNCALLED_NS 10000000ull /* then who waits tries for the lock uncalled */
#define LIMIT_GATHER_NS 500000ull     /* the holder waits for those it has just served */
#define LIMIT_ONCE_NS 2000000ull      /* "try once": others may hold it for the moment of a look */
#define LIMIT_OUT_OF_ORDER_NS 250000000ull   /* for a lock that comes before one we hold already */
#define LIMIT_DIRECTORY_LOCK_NS 100000000ull /* then we go on without it */
#define LIMIT_SCANNED (64ull << 20)          /* a larger version is judged by its ends alone */
#define LIMIT_RESCANNED (256ull << 20)       /* bytes scanned again and again for those changes */
#define LIMIT_CONTENT (1ull << 40)           /* bytes of one file */

#endif
