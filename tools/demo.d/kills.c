/* Part 1. A writer saves version after version of one document, by open("w") and by untorn, and
 * is killed after a random time, the same for both. What a reader then finds is judged. */
#include "demo.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <untorn.h>

/* The document: records of one width, each with the version in it, so that no mixture of two
 * versions looks like one. */
enum { RECORDS = 20000, WIDTH = 45, DIGITS_AT = 34, DIGITS = 8, SIZE = RECORDS * WIDTH };
enum { LONGEST_US = 15000, START_TRIES = 100000 };

static void stamp(char *document, long version)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%*ld", DIGITS, version);
    for (char *record = document; record < document + SIZE; record += WIDTH)
        memcpy(record + DIGITS_AT, digits, DIGITS);
}

static char *new_document(void)
{
    char *document = malloc(SIZE + 1);
    if (!document)
        demo_die("memory");
    for (int i = 0; i < RECORDS; i++)
        snprintf(document + i * WIDTH, WIDTH + 1, "%s{\"record\": %9d, \"version\": %*d}%s",
                 i == 0 ? "[" : " ", i, DIGITS, 0, i == RECORDS - 1 ? "]\n" : ",\n");
    return document;
}

size_t demo_payload_size(void)
{
    return SIZE;
}

/* Record by record through a buffer, as json.dump and its like write. */
static bool save_plain(const char *path, const char *document)
{
    FILE *file = fopen(path, "w");
    bool good = file != NULL;
    for (int i = 0; good && i < RECORDS; i++)
        good = fwrite(document + i * WIDTH, WIDTH, 1, file) == 1;
    return file && fclose(file) == 0 && good;
}

static bool save_untorn(const char *path, const char *document)
{
    return untorn_write(path, document, SIZE, NULL, NULL) == 0;
}

struct board { /* what a writer tells before it is killed */
    atomic_long begun, acknowledged;
};

struct contest {
    bool (*save)(const char *path, const char *document);
    char path[4096];
    struct board *board;
    long version;
    struct kill_result *result;
};

static _Noreturn void save_for_ever(const struct contest *contest, char *document, pid_t parent)
{
    for (long version = contest->version + 1; getppid() == parent; version++) {
        stamp(document, version);
        atomic_store(&contest->board->begun, version);
        if (!contest->save(contest->path, document))
            _exit(1);
        atomic_store(&contest->board->acknowledged, version);
    }
    _exit(0);
}

static void pause_us(long us)
{
    struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static void run_and_kill(const struct contest *contest, char *document, long delay_us)
{
    int status;
    pid_t parent = getpid(), child = fork();
    if (child < 0)
        demo_die("fork");
    if (child == 0)
        save_for_ever(contest, document, parent);
    for (long i = 0; i < START_TRIES && atomic_load(&contest->board->begun) <= contest->version;
         i++)
        pause_us(20);
    pause_us(delay_us);
    kill(child, SIGKILL);
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) {
        errno = ECHILD;
        demo_die("a writer ended before it was killed");
    }
}

/* False if the file has to be put right before the next round. */
static bool judge(struct contest *contest, char *document)
{
    size_t size;
    char *found = demo_read(contest->path, &size);
    struct kill_result *result = contest->result;
    long version = found && size == SIZE ? strtol(found + DIGITS_AT, NULL, 10) : -1;
    bool whole = false;
    if (version >= 0) {
        stamp(document, version);
        whole = memcmp(found, document, SIZE) == 0;
    }
    if (!found)
        result->missing++;
    else if (size == 0)
        result->empty++;
    else if (!whole)
        result->torn++;
    else if (version < atomic_load(&contest->board->acknowledged))
        result->outdated++;
    else
        result->whole++;
    free(found);
    contest->version = atomic_load(&contest->board->begun);
    return whole;
}

/* A writer that lives clears up behind the dead ones; then only the file and .untorn are there. */
static void look_for_leftovers(const struct demo *demo, struct contest *contest, char *document)
{
    char *left = contest->result->left;
    size_t room = sizeof contest->result->left, open = 0;
    struct untorn_check check = {0};
    struct dirent *entry;
    if (!contest->save(contest->path, document))
        snprintf(left, room, "the next writer failed");
    if (untorn_check(demo->directory, &check, NULL, &open, NULL) != 0 || open > 0)
        snprintf(left, room, "%zu things in .untorn", open);
    DIR *directory = opendir(demo->directory);
    while (directory && (entry = readdir(directory)) != NULL)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "untorn.json") != 0 &&
            strcmp(entry->d_name, "plain.json") != 0)
            snprintf(left, room, "%s", entry->d_name);
    if (directory)
        closedir(directory);
}

long kill_result_lost(const struct kill_result *result)
{
    return result->torn + result->empty + result->missing + result->outdated;
}

void demo_kills(const struct demo *demo, struct kill_result results[SAVES])
{
    char *document = new_document();
    struct contest contests[SAVES] = {{.save = save_plain}, {.save = save_untorn}};
    static const char *const names[SAVES] = {"plain.json", "untorn.json"};
    unsigned seed = 1;
    for (int i = 0; i < SAVES; i++) {
        snprintf(contests[i].path, sizeof contests[i].path, "%s/%s", demo->directory, names[i]);
        contests[i].board = demo_share(sizeof(struct board));
        contests[i].result = &results[i];
        if (!save_plain(contests[i].path, document))
            demo_die(contests[i].path);
    }
    double end = demo_clock() + KILL_SECONDS;
    for (long round = 1; round <= demo->kills && demo_clock() < end; round++) {
        long delay_us = rand_r(&seed) % LONGEST_US;
        for (int i = 0; i < SAVES; i++) {
            run_and_kill(&contests[i], document, delay_us);
            results[i].rounds++;
            if (!judge(&contests[i], document) && !save_plain(contests[i].path, document))
                demo_die(contests[i].path);
        }
        demo_progress(demo, "   killed %ld times: open(\"w\") %ld torn or empty, untorn %ld", round,
                      kill_result_lost(&results[PLAIN_SAVE]),
                      kill_result_lost(&results[UNTORN_SAVE]));
    }
    look_for_leftovers(demo, &contests[UNTORN_SAVE], document);
    free(document);
}
