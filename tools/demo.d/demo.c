/* demo DIRECTORY [KILLS [UPDATES]]: counts what is lost with and without untorn.
 * Ends with 0 if untorn lost nothing, 1 if it did, 2 if the demo could not run. */
#include "demo.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <untorn.h>

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
        printf("   %-10s %4ld whole, %4ld torn, %4ld empty", names[i], result->whole, result->torn,
               result->empty);
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
               demo->updates - results[i].lost, results[i].lost);
    printf("\n");
}

static void print_table(const struct demo *demo, const struct kill_result kills[SAVES],
                        const struct update_result updates[UPDATES])
{
    printf("%62s %11s\n", "lost before", "lost after");
    printf("%5ld %-44s %11ld %11ld\n", demo->kills, "saves, killed: open(\"w\")",
           kill_result_lost(&kills[PLAIN_SAVE]), kill_result_lost(&kills[UNTORN_SAVE]));
    printf("%5ld %-44s %11ld %11ld\n", demo->updates, "updates, 16 at once: open(\"w\")",
           updates[PLAIN_UPDATE].lost, updates[UNTORN_UPDATE].lost);
    printf("%5ld %-44s %11ld %11ld\n\n", demo->updates, "updates, 16 at once: new file, rename",
           updates[RENAME_UPDATE].lost, updates[UNTORN_UPDATE].lost);
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

    printf("1. A program saves %zu KB over and over, and is killed with SIGKILL, %ld times.\n",
           demo_payload_size() / 1000, demo.kills);
    fflush(stdout);
    demo_kills(&demo, kills);
    print_kills(&demo, kills);

    printf("2. %d processes make %ld updates to one file.\n", PROCESSES, demo.updates);
    fflush(stdout);
    demo_updates(&demo, updates);
    print_updates(&demo, updates);

    print_table(&demo, kills, updates);
    bool good = kill_result_lost(&kills[UNTORN_SAVE]) == 0 && !*kills[UNTORN_SAVE].left &&
                updates[UNTORN_UPDATE].lost == 0 && updates[UNTORN_UPDATE].twice == 0;
    puts(good ? "With untorn nothing was lost." : "untorn BROKE ITS PROMISE: please report this.");
    return good ? 0 : 1;
}
