/* What the two parts of the demo share. */
#ifndef DEMO_H
#define DEMO_H

#include <stdbool.h>
#include <stddef.h>

struct demo {
    const char *directory; /* an empty one, for the files */
    bool terminal;         /* progress is shown */
    long kills, updates;   /* how many of each; fewer where the disk is slow */
};

enum { KILL_SECONDS = 15, UPDATE_SECONDS = 8 }; /* then a part, and each way of it, ends */

/* Part 1: saves that are killed. */
enum { PLAIN_SAVE, UNTORN_SAVE, SAVES };
struct kill_result {
    long rounds, torn, empty, missing, outdated, whole;
    char left[300]; /* what was left behind, in words; empty: nothing */
};
void demo_kills(const struct demo *demo, struct kill_result results[SAVES]);
long kill_result_lost(const struct kill_result *result);
size_t demo_payload_size(void);

/* Part 2: updates of one file by many processes. */
enum { PLAIN_UPDATE, RENAME_UPDATE, UNTORN_UPDATE, UPDATES, PROCESSES = 16 };
struct update_result {
    long made, lost, twice;
};
const char *demo_update_name(int way);
void demo_updates(const struct demo *demo, struct update_result results[UPDATES]);

/* One line that is written over by the next; nothing unless on a terminal. */
void demo_progress(const struct demo *demo, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Seconds since some moment. */
double demo_clock(void);

/* Trouble with the demo itself, not with what it shows. */
_Noreturn void demo_die(const char *what);

/* Memory that child processes share; zeroed. */
void *demo_share(size_t size);

/* The whole file, new and terminated; NULL if there is none. */
char *demo_read(const char *path, size_t *ret_size);

#endif
