#include "verdict.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_MISSING = 3, EXIT_FOUND = 4, EXIT_EXISTS = 5, EXIT_UNSETTLED = 7, LOCKS_OWN = 100 };

/* What the file holds. */
enum version { VERSION_NEITHER, VERSION_BEFORE, VERSION_AFTER, VERSION_TORN_TAIL };

static bool wrong(struct run *run, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (run->problem[0] == 0)
        vsnprintf(run->problem, sizeof run->problem, format, values);
    va_end(values);
    return false;
}

static void run_command(struct bench *bench, const char *version, struct trace_plan *plan,
                        struct trace_result *ret)
{
    char *arguments[SCENARIO_ARGUMENTS + 2], input[PATH_MAX], editor[PATH_MAX + 8];
    scenario_arguments(bench->scenario, &bench->contents, bench->command, version, arguments);
    snprintf(input, sizeof input, "%s/%s", bench->contents.inputs, version);
    snprintf(editor, sizeof editor, "cp %s", input);
    setenv("EDITOR", editor, 1);
    setenv("HOME", bench->directory, 1);
    plan->input = input;
    plan->directory = bench->directory;
    plan->output = bench->output;
    plan->errors = plan->errors == NULL ? "/dev/null" : plan->errors;
    plan->timeout_ms = bench->timeout_ms;
    if (trace_run(plan, arguments, ret) != 0)
        place_die("cannot trace", arguments[0]);
}

/* Another verb of the command, on `operand`; its exit status, or -1 if it hung or was killed. */
static int ask(struct bench *bench, const char *verb, const char *operand)
{
    const char *state = bench->scenario->state;
    char *arguments[] = {(char *)bench->command, (char *)verb,
                         (char *)operand,        state != NULL ? "--state-dir" : NULL,
                         (char *)state,          NULL};
    struct trace_plan plan = {.only = "umask", /* that is: leave it alone */
                              .directory = bench->directory,
                              .output = bench->output,
                              .errors = "/dev/null",
                              .timeout_ms = bench->timeout_ms};
    struct trace_result result;
    if (trace_run(&plan, arguments, &result) != 0)
        place_die("cannot trace", verb);
    return WIFEXITED(result.status) ? WEXITSTATUS(result.status) : -1;
}

/* ---- what is there ---- */

/* What was begun before may have been finished. */
static bool leaves_torn(const struct scenario *scenario)
{
    return scenario->before == BEFORE_TORN || scenario->before == BEFORE_COMMIT;
}

static enum version which_version(const struct bench *bench, const struct blob *blob)
{
    const struct contents *contents = &bench->contents;
    struct blob missing = {NULL, 0};
    bool none_before = bench->scenario->before == BEFORE_NO_FILE;
    const struct blob *before = none_before ? &missing : &contents->old_version;
    struct blob after = version_after(bench->scenario, contents, before, "new");
    enum version version = VERSION_NEITHER;
    if (bench->scenario->effect != EFFECT_SETTLE && blob_equal(blob, &after))
        version = VERSION_AFTER;
    else if (blob_equal(blob, before) ||
             (leaves_torn(bench->scenario) && blob_equal(blob, &contents->torn_version)))
        version = VERSION_BEFORE;
    else if (bench->scenario->effect == EFFECT_APPEND && blob->data != NULL &&
             blob->size >= before->size && blob->size < after.size &&
             memcmp(blob->data, after.data, blob->size) == 0)
        version = VERSION_TORN_TAIL;
    blob_free(&after);
    return version;
}

/* As any program sees it, or as `read` shows it. */
static struct blob look_at(struct bench *bench, const char *name, bool through_read)
{
    struct blob blob = {NULL, 0};
    if (!through_read)
        blob = blob_read(bench->directory, name);
    else if (ask(bench, "read", name) == 0)
        blob = blob_read("/", bench->output + 1);
    if (bench->scenario->masked)
        version_mask(&blob);
    return blob;
}

static struct blob look(struct bench *bench, bool through_read)
{
    return look_at(bench, scenario_real(bench->scenario), through_read);
}

static bool judge_twins(struct bench *bench, struct run *run, const struct blob *blob,
                        bool through_read)
{
    bool same = true;
    for (size_t i = 0; same && bench->scenario->twins[i] != NULL; i++) {
        struct blob twin = look_at(bench, bench->scenario->twins[i], through_read);
        same = blob_equal(blob, &twin) ||
               wrong(run, "%s is not what %s is: a mixture", bench->scenario->twins[i],
                     scenario_real(bench->scenario));
        blob_free(&twin);
    }
    return same;
}

