/* Part 2. Processes add their numbers to a list in one JSON file, each as often as the others, in
 * three ways. A number that is not in the list at the end is a lost update. */
#include "demo.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <untorn.h>

enum { PATIENCE = 20 }; /* times a file that makes no sense is read again */

static const char empty_list[] = "{\"numbers\": []}\n";
static const char list_end[] = "]}\n";

static bool is_list(const char *text, size_t size)
{
    size_t head = sizeof empty_list - sizeof list_end, end = sizeof list_end - 1;
    return size >= sizeof empty_list - 1 && memcmp(text, empty_list, head) == 0 &&
           memcmp(text + size - end, list_end, end) == 0;
}

/* The list with one number more; new. */
static char *with_number(const char *text, size_t size, long number, size_t *ret_size)
{
    char *result = malloc(size + 40);
    size_t kept = size - (sizeof list_end - 1);
    if (!result)
        demo_die("memory");
    memcpy(result, text, kept);
    *ret_size = kept + (size_t)sprintf(result + kept, "%s%ld%s", text[kept - 1] == '[' ? "" : ", ",
                                       number, list_end);
    return result;
}

/* A file that stays unreadable is taken for an empty list, as programs do that treat a JSON error
 * like a missing file. */
static char *read_list(const char *path, size_t *ret_size)
{
    static const struct timespec moment = {.tv_nsec = 100000};
    for (int i = 0; i < PATIENCE; i++) {
        char *text = demo_read(path, ret_size);
        if (text && is_list(text, *ret_size))
            return text;
        free(text);
        nanosleep(&moment, NULL);
    }
    *ret_size = sizeof empty_list - 1;
    return strdup(empty_list);
}

static bool write_text(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    bool good = file && fwrite(text, 1, size, file) == size;
    return file && fclose(file) == 0 && good;
}

static bool update_plain(const char *path, long number)
{
    size_t size, new_size;
    char *old = read_list(path, &size), *new = with_number(old, size, number, &new_size);
    bool good = write_text(path, new, new_size);
    free(old);
    free(new);
    return good;
}

static bool update_by_rename(const char *path, long number)
{
    char own[4200];
    size_t size, new_size;
    char *old = read_list(path, &size), *new = with_number(old, size, number, &new_size);
    snprintf(own, sizeof own, "%s.%ld", path, number);
    bool good = write_text(own, new, new_size) && rename(own, path) == 0;
    free(old);
    free(new);
    return good;
}

static int add_number(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    const long *number = context;
    size_t size;
    if (!old || !is_list(old->data, old->size))
        return 1;
    char *new = with_number(old->data, old->size, *number, &size);
    untorn_change_give(change, new, size);
    return 0;
}

static bool update_untorn(const char *path, long number)
{
    struct untorn_options patient = {.wait_ms = 60000};
    return untorn_update(path, add_number, &number, &patient, NULL) == 0;
}

struct way {
    const char *name, *file;
    bool (*update)(const char *path, long number);
};

static const struct way ways[UPDATES] = {
    {"read, change, open(\"w\")", "open.json", update_plain},
    {"read, change, new file, rename", "rename.json", update_by_rename},
    {"untorn_update", "update.json", update_untorn},
};

const char *demo_update_name(int way)
{
    return ways[way].name;
}

struct board {
    atomic_bool go;
    atomic_long done;
    double end;          /* when to stop */
    char acknowledged[]; /* by number */
};

static _Noreturn void work(const struct way *way, const char *path, struct board *board, long first,
                           long count)
{
    static const struct timespec moment = {.tv_nsec = 100000};
    while (!atomic_load(&board->go))
        nanosleep(&moment, NULL);
    for (long i = first; i < first + count && demo_clock() < board->end; i++) {
        if (!way->update(path, i))
            _exit(1);
        board->acknowledged[i] = 1;
        atomic_fetch_add(&board->done, 1);
    }
    _exit(0);
}

static void watch(const struct demo *demo, const struct way *way, const struct board *board)
{
    static const struct timespec moment = {.tv_nsec = 20000000};
    for (int running = PROCESSES; running > 0;) {
        int status;
        pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended < 0)
            demo_die("wait");
        if (ended > 0 && status != 0) {
            errno = ECHILD;
            demo_die("an update failed");
        }
        running -= ended > 0;
        if (ended > 0)
            continue;
        demo_progress(demo, "   %s: %ld of %ld", way->name, atomic_load(&board->done),
                      demo->updates);
        nanosleep(&moment, NULL);
    }
}

static struct update_result count(const struct demo *demo, const char *path,
                                  const struct board *board)
{
    struct update_result result = {0};
    size_t size;
    char *text = demo_read(path, &size);
    unsigned char *seen = calloc((size_t)demo->updates, 1);
    if (!seen)
        demo_die("memory");
    if (text && is_list(text, size)) {
        char *at = text + sizeof empty_list - sizeof list_end, *next;
        for (long number; number = strtol(at, &next, 10), next > at; at = next + 1) {
            if (number >= 0 && number < demo->updates)
                result.twice += seen[number]++ > 0;
            if (*next != ',')
                break;
        }
    }
    for (long i = 0; i < demo->updates; i++) {
        result.made += board->acknowledged[i];
        result.lost += board->acknowledged[i] && !seen[i];
    }
    free(seen);
    free(text);
    return result;
}

void demo_updates(const struct demo *demo, struct update_result results[UPDATES])
{
    for (int i = 0; i < UPDATES; i++) {
        struct board *board = demo_share(sizeof *board + (size_t)demo->updates);
        char path[4096];
        long each = demo->updates / PROCESSES;
        snprintf(path, sizeof path, "%s/%s", demo->directory, ways[i].file);
        if (!write_text(path, empty_list, sizeof empty_list - 1))
            demo_die(path);
        for (int process = 0; process < PROCESSES; process++) {
            pid_t child = fork();
            if (child < 0)
                demo_die("fork");
            if (child == 0)
                work(&ways[i], path, board, process * each, each);
        }
        board->end = demo_clock() + UPDATE_SECONDS;
        atomic_store(&board->go, true);
        watch(demo, &ways[i], board);
        results[i] = count(demo, path, board);
    }
}
