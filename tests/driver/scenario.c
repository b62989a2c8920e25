#include "scenario.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace.h"

#define WAIT "--wait", "0.1" /* nobody else is there: it is waited only where a lock seems held */

enum { SET_UP_MS = 120000 };

const struct scenario all_scenarios[] = {
    {.name = "write",
     .full = true,
     .fresh = true,
     .sentence = "a write over an existing file",
     .arguments = {"write", "f", WAIT}},
    {.name = "write-new",
     .fresh = true,
     .sentence = "a write of a new file",
     .arguments = {"write", "f", WAIT},
     .before = BEFORE_NO_FILE},
    {.name = "write-exclusive",
     .sentence = "an exclusive creation",
     .arguments = {"write", "f", "--exclusive", WAIT},
     .before = BEFORE_NO_FILE},
    {.name = "write-link",
     .sentence = "a write through links into another directory",
     .arguments = {"write", "f", WAIT},
     .before = BEFORE_LINK,
     .allowed = "f b b/g c c/real",
     .real = "c/real"},
    {.name = "write-parents",
     .sentence = "a write that makes the directories above the file",
     .arguments = {"write", "d/e/f", "--parents", "--mode", "640", WAIT},
     .before = BEFORE_NO_FILE,
     .allowed = "d d/e d/e/f",
     .real = "d/e/f"},
    {.name = "write-large",
     .sentence = "a write of a large file",
     .arguments = {"write", "f", WAIT},
     .size = SIZE_LARGE},
    {.name = "write-ordered",
     .sentence = "an ordered write",
     .arguments = {"write", "f", "@new", "--level", "ordered", WAIT}},
    {.name = "write-cache",
     .sentence = "a write without a flush",
     .arguments = {"write", "f", "--level", "cache", WAIT}},
    {.name = "state-dir",
     .sentence = "an overwrite in place with a state folder elsewhere",
     .arguments = {"write", "f", "--keep-inode", "--state-dir", "s", WAIT},
     .in_place = true,
     .fresh = true,
     .allowed = "f s s/",
     .state = "s"},
    {.name = "lock-file",
     .sentence = "a write under a lock shared with others",
     .arguments = {"write", "f", "--lock-file", "l", WAIT},
     .allowed = "f l"},
    {.name = "keep-inode",
     .sentence = "an overwrite in place",
     .arguments = {"write", "f", "--keep-inode", WAIT},
     .size = SIZE_LARGE,
     .in_place = true},
    {.name = "keep-inode-small",
     .full = true,
     .fresh = true,
     .sentence = "an overwrite of a small file in place",
     .arguments = {"write", "f", "--keep-inode", WAIT},
     .in_place = true},
    {.name = "update",
     .full = true,
     .sentence = "an update by a command",
     .arguments = {"update", "f", WAIT, "--", "cat", "@new"},
     .starts_programs = true},
    {.name = "append",
     .full = true,
     .sentence = "an append",
     .arguments = {"append", "f", WAIT},
     .effect = EFFECT_APPEND},
    {.name = "append-new",
     .fresh = true,
     .sentence = "an append that makes the file",
     .arguments = {"append", "f", WAIT},
     .effect = EFFECT_APPEND,
     .before = BEFORE_NO_FILE},
    {.name = "append-records",
     .sentence = "an append of JSON records",
     .arguments = {"append", "f.jsonl", WAIT},
     .effect = EFFECT_APPEND,
     .allowed = "f.jsonl",
     .real = "f.jsonl"},
    {.name = "lock",
     .sentence = "a lock around a command",
     .arguments = {"lock", "f", WAIT, "--", "true"},
     .effect = EFFECT_SETTLE,
     .starts_programs = true},
    {.name = "lock-write",
     .sentence = "a write inside a lock",
     .arguments = {"lock", "f", WAIT, "--", "@untorn", "write", "f", WAIT},
     .starts_programs = true,
     .runs_untorn = true},
    {.name = "after-torn",
     .sentence = "a write that first finishes a dead one's overwrite",
     .arguments = {"write", "f", WAIT},
     .before = BEFORE_TORN,
     .size = SIZE_MEDIUM,
     .in_place = true},
    {.name = "keep-inode-after-torn",
     .sentence = "an overwrite in place that first finishes a dead one's",
     .arguments = {"write", "f", "--keep-inode", WAIT},
     .before = BEFORE_TORN,
     .size = SIZE_MEDIUM,
     .in_place = true},
    {.name = "after-stage",
     .sentence = "a write that first removes a dead one's stage",
     .arguments = {"write", "f", WAIT},
     .before = BEFORE_STAGE},
    {.name = "repair-torn",
     .sentence = "a repair of an overwrite that was killed",
     .arguments = {"check", "f", "--repair", WAIT},
     .effect = EFFECT_SETTLE,
     .before = BEFORE_TORN,
     .size = SIZE_MEDIUM,
     .in_place = true},
    {.name = "repair-stage",
     .sentence = "a repair of a stage that was left",
     .arguments = {"check", ".", "--repair", WAIT},
     .effect = EFFECT_SETTLE,
     .before = BEFORE_STAGE},
    {.name = "commit",
     .full = true,
     .sentence = "a commit of three files in two directories",
     .arguments = {"commit", "f=@new", "g=@new", "d/h=@new", WAIT},
     .twins = {"g", "d/h"},
     .allowed = "f g d d/h"},
    {.name = "commit-fresh",
     .fresh = true,
     .sentence = "a first commit of two files",
     .arguments = {"commit", "f=@new", "g=@new", WAIT},
     .twins = {"g"},
     .allowed = "f g"},
    {.name = "commit-new",
     .sentence = "a commit of two new files",
     .arguments = {"commit", "f=@new", "g=@new", WAIT},
     .before = BEFORE_NO_FILE,
     .twins = {"g"},
     .allowed = "f g"},
    {.name = "commit-large",
     .sentence = "a commit of two large files",
     .arguments = {"commit", "f=@new", "g=@new", WAIT},
     .size = SIZE_LARGE,
     .twins = {"g"},
     .allowed = "f g"},
    {.name = "commit-after-commit",
     .sentence = "a commit that first finishes a dead one's",
     .arguments = {"commit", "f=@new", "g=@new", "d/h=@new", WAIT},
     .before = BEFORE_COMMIT,
     .twins = {"g", "d/h"},
     .allowed = "f g d d/h"},
    {.name = "repair-commit",
     .full = true,
     .sentence = "a repair of a commit that was killed",
     .arguments = {"check", ".", "d", "--repair", WAIT},
     .effect = EFFECT_SETTLE,
     .before = BEFORE_COMMIT,
     .twins = {"g", "d/h"},
     .allowed = "f g d d/h"},
    {.name = "lock-after-commit",
     .sentence = "a lock of a file whose commit was killed",
     .arguments = {"lock", "d/h", "f", WAIT, "--", "true"},
     .effect = EFFECT_SETTLE,
     .before = BEFORE_COMMIT,
     .starts_programs = true,
     .twins = {"g", "d/h"},
     .allowed = "f g d d/h"},
    {.name = "read-after-commit",
     .sentence = "a read of a file whose commit was killed",
     .arguments = {"read", "g"},
     .effect = EFFECT_NONE,
     .before = BEFORE_COMMIT,
     .twins = {"g", "d/h"}},
    {.name = "probe",
     .sentence = "a probe of a directory",
     .arguments = {"probe", "."},
     .effect = EFFECT_SETTLE},
    {.name = "read",
     .fresh = true,
     .sentence = "a read",
     .arguments = {"read", "f"},
     .effect = EFFECT_NONE},
    {.name = "read-torn",
     .full = true,
     .sentence = "a read of a file that a dead one left half overwritten",
     .arguments = {"read", "f"},
     .effect = EFFECT_NONE,
     .before = BEFORE_TORN,
     .size = SIZE_MEDIUM},
    {.name = "hash",
     .fresh = true,
     .sentence = "a hash",
     .arguments = {"hash", "f"},
     .effect = EFFECT_NONE},
    {.name = "who",
     .sentence = "the question who holds the lock",
     .arguments = {"who", "f"},
     .effect = EFFECT_NONE,
     .before = BEFORE_STAGE},
    {.name = "check-torn",
     .full = true,
     .sentence = "a check for an overwrite that was killed",
     .arguments = {"check", "."},
     .effect = EFFECT_NONE,
     .before = BEFORE_TORN,
     .size = SIZE_MEDIUM},
    {.name = "check-stage",
     .sentence = "a check for a stage that was left",
     .arguments = {"check", "f"},
     .effect = EFFECT_NONE,
     .before = BEFORE_STAGE},
};

