/* Every limit of the command, in one place. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

enum {
    CLI_PIECE = 256 * 1024,         /* bytes read, handed on and written at a time */
    CLI_PATH = 4096,                /* bytes of a path that is put together, NUL included */
    CLI_TEXT = 8192,                /* bytes of one message, its control characters not escaped */
    CLI_NAME = 64,                  /* bytes of a verb or option that spelling is compared for */
    CLI_LOCK_VALUE = 16 * 1024,     /* bytes of the environment variable UNTORN_LOCK */
    CLI_DIFF_BYTES = 64 << 20,      /* a larger version is summed up, not shown line by line */
    CLI_DIFF_EDITS = 1000,          /* lines that differ before the rest is shown as one block */
    CLI_DIFF_CONTEXT = 3,           /* unchanged lines shown around a change */
    CLI_KEEP = 1000,                /* the most --keep */
    CLI_EDITOR_WORDS = 64,          /* of an editor and its arguments */
    CLI_INTERRUPTIONS = 32,         /* of the writing of a draft */
    CLI_BATCH = 4096,               /* documents of a directory that are held to be sorted */
    CLI_PROGRESS_WIDTH = 72,        /* bytes of a line that tells how far it is */
    CLI_PROGRESS_AFTER_MS = 300,    /* until the first */
    CLI_PROGRESS_EVERY_MS = 100,    /* between two */
    CLI_WAIT_SECONDS = 1000 * 1000, /* the longest --wait */
};

#endif
