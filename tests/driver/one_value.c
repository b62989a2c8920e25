/* one_value: many processes ask for one key of a map at once, each with a UUID of its own.
 *
 *     one_value ensure FILE COUNT      by untorn_ensure: all must get the same
 *     one_value get-then-set FILE COUNT   look, then set what is missing: has to give several
 *     one_value removed FOLDER SECONDS    eight ensure keys of FOLDER/map.json without end, and its
 *                                         folder is removed underneath, again and again
 *
 * Prints what came of it; ends with 0 if all got the same value, and the file has it; or, where the
 * folder is removed, if the map was whole or missing at every look, and everybody ended with an
 * answer.
 */
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <untorn.h>

enum { MOST = 256, WORKERS = 8, KEYS = 5, LOOK_US = 500, HANG_SECONDS = 60 };

struct answer {
    int rc;
    char value[UNTORN_UUID_SIZE];
};

static struct untorn_edit edit_of(const char *key, const char *value)
{
    return (struct untorn_edit){
        .key = key, .value = value, .value_size = strlen(value), .syntax = UNTORN_AS_STRING};
}

static void keep(const struct untorn_node *node, struct answer *answer)
{
    snprintf(answer->value, sizeof answer->value, "%s", untorn_node_text(node, NULL));
}

static struct answer by_ensure(const char *file, const char *key, const char *uuid)
{
    struct untorn_edit edit = edit_of(key, uuid);
    struct untorn_document *document;
    const struct untorn_node *node;
    struct answer answer = {0};
    answer.rc = untorn_ensure(file, &edit, NULL, NULL, &document, &node, NULL);
    if (answer.rc == 0)
        keep(node, &answer);
    untorn_document_free(document);
    return answer;
}

static struct answer by_get_then_set(const char *file, const char *key, const char *uuid)
{
    struct untorn_edit edit = edit_of(key, uuid);
    struct untorn_document *document;
    const struct untorn_node *node;
    struct answer answer = {0};
    if (untorn_get(file, &edit, NULL, NULL, &document, &node, NULL) == 0) {
        keep(node, &answer);
    } else {
        nanosleep(&(struct timespec){0, LOOK_US * 1000}, NULL);
        answer.rc = untorn_edit(file, &edit, 1, NULL, NULL, NULL);
        snprintf(answer.value, sizeof answer.value, "%s", uuid);
    }
    untorn_document_free(document);
    return answer;
}

/* ---- one key ---- */

typedef struct answer way(const char *file, const char *key, const char *uuid);

static void start(const char *file, int count, way *ask, int answers)
{
    int gate[2];
    char byte;
    if (pipe(gate) != 0)
        exit(125);
    for (int i = 0; i < count; i++) {
        char uuid[UNTORN_UUID_SIZE];
        if (fork() != 0)
            continue;
        close(gate[1]);
        untorn_uuid(uuid);
        (void)!read(gate[0], &byte, 1); /* until all are there */
        struct answer answer = ask(file, "k", uuid);
        _exit(write(answers, &answer, sizeof answer) == sizeof answer ? 0 : 1);
    }
    close(gate[0]);
    close(gate[1]);
}

static int ask_all(const char *file, int count, way *ask)
{
    struct answer answers[MOST], now;
    int pipes[2], different = 0, failed = 0;
    if (pipe(pipes) != 0)
        return 125;
    start(file, count, ask, pipes[1]);
    for (int i = 0; i < count; i++) {
        bool known = false;
        if (read(pipes[0], &answers[i], sizeof *answers) != sizeof *answers)
            return 125;
        failed += answers[i].rc != 0;
        for (int k = 0; k < i; k++)
            known |= strcmp(answers[k].value, answers[i].value) == 0;
        different += !known;
    }
    while (wait(NULL) > 0)
        ;
    now = by_ensure(file, "k", "none");
    printf("    %d processes got %d different values, %d failed\n", count, different, failed);
    return different == 1 && failed == 0 && strcmp(now.value, answers[0].value) == 0 ? 0 : 1;
}

/* ---- a folder that is removed ---- */

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
    (void)stat, (void)type, (void)walk;
    (void)remove(path);
    return 0;
}

/* What an honest answer is here. */
static bool is_honest(int rc)
{
    return rc >= 0 || rc == -UNTORN_MISSING || rc == -UNTORN_RESTLESS || rc == -UNTORN_NO_STATE ||
           rc == -UNTORN_LOCKED;
}

static void work(const char *file, time_t end)
{
    int strange = 0;
    alarm(HANG_SECONDS);
    for (int i = 0; time(NULL) < end; i++) {
        char key[16], uuid[UNTORN_UUID_SIZE];
        struct untorn_document *document = NULL;
        snprintf(key, sizeof key, "k%d", i % KEYS);
        untorn_uuid(uuid);
        struct answer answer = by_ensure(file, key, uuid);
        int looked = untorn_document_read(file, NULL, UNTORN_JSON, &document, NULL);
        untorn_document_free(document);
        if (!is_honest(answer.rc) || (looked != 0 && looked != -UNTORN_MISSING)) {
            fprintf(stderr, "ensure %s, read %s\n", untorn_status_name(abs(answer.rc)),
                    untorn_status_name(abs(looked)));
            strange = 1;
        }
    }
    _exit(strange);
}

static int remove_underneath(const char *folder, int seconds)
{
    char file[512];
    time_t end = time(NULL) + seconds;
    int status, failed = 0, removed = 0;
    snprintf(file, sizeof file, "%s/map.json", folder);
    for (int i = 0; i < WORKERS; i++)
        if (fork() == 0)
            work(file, end);
    while (time(NULL) < end) {
        mkdir(folder, 0777);
        nanosleep(&(struct timespec){0, 5000 * 1000}, NULL);
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        removed++;
    }
    while (wait(&status) > 0)
        failed += status != 0;
    mkdir(folder, 0777);
    struct answer last = by_ensure(file, "k", "last");
    printf("    removed %d times, %d of %d failed\n", removed, failed, WORKERS);
    return failed == 0 && removed > 5 && last.rc == 0 ? 0 : 1;
}

int main(int count, char **values)
{
    int number = count == 4 ? atoi(values[3]) : 0;
    if (number < 1 || number > MOST) {
        fprintf(stderr, "one_value: see the head of one_value.c\n");
        return 125;
    }
    if (strcmp(values[1], "ensure") == 0)
        return ask_all(values[2], number, by_ensure);
    if (strcmp(values[1], "get-then-set") == 0)
        return ask_all(values[2], number, by_get_then_set);
    return strcmp(values[1], "removed") == 0 ? remove_underneath(values[2], number) : 125;
}