const size_t all_scenarios_count = sizeof all_scenarios / sizeof all_scenarios[0];

/* ---- contents ---- */

static struct blob lines(const char *word, unsigned count, bool records)
{
    struct blob blob = {NULL, 0};
    FILE *file = open_memstream(&blob.data, &blob.size);
    for (unsigned i = 0; i < count; i++)
        fprintf(file, records ? "{\"version\": \"%s\", \"line\": %u}\n" : "%s version, line %u\n",
                word, i);
    fclose(file);
    return blob;
}

void contents_make(struct contents *contents, const char *inputs, enum scenario_size size,
                   bool records)
{
    contents->inputs = inputs;
    unsigned unit = size == SIZE_SMALL ? 1 : size == SIZE_MEDIUM ? 10 : 500;
    contents->old_version = lines("old", 50 * unit, records);
    contents->new_version = lines("new", 40 * unit, records);
    contents->next_version = lines("next", 44 * unit, records);
    contents->torn_version = lines("torn", 46 * unit, records);
    place_make(inputs);
    blob_write(inputs, "new", &contents->new_version, 0644);
    blob_write(inputs, "next", &contents->next_version, 0644);
    blob_write(inputs, "torn", &contents->torn_version, 0644);
}

/* ---- set-up ---- */

static void must_kill(const struct trace_plan *plan, char *const arguments[])
{
    struct trace_result result;
    if (trace_run(plan, arguments, &result) != 0 || result.hit_position == 0)
        place_die("the set-up found no call to be killed at", arguments[1]);
}

