/* demo DIRECTORY [KILLS [UPDATES]]: counts what is lost with and without untorn.
 * Ends with 0 if untorn lost nothing, 1 if it did, 2 if the demo could not run. */
#include "demo.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <untorn.h>

double demo_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void demo_die(const char *what)
{
    fprintf(stderr, "demo: %s: %s\n", what, strerror(errno));
    exit(2);
}

void *demo_share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        demo_die("shared memory");
    return memory;
}

char *demo_read(const char *path, size_t *ret_size)
{
    size_t room = 4096;
    char *data = malloc(room);
    FILE *file = fopen(path, "r");
    *ret_size = 0;
    if (!data || !file) {
        free(data);
        return NULL;
    }
    for (size_t n; (n = fread(data + *ret_size, 1, room - *ret_size - 1, file)) > 0;) {
        *ret_size += n;
        if (room - *ret_size > 1)
            continue;
        room *= 2;
        data = realloc(data, room);
        if (!data)
            demo_die("memory");
    }
    fclose(file);
    data[*ret_size] = '\0';
    return data;
}

void demo_progress(const struct demo *demo, const char *format, ...)
{
    if (!demo->terminal)
        return;
    va_list arguments;
    va_start(arguments, format);
    printf("\r\033[K");
    vprintf(format, arguments);
    va_end(arguments);
    fflush(stdout);
}

static void print_kills(const struct demo *demo, const struct kill_result results[SAVES])
{
    static const char *const names[SAVES] = {"open(\"w\")", "untorn"};
    demo_progress(demo, "%s", "");
    for (int i = 0; i < SAVES; i++) {
        const struct kill_result *result = &results[i];
        printf("   %-10s killed %ld times: %4ld whole, %4ld torn, %4ld empty", names[i],
               result->rounds, result->whole, result->torn, result->empty);
        if (result->missing + result->outdated > 0)
            printf(", %ld gone or older than acknowledged", result->missing + result->outdated);
        printf("\n");
    }
    const char *left = results[UNTORN_SAVE].left;
    printf("   left behind by untorn's dead writers: %s\n\n", *left ? left : "nothing");
}

static void print_updates(const struct demo *demo, const struct update_result results[UPDATES])
{
    demo_progress(demo, "%s", "");
    for (int i = 0; i < UPDATES; i++)
        printf("   %-32s %5ld kept, %5ld lost\n", demo_update_name(i),
               results[i].made - results[i].lost, results[i].lost);
    printf("\n");
}

static void print_row(const char *what, long lost_before, long of_before, long lost_after,
                      long of_after)
{
    char before[64], after[64];
    snprintf(before, sizeof before, "%ld of %ld", lost_before, of_before);
    snprintf(after, sizeof after, "%ld of %ld", lost_after, of_after);
    printf("%-48s %14s %14s\n", what, before, after);
}

static void print_table(const struct kill_result kills[SAVES],
                        const struct update_result updates[UPDATES])
{
    const struct kill_result *plain = &kills[PLAIN_SAVE], *whole = &kills[UNTORN_SAVE];
    const struct update_result *by_open = &updates[PLAIN_UPDATE], *after = &updates[UNTORN_UPDATE];
    const struct update_result *by_rename = &updates[RENAME_UPDATE];
    printf("%-48s %14s %14s\n", "", "lost before", "lost after");
    print_row("saves that were killed: open(\"w\")", kill_result_lost(plain), plain->rounds,
              kill_result_lost(whole), whole->rounds);
    print_row("updates, 16 processes at once: open(\"w\")", by_open->lost, by_open->made,
              after->lost, after->made);
    print_row("updates, 16 processes at once: new file, rename", by_rename->lost, by_rename->made,
              after->lost, after->made);
    printf("\n");
}

int main(int argc, char **argv)
{
    struct demo demo = {.directory = argc > 1 ? argv[1] : ".",
                        .terminal = isatty(STDOUT_FILENO),
                        .kills = argc > 2 ? atol(argv[2]) : 250,
                        .updates = argc > 3 ? atol(argv[3]) : 960};
    struct kill_result kills[SAVES] = {{0}};
    struct update_result updates[UPDATES] = {{0}};
    struct untorn_probe probe;
    if (demo.kills < 1 || demo.updates < PROCESSES)
        return 2;
    demo.updates -= demo.updates % PROCESSES;
    if (untorn_probe(demo.directory, &probe, NULL) != 0)
        demo_die(demo.directory);
    printf("On %s. No power is cut here: that is the work of make check.\n\n", probe.filesystem);

    printf("1. A program saves %zu KB over and over, and is killed with SIGKILL.\n",
           demo_payload_size() / 1000);
    fflush(stdout);
    demo_kills(&demo, kills);
    print_kills(&demo, kills);

    printf("2. %d processes update one file at once.\n", PROCESSES);
    fflush(stdout);
    demo_updates(&demo, updates);
    print_updates(&demo, updates);

    print_table(kills, updates);
    bool good = kill_result_lost(&kills[UNTORN_SAVE]) == 0 && !*kills[UNTORN_SAVE].left &&
                updates[UNTORN_UPDATE].lost == 0 && updates[UNTORN_UPDATE].twice == 0;
    puts(good ? "With untorn nothing was lost." : "untorn BROKE ITS PROMISE: please report this.");
    return good ? 0 : 1;
}