static bool mode_is_kept(const struct bench *bench)
{
    char path[PATH_MAX];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", bench->directory, scenario_real(bench->scenario));
    return stat(path, &about) == 0 && (about.st_mode & 07777) == scenario_mode(bench->scenario);
}

/* ---- the rules ---- */

static bool judge_status(struct bench *bench, struct run *run, enum version version)
{
    int status = run->result.status;
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        return wrong(run, "died of signal %d", WTERMSIG(status));
    /* Killed in mid-append, or between making the file and the first append to it; or stopped
     * there by an error and unable to go back. */
    bool unsettled = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_UNSETTLED;
    bool torn = version == VERSION_TORN_TAIL &&
                (run->plan.action == TRACE_TEAR || bench->scenario->before == BEFORE_NO_FILE) &&
                (WIFSIGNALED(status) || unsettled);
    if (version == VERSION_NEITHER || (version == VERSION_TORN_TAIL && !torn))
        return wrong(run, "the file is neither old nor new");
    if (WIFSIGNALED(status))
        return true;
    int code = WEXITSTATUS(status);
    bool settles = bench->scenario->effect == EFFECT_SETTLE;
    if (code == 0 && version != VERSION_AFTER && !settles)
        return wrong(run, "says done, but the file is not the new version");
    if (code == 0 || code == EXIT_UNSETTLED || code == LOCKS_OWN + EXIT_UNSETTLED)
        return true;
    bool lock = strcmp(bench->scenario->arguments[0], "lock") == 0;
    bool not_started = bench->scenario->starts_programs && (code == 126 || code == 127);
    bool known = code == 1 || (code >= 3 && code <= 6) || not_started ||
                 (lock && code > LOCKS_OWN && code < LOCKS_OWN + EXIT_UNSETTLED);
    if (!known)
        return wrong(run, "ends with the exit status %d, which means nothing here", code);
    if (version != VERSION_BEFORE)
        return wrong(run, "says failed (%d), but the file is the new version", code);
    return true;
}

static bool judge_flush(const struct bench *bench, struct run *run)
{
    const struct trace_result *result = &run->result;
    if (strcmp(bench->scenario->arguments[0], "probe") == 0) /* it tells what does not work */
        return true;
    if (result->flush_error != EIO && result->flush_error != ENOSPC &&
        result->flush_error != EDQUOT)
        return true;
    if (result->second_flush)
        return wrong(run, "flushes a file again after a flush of it failed");
    if (WIFEXITED(result->status) && WEXITSTATUS(result->status) == 0)
        return wrong(run, "says done although a flush failed");
    return true;
}

/* Who takes a lock, changes nothing, and may never read the journal does not learn that something
 * is to be finished (file/upward.h): it goes on, and the next who may finishes it. */
static bool may_not_know(const struct bench *bench, const struct run *run)
{
    return bench->scenario->effect == EFFECT_SETTLE && run->plan.for_ever &&
           run->result.hit_error == EACCES && strstr(run->result.hit, "/journal/slot") != NULL;
}

static bool judge_content(struct bench *bench, struct run *run)
{
    int status = run->result.status;
    bool settled = WIFEXITED(status) && WEXITSTATUS(status) != EXIT_UNSETTLED;
    bool was_torn = leaves_torn(bench->scenario);
    bool done = settled && WEXITSTATUS(status) == 0;
    bool unfinished = (!done && (!settled || was_torn)) || may_not_know(bench, run);
    bool through_read = unfinished && (bench->scenario->in_place || bench->scenario->twins[0]);
    struct blob blob = look(bench, through_read);
    enum version version = which_version(bench, &blob);
    bool exists = blob.data != NULL;
    bool good = judge_status(bench, run, version) && judge_twins(bench, run, &blob, through_read);
    blob_free(&blob);
    if (!good)
        return false;
    if (exists && bench->scenario->before != BEFORE_NO_FILE && !mode_is_kept(bench))
        return wrong(run, "the mode of the file has changed");
    return true;
}

/* A torn last record is cut; a torn last line of text gains its newline. */
static void mend_tail(const struct bench *bench, struct run *run, struct blob *blob)
{
    if (blob->size == 0 || blob->data[blob->size - 1] == '\n')
        return;
    if (strstr(scenario_real(bench->scenario), ".jsonl") == NULL) {
        blob->data[blob->size++] = '\n'; /* over the NUL behind it */
        return;
    }
    while (blob->size > 0 && blob->data[blob->size - 1] != '\n')
        blob->size--;
    run->tail_kept = true;
}

/* A commit that was killed when it counted, and before it showed, is finished first, and then
 * turned back: who saw the old version sees it again. */
