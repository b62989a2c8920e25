#include "crowd.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pairs.h"

extern char **environ;

enum { START_IN_US = 5000 }; /* until all have read when to start */

static int64_t now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/* ---- one of them ---- */

static void wait_until(int64_t start)
{
    struct timespec time = {.tv_sec = start / 1000000, .tv_nsec = start % 1000000 * 1000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        continue;
}

void crowd_work(int number, double seconds, void (*update)(int number, long value))
{
    static uint32_t times[CROWD_UPDATES];
    int64_t start;
    size_t count = 0, inside = 0;
    puts("ready");
    fflush(stdout);
    if (scanf("%" SCNd64, &start) != 1)
        exit(1); /* whoever measures is gone */
    int64_t end = start + (int64_t)(seconds * 1e6);
    wait_until(start);
    for (int64_t before = now_us(); before < end && count < CROWD_UPDATES;) {
        update(number, (long)count + 1);
        int64_t after = now_us();
        times[count++] = (uint32_t)(after - before);
        inside += after <= end;
        before = after;
    }
    printf("%zu %zu %zu\n", count, inside, count);
    for (size_t i = 0; i < count; i++)
        printf("%" PRIu32 "\n", times[i]);
}

/* ---- all of them ---- */

struct process {
    pid_t id;
    FILE *lines; /* what it says, and what it is told */
};

static void start(const char *const *command, int number, double seconds, struct process *process)
{
    const char *arguments[CROWD_WORDS + 3];
    char digits[2][32];
    int sockets[2], count = 0;
    posix_spawn_file_actions_t actions;
    snprintf(digits[0], sizeof digits[0], "%d", number);
    snprintf(digits[1], sizeof digits[1], "%g", seconds);
    while (command[count] && count < CROWD_WORDS) {
        arguments[count] = command[count];
        count++;
    }
    arguments[count] = digits[0];
    arguments[count + 1] = digits[1];
    arguments[count + 2] = NULL;
    pairs_must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0, "socketpair");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, sockets[1], 0);
    posix_spawn_file_actions_adddup2(&actions, sockets[1], 1);
    errno =
        posix_spawnp(&process->id, command[0], &actions, NULL, (char *const *)arguments, environ);
    pairs_must(errno == 0, command[0]);
    posix_spawn_file_actions_destroy(&actions);
    close(sockets[1]);
    process->lines = fdopen(sockets[0], "r");
    pairs_must(process->lines != NULL, "fdopen");
}

static int compare(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Adds the times of one process behind those of the others. */
static uint32_t *gather(struct process *process, uint32_t *times, size_t *used, long *ret_last,
                        size_t *ret_inside)
{
    size_t count;
    int status;
    pairs_must(fscanf(process->lines, "%ld %zu %zu", ret_last, ret_inside, &count) == 3,
               "one of the writers");
    times = realloc(times, (*used + count + 1) * sizeof *times);
    pairs_must(times != NULL, "malloc");
    for (size_t i = 0; i < count; i++)
        pairs_must(fscanf(process->lines, "%" SCNu32, &times[(*used)++]) == 1, "a time");
    fclose(process->lines);
    while (waitpid(process->id, &status, 0) < 0)
        pairs_must(errno == EINTR, "waitpid");
    pairs_must(status == 0, "one of the writers");
    return times;
}

void crowd_run(const char *const *command, int writers, double seconds, struct crowd *ret_crowd)
{
    struct process processes[CROWD_MOST];
    uint32_t *times = NULL;
    size_t used = 0, inside = 0, own;
    int ready;
    *ret_crowd = (struct crowd){.writers = writers};
    for (int i = 0; i < writers; i++)
        start(command, i, seconds, &processes[i]);
    for (int i = 0; i < writers; i++) {
        ready = 0;
        pairs_must(fscanf(processes[i].lines, "ready%n", &ready) == 0 && ready > 0, command[0]);
    }
    int64_t begin = now_us() + START_IN_US;
    for (int i = 0; i < writers; i++)
        pairs_must(dprintf(fileno(processes[i].lines), "%" PRId64 "\n", begin) > 0, "start");
    for (int i = 0; i < writers; i++) {
        times = gather(&processes[i], times, &used, &ret_crowd->last[i], &own);
        inside += own;
        ret_crowd->served += own > 0;
    }
    pairs_must(used > 0, "an update");
    qsort(times, used, sizeof *times, compare);
    ret_crowd->updates = used;
    ret_crowd->rate = (double)(inside ? inside : 1) / seconds; /* never 0: it is divided by */
    ret_crowd->p50_us = times[used / 2];
    ret_crowd->p99_us = times[used - 1 - used / 100];
    free(times);
}
