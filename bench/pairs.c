#include "pairs.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char *program = "bench";
static bool quick;

bool pairs_is_quick(void)
{
    return quick;
}

void pairs_must(bool succeeded, const char *what)
{
    if (succeeded)
        return;
    fprintf(stderr, "%s: %s failed: %s\n", program, what, strerror(errno));
    exit(1);
}

void pairs_spawn(const char *const *arguments)
{
    pid_t child;
    int status = -1;
    errno = posix_spawnp(&child, arguments[0], NULL, NULL, (char *const *)arguments, environ);
    pairs_must(errno == 0, arguments[0]);
    while (waitpid(child, &status, 0) < 0)
        pairs_must(errno == EINTR, "waitpid");
    if (status == 0)
        return;
    fprintf(stderr, "%s: %s ended with status %#x\n", program, arguments[0], (unsigned)status);
    exit(1);
}

bool pairs_is_in_path(const char *command)
{
    char name[4096];
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t size = strcspn(path, ":");
        snprintf(name, sizeof name, "%.*s/%s", (int)size, path, command);
        if (access(name, X_OK) == 0)
            return true;
        path += size + (path[size] == ':');
    }
    return false;
}

/* ---- the arithmetic ---- */

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Between the two nearest where the place falls between them. */
static double quantile(const double *sorted, size_t count, double part)
{
    double place = part * (double)(count - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

static double value_of(const struct pairs_times *times, enum pairs_unit unit)
{
    switch (unit) {
    case PAIRS_RATIO:
        return times->ours / times->theirs;
    case PAIRS_DIFFERENCE:
        return times->ours - times->theirs;
    case PAIRS_TIMES:
        return times->theirs / times->ours;
    default:
        return times->ours;
    }
}

enum column { OURS, THEIRS, CONTROL, VALUE };

static double take(const struct pairs_times *times, enum column column, enum pairs_unit unit)
{
    switch (column) {
    case OURS:
        return times->ours;
    case THEIRS:
        return times->theirs;
    case CONTROL:
        return times->ours / times->again;
    default:
        return value_of(times, unit);
    }
}

struct pairs_result pairs_summarise(const struct pairs_times *times, size_t count,
                                    enum pairs_unit unit)
{
    struct pairs_result result = {.count = count};
    double *sorted = malloc(count * sizeof *sorted);
    double *const medians[] = {&result.ours, &result.theirs, &result.control, &result.value};
    pairs_must(sorted != NULL, "malloc");
    for (int column = OURS; column <= VALUE; column++) {
        for (size_t i = 0; i < count; i++)
            sorted[i] = take(&times[i], (enum column)column, unit);
        qsort(sorted, count, sizeof *sorted, compare);
        *medians[column] = quantile(sorted, count, 0.5);
    }
    result.low = quantile(sorted, count, 0.25); /* of the values, which came last */
    result.high = quantile(sorted, count, 0.75);
    free(sorted);
    return result;
}

static double distance(const struct pairs_result *result)
{
    return fabs(result->control - 1);
}

bool pairs_is_steady(const struct pairs_result *result)
{
    return distance(result) <= PAIRS_TOLERANCE;
}

/* ---- measuring ---- */

static double clock_us(bool computes)
{
    struct timespec time;
    clock_gettime(computes ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static double (*now)(bool computes) = clock_us; /* a test brings its own */

static double time_of(const struct pairs_row *row, void (*side)(void), int batch)
{
    double start = now(row->computes);
    for (int i = 0; i < batch; i++)
        side();
    return (now(row->computes) - start) / batch;
}

static void measure_pair(const struct pairs_row *row, int batch, unsigned turn,
                         struct pairs_times *ret_times)
{
    /* 0 ours, 1 theirs, 2 ours again: each comes equally often first, and after each other. */
    static const char orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                      {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
    double *const times[] = {&ret_times->ours, &ret_times->theirs, &ret_times->again};
    for (int i = 0; i < 3; i++) {
        int slot = orders[turn % 6][i];
        *times[slot] = time_of(row, slot == 1 ? row->theirs : row->ours, batch);
    }
}

static struct pairs_result measure(const struct pairs_row *row, unsigned *ret_runs)
{
    size_t count = quick ? PAIRS_QUICK : (size_t)(row->count ? row->count : PAIRS_COUNT);
    int batch = quick || row->batch == 0 ? 1 : row->batch;
    struct pairs_times *times = malloc(count * sizeof *times);
    struct pairs_result best = {.control = INFINITY};
    pairs_must(times != NULL, "malloc");
    for (unsigned turn = 0; turn < (quick ? 1 : 6); turn++) /* warm up */
        measure_pair(row, 1, turn, &times[0]);
    for (*ret_runs = 1;; ++*ret_runs) {
        for (size_t i = 0; i < count; i++)
            measure_pair(row, batch, (unsigned)i, &times[i]);
        struct pairs_result result = pairs_summarise(times, count, row->unit);
        if (distance(&result) < distance(&best))
            best = result;
        if (quick || pairs_is_steady(&best) || *ret_runs == PAIRS_RUNS)
            break;
    }
    free(times);
    return best;
}

/* ---- the program ---- */

/* The texts are literals of ours without anything to escape. */
static void run_row(const struct pairs_row *row)
{
    static const char *const units[] = {"ratio", "difference", "time", "times"};
    if (row->command && !pairs_is_in_path(row->command)) {
        printf("{\"row\": \"%s\", \"skipped\": \"%s is missing\"}\n", row->name, row->command);
        return;
    }
    unsigned runs;
    if (row->prepare)
        row->prepare();
    struct pairs_result result = measure(row, &runs);
    printf("{\"row\": \"%s\", \"peer\": \"%s\", \"unit\": \"%s\", \"target\": %g, ", row->name,
           row->peer, units[row->unit], row->target);
    printf("\"journaled\": %s, \"ext4_target\": %g, ", row->journaled ? "true" : "false",
           row->ext4_target);
    printf("\"ours_us\": %.3f, \"theirs_us\": %.3f, ", result.ours, result.theirs);
    printf("\"value\": %.4f, \"low\": %.4f, \"high\": %.4f, ", result.value, result.low,
           result.high);
    printf("\"control\": %.4f, \"steady\": %s, \"pairs\": %zu, \"runs\": %u}\n", result.control,
           pairs_is_steady(&result) ? "true" : "false", result.count, runs);
    fflush(stdout);
}

int pairs_main(int argc, char **argv, const struct pairs_row *rows, size_t count)
{
    const char *only = "", *directory = NULL;
    program = argv[0];
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            quick = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else
            directory = argv[i];
    }
    if (!directory) {
        fprintf(stderr, "usage: %s [--quick] [--only TEXT] DIRECTORY\n", program);
        return 2;
    }
    pairs_must(chdir(directory) == 0, directory);
    for (size_t i = 0; i < count; i++)
        if (strstr(rows[i].name, only))
            run_row(&rows[i]);
    return 0;
}
