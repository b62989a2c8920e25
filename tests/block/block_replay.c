/* block_replay [OPTION...] LOG: every state that a power loss could have left on the device whose
 * log this is, put together, mounted by the kernel, recovered and judged (states.h, judge.h).
 *
 *     --limit N         at most N states between two flushes (64)
 *     --seed N          for those that are chosen by chance
 *     --plain           judged without untorn and its recovery: a control
 *     --keep PATH       a log with a bad state is copied there
 *     --state E:CHOICE  that one only, as a bad state names it: E flushes since the start, and the
 *                       units kept after them
 *     --shell           not judged: mounts the one state and runs $SHELL there
 *
 * Prints how many states there were, how many of them bad, and the first bad ones; status 1 if any
 * was. Needs root.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "disk.h"
#include "judge.h"
#include "log.h"

enum { TOLD = 3, NEXT = 4, SECONDS = 60, TEXT = 600, NAME = 64, CHOICE_TEXT = 2000 };

struct replay {
    struct log log;
    struct work work;
    char scenario[NAME], type[NAME];
    struct expected expected;
    struct disk disk;
    struct epoch epoch;
    unsigned epoch_number;

    size_t limit;
    uint64_t seed;
    enum judge_how how;
    const char *program, *path, *keep, *only;
    bool shell;

    unsigned long states, bad, unmountable, faults;
};

/* ---- one state ---- */

/* In a process of its own: the library there knows nothing of other states, and may hang. */
static const char *judge_apart(struct replay *replay)
{
    static char text[TEXT];
    int fds[2], status;
    if (pipe(fds) != 0)
        place_die("no pipe", "judge");
    pid_t child = fork();
    if (child < 0)
        place_die("cannot fork", "judge");
    if (child == 0) {
        alarm(SECONDS);
        if (chdir(replay->disk.point) != 0)
            _exit(2);
        bool but_next = replay->how == JUDGE_ALL && replay->states % NEXT != 0 && !replay->only;
        const char *problem =
            judge(&replay->work, &replay->expected, but_next ? JUDGE_BUT_NEXT : replay->how);
        if (problem != NULL)
            (void)write(fds[1], problem, strlen(problem));
        _exit(problem != NULL);
    }
    close(fds[1]);
    ssize_t size = read(fds[0], text, sizeof text - 1);
    close(fds[0]);
    text[size > 0 ? size : 0] = 0;
    if (waitpid(child, &status, 0) != child)
        place_die("is lost", "judge");
    if (status != 0 && size <= 0)
        snprintf(text, sizeof text, "judging ended with %#x", (unsigned)status);
    return status != 0 ? text : NULL;
}

static void look_around(struct replay *replay)
{
    const char *shell = getenv("SHELL");
    pid_t child = fork();
    if (child == 0) {
        if (chdir(replay->disk.point) == 0)
            execl(shell != NULL ? shell : "/bin/sh", "sh", (char *)NULL);
        _exit(1);
    }
    (void)waitpid(child, NULL, 0);
}

static void keep_log(const struct replay *replay)
{
    struct blob blob = {replay->log.bytes, replay->log.size};
    if (replay->keep != NULL)
        blob_write(*replay->keep == '/' ? "" : ".", replay->keep, &blob, 0644);
}

static void tell(struct replay *replay, const choice *kept, const char *problem)
{
    char text[CHOICE_TEXT];
    if (++replay->bad > TOLD)
        return;
    if (replay->bad == 1)
        keep_log(replay);
    choice_print(&replay->epoch, kept, text, sizeof text);
    printf("bad: %s\n", problem);
    printf("    %s on %s, seed %llu, after flush %u of %zu units these: %s\n", replay->scenario,
           replay->type, (unsigned long long)replay->work.seed, replay->epoch_number,
           replay->epoch.count, *text ? text : "none");
    printf("    to look at it: %s --state '%u:%s' --shell %s\n", replay->program,
           replay->epoch_number, text, replay->keep != NULL ? replay->keep : replay->path);
}

static void try_state(void *context, const choice *kept)
{
    struct replay *replay = context;
    char text[TEXT];
    const char *problem = NULL;
    disk_build(&replay->disk, &replay->epoch, kept);
    int error = disk_mount(&replay->disk);
    replay->states++;
    if (error != 0) {
        replay->unmountable++;
        snprintf(text, sizeof text, "cannot be mounted: %s", strerror(error));
        problem = text;
    } else {
        if (replay->shell)
            look_around(replay);
        else
            problem = judge_apart(replay);
        disk_unmount(&replay->disk);
    }
    if (problem != NULL)
        tell(replay, kept, problem);
    disk_reset(&replay->disk);
}

/* ---- all of them ---- */