/* The first write to the file itself stops half way, between two of the units that reach a disk
 * whole. */
static void leave_torn(const struct contents *contents, const char *command, const char *directory)
{
    char input[PATH_MAX], target[PATH_MAX];
    snprintf(input, sizeof input, "%s/torn", contents->inputs);
    snprintf(target, sizeof target, "%s/f", directory);
    char *arguments[] = {(char *)command, "write", "f", input, "--keep-inode", NULL};
    struct trace_plan plan = {.action = TRACE_TEAR,
                              .position = 1,
                              .unit = 4096,
                              .only = "write,pwrite64",
                              .match = target,
                              .directory = directory,
                              .timeout_ms = SET_UP_MS,
                              .errors = "/dev/null"};
    must_kill(&plan, arguments);
    /* The stage it leaves too is a scenario of its own. */
    snprintf(target, sizeof target, "%s/.untorn/stage", directory);
    place_remove(target);
    place_make(target);
}

static void leave_stage(const struct contents *contents, const char *command, const char *directory)
{
    char input[PATH_MAX];
    snprintf(input, sizeof input, "%s/torn", contents->inputs);
    char *arguments[] = {(char *)command, "write", "f", input, NULL};
    struct trace_plan plan = {.action = TRACE_KILL_BEFORE,
                              .position = 1,
                              .only = "rename,renameat,renameat2",
                              .match = "/stage/",
                              .directory = directory,
                              .timeout_ms = SET_UP_MS,
                              .errors = "/dev/null"};
    must_kill(&plan, arguments);
}

/* Somebody has used untorn here before: its folder is there, and the lock. */
static void use_before(const struct scenario *scenario, const char *command, const char *directory)
{
    char *arguments[] = {(char *)command, "lock", (char *)scenario_real(scenario), "--",
                         "true",          NULL};
    struct trace_plan plan = {
        .only = "umask", .directory = directory, .timeout_ms = SET_UP_MS, .errors = "/dev/null"};
    struct trace_result result;
    (void)trace_run(&plan, arguments, &result); /* where the directory is still to be made: not */
}