static bool turns_twice(const struct bench *bench, const struct run *run,
                        const struct blob *expected, const struct blob *blob)
{
    bool begun =
        !WIFEXITED(run->result.status) || WEXITSTATUS(run->result.status) == EXIT_UNSETTLED;
    if (bench->scenario->effect != EFFECT_TURN || bench->scenario->twins[0] == NULL || !begun)
        return false;
    struct blob again = version_after(bench->scenario, &bench->contents, expected, "next");
    bool same = blob_equal(blob, &again);
    blob_free(&again);
    return same;
}

/* Which files were changed together could not be written down (txn/remember.h): then an undo of
 * them says so, and does nothing. */
static bool forgot_the_set(const struct bench *bench, const struct run *run)
{
    return bench->scenario->effect == EFFECT_TURN && bench->scenario->twins[0] != NULL &&
           (run->memory.library != NULL || strstr(run->result.hit, "/.untorn/set") != NULL ||
            strstr(run->result.hit, "/proc/self/fd/") != NULL);
}

static bool judge_next(struct bench *bench, struct run *run)
{
    struct blob before =
        look(bench, bench->scenario->in_place || bench->scenario->twins[0] != NULL);
    if (bench->scenario->effect == EFFECT_APPEND)
        mend_tail(bench, run, &before);
    struct blob expected = version_after(bench->scenario, &bench->contents, &before, "next");
    struct trace_plan plan = {.only = "umask"};
    struct trace_result result;
    run_command(bench, "next", &plan, &result);
    struct blob blob = look(bench, false);
    int code = WIFEXITED(result.status) ? WEXITSTATUS(result.status) : -1;
    bool exclusive = strcmp(bench->scenario->name, "write-exclusive") == 0 && before.data != NULL;
    bool unknown = code == EXIT_MISSING && forgot_the_set(bench, run);
    bool stays = exclusive || unknown, settles = bench->scenario->effect == EFFECT_SETTLE;
    int wanted = exclusive ? EXIT_EXISTS : unknown ? EXIT_MISSING : 0;
    bool same = settles ? which_version(bench, &blob) == VERSION_BEFORE
                        : blob_equal(&blob, stays ? &before : &expected) ||
                              turns_twice(bench, run, &expected, &blob);
    bool good = (code == wanted || wrong(run, "the next call ends with %d", code)) &&
                (same || wrong(run, "the next call says done, but the file is not its version")) &&
                judge_twins(bench, run, &blob, false);
    blob_free(&before);
    blob_free(&expected);
    blob_free(&blob);
    return good;
}

/* What a person typed stays, and is a finding; the rest is to be as after any other verb. */
static bool give_up_drafts(struct bench *bench, struct run *run)
{
    char command[PATH_MAX + 64];
    if (strcmp(bench->scenario->arguments[0], "edit") != 0)
        return true;
    snprintf(command, sizeof command, "rm -rf '%s'/.untorn/draft-*", bench->directory);
    return system(command) == 0 || wrong(run, "a draft cannot be removed");
}

static bool judge_tidiness(struct bench *bench, struct run *run)
{
    char problem[300];
    const char *allowed = bench->scenario->allowed != NULL ? bench->scenario->allowed : "f";
    if (!place_is_tidy(bench->directory, allowed, problem, sizeof problem))
        return wrong(run, "after the next call %s", problem);
    if (!give_up_drafts(bench, run))
        return false;
    int status = ask(bench, "check", ".");
    /* A document that there was no memory to parse is kept aside, to be on the safe side. */
    bool kept = status == EXIT_FOUND && run->memory.library != NULL;
    if (status != (run->tail_kept ? EXIT_FOUND : 0) && !kept)
        return wrong(run, "after the next call, check ends with %d", status);
    return true;
}

/* The random digits in the names of stages do not matter. */
static void mask_digits(struct blob *blob)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i + 16 <= blob->size; i++)
        if (strspn(blob->data + i, digits) >= 16)
            memset(blob->data + i, 'x', 16);
}

static void mask_times(struct blob *blob)
{
    for (size_t i = 0; i < blob->size; i++)
        if (blob->data[i] >= '0' && blob->data[i] <= '9')
            blob->data[i] = '0';
}

static bool prints_as_before(struct bench *bench)
{
    struct blob printed = blob_read("/", bench->output + 1);
    mask_digits(&printed);
    mask_digits(&bench->baseline);
    if (bench->scenario->prints_times) {
        mask_times(&printed);
        mask_times(&bench->baseline);
    }
    bool equal = blob_equal(&printed, &bench->baseline);
    blob_free(&printed);
    return equal;
}

