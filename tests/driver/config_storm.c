/* config_storm: many processes and threads write one configuration at once, in all its scopes,
 * while others list it; then it is judged.
 *
 *     config_storm [--processes 16] [--threads 1] [--operations 100] [--readers 2]
 *                  [--command UNTORN] [--broken] [--apart]
 *
 * Each worker sets keys of its own and adds to one list that all share, in every scope in turn;
 * some of it nested in locks and in commits of two scopes. A reader's list must hold both sides of
 * a commit or none, and of each worker never less than before. With --command the workers are
 * processes of `untorn config`; with --broken they read, change and replace without a lock, and
 * with --apart the two sides of a commit are written one after the other: both must be noticed.
 * Prints the figures; ends with 0 if nothing is wrong, 1 if something is.
 */
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <untorn.h>

#include "history.h"

extern char **environ;

enum { SCOPES = 3, WORKERS = 256 };

static struct {
    int processes, threads, operations, readers;
    const char *command;
    bool broken, apart;
} storm = {.processes = 16, .threads = 1, .operations = 100, .readers = 2};

static const char *const files[SCOPES] = {"global.toml", "project.toml", "project.local.toml"};
static const struct untorn_options no_flush = {.level = UNTORN_CACHE, .wait_ms = 60000};

static void die(const char *what, const struct untorn_error *error)
{
    char text[UNTORN_TEXT_SIZE];
    printf("    broken: %s: %s\n", what, error ? untorn_describe(error, text, sizeof text) : "");
    fflush(stdout);
    _exit(1);
}

static struct untorn_config *open_config(void)
{
    struct untorn_config_setup setup = {
        .app = "storm",
        .paths = {[UNTORN_SCOPE_GLOBAL] = files[0], [UNTORN_SCOPE_PROJECT] = files[1]}};
    struct untorn_config *config;
    struct untorn_error error;
    if (untorn_config_open(&setup, &config, &error) != 0)
        die("open", &error);
    return config;
}

/* ---- writers ---- */

struct step {
    enum untorn_scope scope;
    char key[64], value[32], shared[32];
};

static struct step step_of(int worker, int number)
{
    struct step step = {.scope = (enum untorn_scope)(UNTORN_SCOPE_GLOBAL + number % SCOPES)};
    snprintf(step.key, sizeof step.key, "w%d.s%d.n%d", worker, number % SCOPES,
             number / SCOPES % 7);
    snprintf(step.value, sizeof step.value, "%d", number);
    snprintf(step.shared, sizeof step.shared, "\"%d-%d\"", worker, number);
    return step;
}

static struct untorn_edit edit_of(const char *key, const char *value)
{
    return (struct untorn_edit){.kind = UNTORN_SET,
                                .key = key,
                                .value = value,
                                .value_size = strlen(value),
                                .syntax = UNTORN_AS_JSON};
}

