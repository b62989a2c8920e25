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

void crowd_work(int number, size_t updates, void (*update)(int number, long value))
{
    uint32_t *times = calloc(updates, sizeof *times);
    int64_t start;
    pairs_must(times != NULL, "calloc");
    puts("ready");
    fflush(stdout);
    if (scanf("%" SCNd64, &start) != 1)
        exit(1); /* whoever measures is gone */
    wait_until(start);
    int64_t before = now_us();
    for (size_t i = 0; i < updates; i++) {
        update(number, (long)i + 1);
        int64_t after = now_us();
        times[i] = (uint32_t)(after - before);
        before = after;
    }
    printf("%zu %" PRId64 " %zu\n", updates, before, updates);
    for (size_t i = 0; i < updates; i++)
        printf("%" PRIu32 "\n", times[i]);
    free(times);
}

/* ---- all of them ---- */

struct process {
    pid_t id;
    FILE *lines; /* what it says, and what it is told */
};

static void start(const char *const *command, int number, size_t updates, struct process *process)
{
    const char *arguments[CROWD_WORDS + 3];
    char digits[2][32];
    int sockets[2], count = 0;
    posix_spawn_file_actions_t actions;
    snprintf(digits[0], sizeof digits[0], "%d", number);
    snprintf(digits[1], sizeof digits[1], "%zu", updates);
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

/* The times of one process go to `times`. Returns when it was done. */
static int64_t gather(struct process *process, size_t updates, uint32_t *times, long *ret_last)
{
    size_t count;
    int64_t end;
    int status;
    pairs_must(fscanf(process->lines, "%ld %" SCNd64 " %zu", ret_last, &end, &count) == 3,
               "one of the writers");
    pairs_must(count == updates, "one of the writers: all of its updates");
    for (size_t i = 0; i < count; i++)
        pairs_must(fscanf(process->lines, "%" SCNu32, &times[i]) == 1, "a time");
    fclose(process->lines);
    while (waitpid(process->id, &status, 0) < 0)
        pairs_must(errno == EINTR, "waitpid");
    pairs_must(status == 0, "one of the writers");
    return end;
}

void crowd_run(const char *const *command, int writers, size_t updates, struct crowd *ret_crowd)
{
    struct process processes[CROWD_MOST];
    size_t all = (size_t)writers * updates;
    uint32_t *times = calloc(all, sizeof *times);
    int64_t end = 0;
    int ready;
    pairs_must(times != NULL, "calloc");
    *ret_crowd = (struct crowd){.writers = writers, .updates = all};
    for (int i = 0; i < writers; i++)
        start(command, i, updates, &processes[i]);
    for (int i = 0; i < writers; i++) {
        ready = 0;
        pairs_must(fscanf(processes[i].lines, "ready%n", &ready) == 0 && ready > 0, command[0]);
    }
    int64_t begin = now_us() + START_IN_US;
    for (int i = 0; i < writers; i++)
        pairs_must(dprintf(fileno(processes[i].lines), "%" PRId64 "\n", begin) > 0, "start");
    for (int i = 0; i < writers; i++) {
        int64_t own =
            gather(&processes[i], updates, times + (size_t)i * updates, &ret_crowd->last[i]);
        end = own > end ? own : end;
    }
    pairs_must(end > begin, "an end after the start");
    qsort(times, all, sizeof *times, compare);
    ret_crowd->rate = (double)all * 1e6 / (double)(end - begin);
    ret_crowd->p50_us = times[all / 2];
    ret_crowd->p99_us = times[all - 1 - all / 100];
    free(times);
}