/* The one state that was asked for, if it is here. */
static void try_only(struct replay *replay)
{
    char *choice_text;
    unsigned long number = strtoul(replay->only, &choice_text, 10);
    if (number != replay->epoch_number)
        return;
    choice *kept = calloc(replay->epoch.count + 1, sizeof *kept);
    errno = EINVAL;
    if (kept == NULL || *choice_text != ':' || !choice_parse(&replay->epoch, choice_text + 1, kept))
        place_die("no state", replay->only);
    try_state(replay, kept);
    free(kept);
}

/* At its end: whoever was told something by then relies on it. */
static void end_epoch(struct replay *replay)
{
    if (replay->only != NULL)
        try_only(replay);
    else
        epoch_choices(&replay->epoch, replay->limit, replay->seed + replay->epoch_number, try_state,
                      replay);
    disk_apply(&replay->disk, &replay->epoch);
    epoch_clear(&replay->epoch);
    replay->epoch_number++;
}

static void text_of(const struct record *record, char *text, size_t size)
{
    snprintf(text, size, "%.*s", (int)record->size, record->data);
}

/* Everything up to the mark `start` is the base; it was flushed. */
static void load_base(struct replay *replay)
{
    struct record record;
    char text[TEXT] = "";
    unsigned long long seed = 0;
    while (sscanf(text, "start %63s %llu %u %63s", replay->scenario, &seed, &replay->work.updates,
                  replay->type) != 4) {
        errno = EINVAL;
        if (!log_next(&replay->log, &record))
            place_die("has no start", replay->path);
        if (record.kind == RECORD_WRITE || record.kind == RECORD_DISCARD)
            epoch_add(&replay->epoch, record.offset, record.data, record.size);
        else if (record.kind == RECORD_MARK)
            text_of(&record, text, sizeof text);
    }
    replay->work.seed = seed;
    replay->work.scenario = scenario_find(replay->scenario);
    if (replay->work.scenario == NULL)
        place_die("no such scenario", replay->scenario);
    for (unsigned update = 0; update <= replay->work.updates; update++)
        for (unsigned i = 0; i < scenario_file_count(replay->work.scenario); i++)
            (void)scenario_known(&replay->work, update,
                                 i); /* here, not in each process that judges */
    disk_begin(&replay->disk, replay->type, replay->log.device_size);
    disk_apply(&replay->disk, &replay->epoch);
    epoch_clear(&replay->epoch);
}

static void run(struct replay *replay)
{
    struct record record;
    char text[TEXT];
    expected_begin(&replay->expected);
    while (log_next(&replay->log, &record)) {
        if (record.kind == RECORD_WRITE || record.kind == RECORD_DISCARD) {
            epoch_add(&replay->epoch, record.offset, record.data, record.size);
        } else if (record.kind == RECORD_MARK) {
            text_of(&record, text, sizeof text);
            expected_mark(&replay->expected, &replay->work, text);
        } else if (record.kind == RECORD_FLUSH) {
            end_epoch(replay);
        } else {
            replay->faults++;
        }
    }
    end_epoch(replay);
}

static bool take_options(struct replay *replay, int argc, char **argv)
{
    static const struct option options[] = {
        {"limit", required_argument, NULL, 'l'},
        {"seed", required_argument, NULL, 's'},
        {"plain", no_argument, NULL, 'p'},
        {"keep", required_argument, NULL, 'k'},
        {"state", required_argument, NULL, 'o'},
        {"shell", no_argument, NULL, 'S'},
        {NULL, 0, NULL, 0},
    };
    for (int letter; (letter = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (letter) {
        case 'l':
            replay->limit = strtoul(optarg, NULL, 10);
            break;
        case 's':
            replay->seed = strtoull(optarg, NULL, 10);
            break;
        case 'p':
            replay->how = JUDGE_PLAIN;
            break;
        case 'k':
            replay->keep = optarg;
            break;
        case 'o':
            replay->only = optarg;
            break;
        case 'S':
            replay->shell = true;
            break;
        default:
            return false;
        }
    }
    replay->program = argv[0];
    replay->path = argv[optind];
    return optind + 1 == argc && replay->limit > 0 && (!replay->shell || replay->only != NULL);
}

int main(int argc, char **argv)
{
    static struct replay replay = {.limit = 64};
    if (!take_options(&replay, argc, argv)) {
        fprintf(stderr, "usage: block_replay [--limit N] [--seed N] [--plain] [--keep PATH]"
                        " [--state E:CHOICE [--shell]] LOG\n");
        return 2;
    }
    replay.work.command = getenv("UNTORN");
    log_open(&replay.log, replay.path);
    load_base(&replay);
    run(&replay);
    printf("%lu states, %lu bad, %lu unmountable, %u flushes, %lu faults\n", replay.states,
           replay.bad, replay.unmountable, replay.epoch_number - 1, replay.faults);
    return replay.bad > 0;
}
