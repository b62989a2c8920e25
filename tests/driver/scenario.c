#include "scenario.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace.h"
#include "versions.h"

enum { SET_UP_MS = 120000 };

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

/* Runs a command without a fault. */
static bool leave_alone(char *const arguments[], const char *directory)
{
    struct trace_plan plan = {
        .only = "umask", .directory = directory, .timeout_ms = SET_UP_MS, .errors = "/dev/null"};
    struct trace_result result;
    return trace_run(&plan, arguments, &result) == 0 && result.status == 0;
}

/* The new version, replaced by the old one, in one step for all twins. */
static void leave_kept(const struct scenario *scenario, const struct contents *contents,
                       const char *command, const char *directory)
{
    char words[SCENARIO_TWINS + 1][PATH_MAX];
    char *arguments[SCENARIO_TWINS + 5] = {(char *)command, "commit"};
    size_t count = 0;
    for (const char *name = scenario_real(scenario); name != NULL; count++) {
        blob_write(directory, name, &contents->new_version, scenario_mode(scenario));
        snprintf(words[count], sizeof words[count], "%s=%s/old", name, contents->inputs);
        arguments[2 + count] = words[count];
        name = scenario->twins[count];
    }
    if (!leave_alone(arguments, directory))
        place_die("the set-up could not commit", directory);
}

/* Somebody has used untorn here before: its folder is there, and the lock. */
static void use_before(const struct scenario *scenario, const char *command, const char *directory)
{
    char *arguments[] = {(char *)command, "lock", (char *)scenario_real(scenario), "--",
                         "true",          NULL};
    (void)leave_alone(arguments, directory); /* where the directory is still to be made: not */
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
            blob_write(directory, scenario->twins[i], &contents->old_version,
                       scenario_mode(scenario));
    }
}

/* As far as the scenario does not make them itself. */
static void make_parents(const struct scenario *scenario, const char *directory)
{
    char path[PATH_MAX];
    const char *real = scenario_real(scenario);
    if (scenario->before == BEFORE_NO_FILE)
        return;
    for (const char *slash = real; (slash = strchr(slash, '/')) != NULL; slash++) {
        snprintf(path, sizeof path, "%s/%.*s", directory, (int)(slash - real), real);
        place_make(path);
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
    make_parents(scenario, directory);
    if (scenario->before != BEFORE_NO_FILE)
        blob_write(directory, scenario_real(scenario), &contents->old_version,
                   scenario_mode(scenario));
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
    if (scenario->before == BEFORE_KEPT)
        leave_kept(scenario, contents, command, directory);
}

/* `pattern` with the names that begin with @ filled in; into `ret`. */
static void fill_in(const char *pattern, const char *command, const char *input, const char *word,
                    char *ret, size_t size)
{
    const struct {
        const char *name, *text;
    } names[] = {{"@new", input}, {"@untorn", command}, {"@word", word}};
    size_t to = 0;
    while (*pattern != 0 && to + 1 < size) {
        const char *text = NULL;
        for (size_t i = 0; i < sizeof names / sizeof names[0] && text == NULL; i++)
            if (strncmp(pattern, names[i].name, strlen(names[i].name)) == 0) {
                text = names[i].text;
                pattern += strlen(names[i].name);
            }
        if (text != NULL)
            to += (size_t)snprintf(ret + to, size - to, "%s", text);
        else
            ret[to++] = *pattern++;
    }
    ret[to < size ? to : size - 1] = 0;
}

void scenario_arguments(const struct scenario *scenario, const struct contents *contents,
                        const char *command, const char *version, char **ret)
{
    static char words[SCENARIO_ARGUMENTS][PATH_MAX], program[PATH_MAX];
    char input[PATH_MAX];
    size_t n = 0;
    snprintf(input, sizeof input, "%s/%s", contents->inputs, version);
    snprintf(program, sizeof program, "%.*s/examples/%s", (int)(strrchr(command, '/') - command),
             command, scenario->program);
    ret[n++] = scenario->program != NULL ? program : (char *)command;
    for (size_t i = 0; i < SCENARIO_ARGUMENTS && scenario->arguments[i] != NULL; i++) {
        fill_in(scenario->arguments[i], command, input, version, words[i], sizeof words[i]);
        ret[n++] = words[i];
    }
    ret[n] = NULL;
}