static void make_links(const char *directory)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/b", directory);
    place_make(path);
    snprintf(path, sizeof path, "%s/c", directory);
    place_make(path);
    snprintf(path, sizeof path, "%s/f", directory);
    if (symlink("b/g", path) != 0)
        place_die("cannot link", path);
    snprintf(path, sizeof path, "%s/b/g", directory);
    if (symlink("../c/real", path) != 0)
        place_die("cannot link", path);
}

/* Killed before the second file is put in place: by then the commit counts. */
static void leave_commit(const struct contents *contents, const char *command,
                         const char *directory)
{
    char words[SCENARIO_TWINS][PATH_MAX];
    static const char *const names[SCENARIO_TWINS] = {"f", "g", "d/h"};
    for (int i = 0; i < SCENARIO_TWINS; i++)
        snprintf(words[i], sizeof words[i], "%s=%s/torn", names[i], contents->inputs);
    char *arguments[] = {(char *)command, "commit", words[0], words[1], words[2], NULL};
    struct trace_plan plan = {.action = TRACE_KILL_BEFORE,
                              .position = 1,
                              .only = "rename,renameat,renameat2",
                              .match = "/g",
                              .directory = directory,
                              .timeout_ms = SET_UP_MS,
                              .errors = "/dev/null"};
    must_kill(&plan, arguments);
}

static void make_twins(const struct scenario *scenario, const struct contents *contents,
                       const char *directory)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/d", directory);
    for (size_t i = 0; scenario->twins[i] != NULL; i++) {
        if (strncmp(scenario->twins[i], "d/", 2) == 0)
            place_make(path);
        if (scenario->before != BEFORE_NO_FILE)
            blob_write(directory, scenario->twins[i], &contents->old_version, 0640);
    }
}

void scenario_prepare(const struct scenario *scenario, const struct contents *contents,
                      const char *command, const char *directory)
{
    place_remove(directory);
    place_make(directory);
    if (scenario->before == BEFORE_LINK)
        make_links(directory);
    if (scenario->state != NULL) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", directory, scenario->state);
        place_make(path);
    }
    if (scenario->before != BEFORE_NO_FILE)
        blob_write(directory, scenario_real(scenario), &contents->old_version, 0640);
    make_twins(scenario, contents, directory);
    if (!scenario->fresh)
        use_before(scenario, command, directory);
}

void scenario_set_up(const struct scenario *scenario, const struct contents *contents,
                     const char *command, const char *before, const char *directory)
{
    place_remove(directory);
    place_copy(before, directory);
    if (scenario->before == BEFORE_TORN)
        leave_torn(contents, command, directory);
    if (scenario->before == BEFORE_STAGE)
        leave_stage(contents, command, directory);
    if (scenario->before == BEFORE_COMMIT)
        leave_commit(contents, command, directory);
}

void scenario_arguments(const struct scenario *scenario, const struct contents *contents,
                        const char *command, const char *version, char **ret, char *text,
                        size_t size)
{
    static char words[SCENARIO_ARGUMENTS][PATH_MAX];
    size_t n = 0;
    snprintf(text, size, "%s/%s", contents->inputs, version);
    ret[n++] = (char *)command;
    for (size_t i = 0; i < SCENARIO_ARGUMENTS && scenario->arguments[i] != NULL; i++) {
        const char *argument = scenario->arguments[i];
        if (strcmp(argument, "@new") == 0)
            argument = text;
        else if (strcmp(argument, "@untorn") == 0)
            argument = command;
        else if (strstr(argument, "=@new") != NULL) {
            snprintf(words[i], sizeof words[i], "%.*s=%s", (int)strcspn(argument, "="), argument,
                     text);
            argument = words[i];
        }
        ret[n++] = (char *)argument;
    }
    ret[n] = NULL;
}