/* A reading verb: the same answer or an error, and nothing changed. */
static bool judge_reading(struct bench *bench, struct run *run)
{
    char *snapshot = place_snapshot(bench->directory);
    bool same = strcmp(snapshot, run->snapshot) == 0;
    free(snapshot);
    if (!same)
        return wrong(run, "a reading verb changed the directory");
    int status = run->result.status;
    if (run->result.hit_error == EWOULDBLOCK) /* which says that somebody holds a lock */
        return true;
    bool checks = strcmp(bench->scenario->arguments[0], "check") == 0;
    if (status == bench->baseline_status && !checks)
        return prints_as_before(bench) ||
               (bench->scenario->abridges && run->memory.library != NULL) ||
               wrong(run, "prints something else with the same exit status");
    if (!WIFEXITED(status) || (WEXITSTATUS(status) == 0 && status != bench->baseline_status))
        return wrong(run, "says all is well, or dies");
    return true;
}

/* Whoever may not look into untorn's folder cannot know of what is under way there. */
static bool may_not_look(const struct bench *bench, const struct run *run)
{
    const char *verb = bench->scenario->arguments[0];
    if (run->result.hit_error == EWOULDBLOCK && strcmp(verb, "check") == 0)
        return true; /* somebody is at work there */
    return run->result.hit_error == EACCES && strstr(run->result.hit, "/.untorn") != NULL &&
           (bench->scenario->effect == EFFECT_NONE || strcmp(verb, "check") == 0);
}

/* What was transferred in part is always judged: the hashes in records, which would tell, are not
 * part of a state. */
static bool may_be_known(const struct run *run)
{
    return run->plan.action != TRACE_COUNT && run->plan.action != TRACE_SHORTEN &&
           run->plan.action != TRACE_TEAR;
}

static bool judge_state(struct bench *bench, struct run *run)
{
    uint64_t state = state_with(state_of(bench->directory), (uint64_t)run->result.status);
    run->known = may_be_known(run) && states_have(bench->good, state);
    if (run->known)
        return true;
    if (!judge_content(bench, run) || !judge_next(bench, run) || !judge_tidiness(bench, run))
        return false;
    states_add(bench->good, state);
    return true;
}

/* Whoever fails says why; not if that very message failed, nor what an example keeps to itself. */
static bool is_empty(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_size == 0;
}

static void judge_words(struct bench *bench, struct run *run)
{
    int status = run->result.status;
    bool failed = WIFEXITED(status) && WEXITSTATUS(status) != 0 && status != bench->baseline_status;
    bool mute = run->plan.for_ever || strstr(run->result.hit, bench->errors) != NULL;
    /* What a check finds is its output. */
    if (failed && bench->scenario->program == NULL && !mute && is_empty(bench->errors) &&
        is_empty(bench->output))
        (void)wrong(run, "fails with %d and says nothing", WEXITSTATUS(status));
}

static void lack_memory(const struct bench *bench, const struct lack *memory)
{
    char number[32];
    if (memory->library == NULL)
        return;
    snprintf(number, sizeof number, "%ld", memory->number);
    (void)unlink(bench->mark); /* it may not be there */
    setenv("FAIL_MARK", bench->mark, 1);
    setenv("FAIL_AT", number, 1);
    if (memory->for_ever)
        setenv("FAIL_FOR_EVER", "1", 1);
    setenv("LD_PRELOAD", memory->library, 1);
}

static void have_memory(void)
{
    static const char *const names[] = {"FAIL_MARK", "FAIL_AT", "FAIL_FOR_EVER", "LD_PRELOAD"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unsetenv(names[i]);
}

static bool is_met(const struct bench *bench, const struct run *run)
{
    if (run->memory.library != NULL)
        return access(bench->mark, F_OK) == 0;
    return run->result.hit_position != 0 || run->plan.action == TRACE_COUNT;
}

bool verdict_run(struct bench *bench, struct run *run)
{
    const struct scenario *scenario = bench->scenario;
    scenario_set_up(scenario, &bench->contents, bench->command, bench->before, bench->directory);
    run->problem[0] = 0;
    run->tail_kept = run->known = false;
    bool reading = scenario->effect == EFFECT_NONE;
    run->snapshot = reading ? place_snapshot(bench->directory) : NULL;
    state_begin(bench->directory);
    run->plan.errors = bench->errors;
    lack_memory(bench, &run->memory);
    run_command(bench, "new", &run->plan, &run->result);
    have_memory();
    bool met = is_met(bench, run);
    bool judged = met && !may_not_look(bench, run);
    if (run->result.timed_out)
        (void)wrong(run, "hangs");
    else if (judged && reading)
        (void)judge_reading(bench, run);
    else if (judged && judge_state(bench, run))
        (void)judge_flush(bench, run);
    if (met)
        judge_words(bench, run);
    free(run->snapshot);
    return met;
}