static void spawn_command(const struct step *step)
{
    char shared[64];
    snprintf(shared, sizeof shared, "all[+]");
    const char *words[] = {storm.command,
                           "config",
                           "--app=storm",
                           "--file=global=global.toml",
                           "--file=project=project.toml",
                           "--level=cache",
                           "--wait=60",
                           "--json",
                           "set",
                           "--scope",
                           untorn_scope_name(step->scope),
                           step->key,
                           step->value,
                           shared,
                           step->shared,
                           NULL};
    pid_t child;
    int status;
    if (posix_spawn(&child, storm.command, NULL, NULL, (char *const *)words, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0)
        die("the command", NULL);
}

/* What the report had: read, change, replace, each whole by itself. */
static void write_broken(const struct untorn_edit *edits, size_t count, const char *path)
{
    struct untorn_document *document;
    struct untorn_error error;
    size_t size;
    if (untorn_document_read(path, NULL, 0, &document, &error) != 0)
        die("read", &error);
    if (untorn_document_edit(document, edits, count, &error) != 0)
        die("edit", &error);
    const char *text = untorn_document_text(document, &size);
    if (untorn_write(path, text, size, &no_flush, &error) != 0)
        die("write", &error);
    untorn_document_free(document);
}

/* Both scopes get the same number, in one commit. */
static int write_pair(struct untorn_config *config, int worker, int number,
                      struct untorn_error *error)
{
    char keys[2][32], value[32];
    snprintf(keys[0], sizeof keys[0], "left.w%d", worker);
    snprintf(keys[1], sizeof keys[1], "right.w%d", worker);
    snprintf(value, sizeof value, "%d", number);
    struct untorn_config_edit pair[2] = {{UNTORN_SCOPE_GLOBAL, edit_of(keys[0], value)},
                                         {UNTORN_SCOPE_LOCAL, edit_of(keys[1], value)}};
    if (!storm.apart)
        return untorn_config_write_scoped(config, pair, 2, &no_flush, error);
    int rc = untorn_config_write_scoped(config, pair, 1, &no_flush, error);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return rc == 0 ? untorn_config_write_scoped(config, pair + 1, 1, &no_flush, error) : rc;
}

static void write_once(struct untorn_config *config, int worker, int number)
{
    struct step step = step_of(worker, number);
    struct untorn_edit edits[2] = {edit_of(step.key, step.value), edit_of("all[+]", step.shared)};
    const char *path = files[step.scope - UNTORN_SCOPE_GLOBAL];
    struct untorn_lock *lock = NULL;
    struct untorn_error error;
    if (storm.command) {
        spawn_command(&step);
        return;
    }
    if (storm.broken) {
        write_broken(edits, 2, path);
        return;
    }
    if (number % 5 == 0 && untorn_lock(path, UNTORN_LOCK_EXCLUSIVE, &no_flush, &lock, &error) != 0)
        die("lock", &error);
    if (untorn_config_write(config, step.scope, edits, 2, &no_flush, &error) != 0)
        die("write", &error);
    untorn_unlock(lock);
    if (number % 4 == 0 && write_pair(config, worker, number, &error) != 0)
        die("write two scopes", &error);
}

static void *work(void *argument)
{
    int worker = (int)(intptr_t)argument;
    struct untorn_config *config = open_config();
    for (int i = 0; i < storm.operations; i++)
        write_once(config, worker, i);
    untorn_config_free(config);
    return NULL;
}

static void run_process(int process)
{
    pthread_t threads[WORKERS];
    for (int i = 0; i < storm.threads; i++)
        if (pthread_create(&threads[i], NULL, work,
                           (void *)(intptr_t)(process * storm.threads + i)) != 0)
            die("thread", NULL);
    for (int i = 0; i < storm.threads; i++)
        pthread_join(threads[i], NULL);
}

/* ---- readers ---- */

struct reading {
    long seen[WORKERS]; /* the highest number of each worker */
    long now[WORKERS];
    long left[WORKERS], right[WORKERS]; /* sides of one commit */
    long reads;
};

static int look(void *context, const struct untorn_config_entry *entry)
{
    struct reading *reading = context;
    int worker, scope, slot;
    int64_t number;
    if (sscanf(entry->key, "w%d.s%d.n%d", &worker, &scope, &slot) == 3 && worker < WORKERS &&
        untorn_node_integer(entry->node, &number) && number > reading->now[worker])
        reading->now[worker] = (long)number;
    if (sscanf(entry->key, "left.w%d", &worker) == 1 && untorn_node_integer(entry->node, &number))
        reading->left[worker] = (long)number + 1;
    if (sscanf(entry->key, "right.w%d", &worker) == 1 && untorn_node_integer(entry->node, &number))
        reading->right[worker] = (long)number + 1;
    return 0;
}

static void read_once(struct untorn_config *config, struct reading *reading)
{
    struct untorn_error error;
    memset(reading->now, 0, sizeof reading->now);
    memset(reading->left, 0, sizeof reading->left);
    memset(reading->right, 0, sizeof reading->right);
    if (untorn_config_list(config, look, reading, &error) != 0)
        die("list", &error);
    for (int i = 0; i < WORKERS; i++) {
        if (reading->now[i] < reading->seen[i])
            die("a list went back behind an earlier one", NULL);
        if (reading->left[i] != reading->right[i])
            die("a list has one side of a commit", NULL);
        reading->seen[i] = reading->now[i];
    }
    reading->reads++;
}

static void read_on(int stop)
{
    static struct reading reading;
    struct untorn_config *config = open_config();
    char byte;
    while (read(stop, &byte, 1) != 0 || reading.reads == 0) {
        read_once(config, &reading);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* the writers want to run, too */
    }
    untorn_config_free(config);
    printf("    %ld lists\n", reading.reads);
    fflush(stdout);
    _exit(reading.reads > 0 ? 0 : 1);
}

/* ---- the judge ---- */

static long count_text(const struct untorn_node *array, const char *text)
{
    long count = 0;
    for (const struct untorn_node *item = untorn_node_first(array); item;
         item = untorn_node_next(item))
        count += strcmp(untorn_node_text(item, NULL), text) == 0;
    return count;
}

static long judge_step(struct untorn_document *const *documents, int worker, int number)
{
    struct step step = step_of(worker, number);
    struct untorn_document *document = documents[step.scope - UNTORN_SCOPE_GLOBAL];
    const struct untorn_node *all = untorn_document_find(document, "all", NULL);
    char shared[32];
    snprintf(shared, sizeof shared, "%d-%d", worker, number);
    long wrong = !all || count_text(all, shared) != 1;
    if (number + SCOPES * 7 >= storm.operations) { /* the last one that sets this key */
        const struct untorn_node *node = untorn_document_find(document, step.key, NULL);
        wrong += !node || strcmp(untorn_node_text(node, NULL), step.value) != 0;
    }
    return wrong;
}

static int judge(void)
{
    struct untorn_document *documents[SCOPES];
    struct untorn_error error;
    int workers = storm.processes * storm.threads;
    long lost = 0;
    for (int i = 0; i < SCOPES; i++)
        if (untorn_document_read(files[i], NULL, 0, &documents[i], &error) != 0)
            die("read", &error);
    for (int worker = 0; worker < workers; worker++)
        for (int number = 0; number < storm.operations; number++)
            lost += judge_step(documents, worker, number);
    for (int i = 0; i < SCOPES; i++)
        untorn_document_free(documents[i]);
    printf("    %d updates, %ld lost\n", workers * storm.operations, lost);
    if (!storm.broken && !storm.apart)
        history_tally(workers * storm.operations, 0);
    return lost != 0;
}

static void parse(int argc, char **argv)
{
    static const struct option options[] = {{"processes", 1, NULL, 'p'},  {"threads", 1, NULL, 't'},
                                            {"operations", 1, NULL, 'o'}, {"readers", 1, NULL, 'r'},
                                            {"command", 1, NULL, 'c'},    {"broken", 0, NULL, 'b'},
                                            {"apart", 0, NULL, 'a'},      {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        int *field = option == 'p'   ? &storm.processes
                     : option == 't' ? &storm.threads
                     : option == 'o' ? &storm.operations
                                     : &storm.readers;
        if (option == 'c')
            storm.command = optarg;
        else if (option == 'b')
            storm.broken = true;
        else if (option == 'a')
            storm.apart = true;
        else if (option == '?')
            exit(2);
        else
            *field = atoi(optarg);
    }
    if (storm.processes * storm.threads > WORKERS)
        exit(2);
}

static pid_t start(void (*run)(int), int argument)
{
    fflush(NULL);
    pid_t child = fork();
    if (child != 0)
        return child;
    run(argument);
    _exit(0);
}

int main(int argc, char **argv)
{
    pid_t children[WORKERS], readers[WORKERS];
    int stop[2], status, wrong = 0;
    parse(argc, argv);
    for (int i = 0; i < SCOPES; i++)
        if (untorn_write(files[i], "all = []\n", 9, &no_flush, NULL) != 0)
            die("begin", NULL);
    if (pipe2(stop, O_NONBLOCK) != 0)
        die("pipe", NULL);
    for (int i = 0; i < storm.processes; i++)
        children[i] = start(run_process, i);
    for (int i = 0; i < storm.readers; i++) {
        fflush(NULL);
        readers[i] = fork();
        if (readers[i] == 0) {
            close(stop[1]);
            read_on(stop[0]);
        }
    }
    for (int i = 0; i < storm.processes; i++)
        wrong |= waitpid(children[i], &status, 0) != children[i] || status != 0;
    close(stop[1]);
    for (int i = 0; i < storm.readers; i++)
        wrong |= waitpid(readers[i], &status, 0) != readers[i] || status != 0;
    return wrong | judge();
}
