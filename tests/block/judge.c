#include "judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <untorn.h>

enum { VERDICT = 600, WORDS = 400 };

static char verdict[VERDICT];

__attribute__((format(printf, 1, 2))) static const char *wrong(const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(verdict, sizeof verdict, format, words);
    va_end(words);
    return verdict;
}

/* ---- what may be there ---- */

void expected_begin(struct expected *expected)
{
    *expected = (struct expected){.settled = 1};
}

void expected_mark(struct expected *expected, const struct work *work, const char *text)
{
    char word[16];
    unsigned process, update;
    if (sscanf(text, "%15s %u %u", word, &process, &update) != 3 || update >= UPDATES ||
        process >= CROWD)
        place_die("no mark", text);
    bool keeps_old = (work->scenario->traits & ORDERED) != 0;
    uint64_t bit = 1ull << update;
    if (strcmp(word, "begin") == 0) {
        expected->before[update] = expected->settled;
        expected->begun = bit;
        expected->tried[process] = update;
        return;
    }
    expected->begun = 0;
    if (strcmp(word, "done") == 0) {
        expected->settled = keeps_old ? expected->settled | bit : bit;
        expected->done[process] = update;
    } else if (strcmp(word, "unsettled") == 0) {
        expected->settled |= bit;
    } else if (strcmp(word, "failed") != 0) {
        place_die("no mark", text);
    }
}

static uint64_t allowed(const struct expected *expected)
{
    return expected->settled | expected->begun;
}

/* ---- which version it is ---- */

/* Bit k: this is what the file holds after update k. */
static uint64_t versions_of(const struct work *work, unsigned file, const struct blob *blob)
{
    uint64_t versions = 0;
    for (unsigned update = 0; update <= work->updates; update++)
        if (blob_equal(scenario_known(work, update, file), blob))
            versions |= 1ull << update;
    return versions;
}

static const char *unlike(const struct work *work, unsigned file, const struct blob *blob,
                          uint64_t versions, const struct expected *expected)
{
    const char *name = work->scenario->files[file];
    if (versions != 0)
        return wrong("%s is of update %d; allowed are the updates %#" PRIx64, name,
                     __builtin_ctzll(versions), allowed(expected));
    if (blob->data == NULL)
        return wrong("%s is gone", name);
    return wrong("%s is no version: %zu bytes, `%.40s`...", name, blob->size, blob->data);
}

/* Each file by itself, as any program sees it. */
static const char *judge_each(const struct work *work, const struct expected *expected)
{
    const char *problem = NULL;
    for (unsigned i = 0; problem == NULL && i < scenario_file_count(work->scenario); i++) {
        struct blob blob = blob_read(".", work->scenario->files[i]);
        uint64_t versions = versions_of(work, i, &blob);
        if ((versions & allowed(expected)) == 0)
            problem = unlike(work, i, &blob, versions, expected);
        blob_free(&blob);
    }
    return problem;
}

/* All files together; *ret_version is the latest update after which they are like that. */
static const char *judge_together(const struct work *work, const struct expected *expected,
                                  const struct blob *blobs, unsigned *ret_version)
{
    uint64_t together = allowed(expected);
    for (unsigned i = 0; i < scenario_file_count(work->scenario); i++) {
        uint64_t versions = versions_of(work, i, &blobs[i]);
        if ((versions & allowed(expected)) == 0)
            return unlike(work, i, &blobs[i], versions, expected);
        if ((versions & together) == 0)
            return wrong("mixed: %s is of update %d, files before it are not",
                         work->scenario->files[i], __builtin_ctzll(versions));
        together &= versions;
    }
    *ret_version = 63 - (unsigned)__builtin_clzll(together);
    return NULL;
}

static const char *judge_plain(const struct work *work, const struct expected *expected,
                               unsigned *ret_version)
{
    struct blob blobs[FILES];
    unsigned count = scenario_file_count(work->scenario);
    for (unsigned i = 0; i < count; i++)
        blobs[i] = blob_read(".", work->scenario->files[i]);
    const char *problem = judge_together(work, expected, blobs, ret_version);
    for (unsigned i = 0; i < count; i++)
        blob_free(&blobs[i]);
    return problem;
}

/* ---- through untorn ---- */

static const char *said(const char *what, const struct untorn_error *error)
{
    char text[UNTORN_TEXT_SIZE];
    return wrong("%s: %.*s", what, WORDS, untorn_describe(error, text, sizeof text));
}

static const char *judge_read(const struct work *work, const struct expected *expected,
                              unsigned *ret_version)
{
    struct untorn_content contents[FILES];
    struct untorn_error error;
    struct blob blobs[FILES];
    unsigned count = scenario_file_count(work->scenario);
    const char *problem;
    int rc = untorn_read_set(work->scenario->files, count, NULL, contents, &error);
    for (unsigned i = 0; i < count; i++)
        blobs[i] = (struct blob){contents[i].data, contents[i].size};
    if (rc != 0)
        problem = said("cannot be read", &error); /* mixed, contents are given nevertheless */
    else
        problem = judge_together(work, expected, blobs, ret_version);
    for (unsigned i = 0; i < count; i++)
        untorn_content_free(&contents[i]);
    return problem;
}

static const char *repair_by_command(const struct work *work, const char *directory)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        /* What it found is not what is judged. */
        if (freopen("/dev/null", "w", stdout) == NULL)
            _exit(125);
        execl(work->command, "untorn", "check", "--repair", directory, (char *)NULL);
        _exit(125);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        place_die("cannot run", work->command);
    return status == 0 ? NULL : wrong("untorn check --repair %s: status %d", directory, status);
}

static const char *repair_in(const struct work *work, const char *directory)
{
    struct untorn_check check = {.repair = true};
    struct untorn_error error;
    size_t open = 0;
    if (access(directory, F_OK) != 0)
        return NULL;
    if (work->scenario->traits & BY_COMMAND)
        return repair_by_command(work, directory);
    if (untorn_check(directory, &check, NULL, &open, &error) != 0)
        return said("cannot be repaired", &error);
    return open == 0 ? NULL : wrong("%zu findings in %s stay", open, directory);
}

static const char *repair(const struct work *work)
{
    static const char *const directories[] = {"d", "e", "d/new"};
    const char *problem = NULL;
    for (unsigned i = 0; problem == NULL && i < 3; i++)
        problem = repair_in(work, directories[i]);
    return problem;
}

/* What a lock file says of its latest holder may change. */
static char *snapshot(void)
{
    char *all = place_snapshot("."), *from = all, *to = all;
    while (*from != 0) {
        size_t size = strcspn(from, "\n") + 1;
        char *lock = strstr(from, "/lock");
        if (lock == NULL || lock >= from + size) {
            memmove(to, from, size);
            to += size;
        }
        from += size;
    }
    *to = 0;
    return all;
}

static const char *judge_repairs(const struct work *work)
{
    const char *problem = repair(work);
    if (problem != NULL)
        return problem;
    char *before = snapshot();
    problem = repair(work);
    char *after = snapshot();
    if (problem == NULL && strcmp(before, after) != 0)
        problem = wrong("a second repair changes something");
    free(before);
    free(after);
    return problem;
}

static const char *judge_left(const struct work *work)
{
    char names[512] = "d e d/new d/link d/source lost+found", problem[256];
    for (unsigned i = 0; i < scenario_file_count(work->scenario); i++) {
        strcat(names, " ");
        strcat(names, work->scenario->files[i]);
    }
    return place_is_tidy(".", names, problem, sizeof problem) ? NULL : wrong("%s", problem);
}

/* ---- the history ---- */

struct history {
    const struct work *work;
    unsigned file;
    uint64_t versions; /* that the first entry is */
    const char *problem;
};

static int judge_version(void *context, const struct untorn_version *version)
{
    struct history *history = context;
    const char *path = history->work->scenario->files[history->file];
    struct untorn_content content;
    struct untorn_error error;
    if (!version->whole) {
        history->problem = wrong("version %u of %s is not whole", version->number, path);
    } else if (untorn_version_read(path, version->number, NULL, &content, &error) != 0) {
        history->problem = said("a version cannot be read", &error);
    } else {
        struct blob blob = {content.data, content.size};
        uint64_t versions = versions_of(history->work, history->file, &blob);
        if (versions == 0)
            history->problem = wrong("version %u of %s never was", version->number, path);
        if (version->number == 1)
            history->versions = versions;
        untorn_content_free(&content);
    }
    return history->problem != NULL;
}

static const char *judge_history(const struct work *work, const struct expected *expected,
                                 unsigned version)
{
    for (unsigned i = 0; i < scenario_file_count(work->scenario); i++) {
        struct history history = {.work = work, .file = i};
        struct untorn_error error;
        int rc = untorn_log(work->scenario->files[i], judge_version, &history, NULL, &error);
        if (history.problem != NULL)
            return history.problem;
        if (rc != 0 && rc != -UNTORN_MISSING)
            return said("no history", &error);
        bool kept = (history.versions & expected->before[version]) != 0;
        if (work->scenario->traits & KEEPS && version > 0 && !kept)
            return wrong("version 1 of %s is not that before update %u", work->scenario->files[i],
                         version);
        if (work->scenario->traits & HISTORY_OFF && history.versions != 0)
            return wrong("a version of %s is kept", work->scenario->files[i]);
    }
    return NULL;
}

/* ---- the next call ---- */

struct next {
    const struct work *work;
    uint64_t versions; /* what it found */
};

static int see_and_change(void *context, const struct untorn_content *old,
                          struct untorn_change *change)
{
    struct next *next = context;
    struct blob blob = {old ? old->data : NULL, old ? old->size : 0};
    next->versions = versions_of(next->work, 0, &blob);
    return untorn_change_set(change, "null\n", 5);
}

static const char *judge_next(const struct work *work, unsigned version)
{
    struct next next = {.work = work};
    struct untorn_error error;
    const char *path = work->scenario->files[0];
    /* Not "null" in a file of another kind. */
    bool is_document = untorn_format_of_path(path) != UNTORN_FORMAT_UNKNOWN;
    if (is_document || work->scenario->traits & APPENDS)
        return NULL;
    if (untorn_update(path, see_and_change, &next, NULL, &error) != 0)
        return said("the next call fails", &error);
    if ((next.versions >> version & 1) == 0)
        return wrong("the next call found another version");
    struct blob blob = blob_read(".", path), written = {(char[]){"null\n"}, 5};
    const char *problem = blob_equal(&blob, &written) ? NULL : wrong("the next call wrote nothing");
    blob_free(&blob);
    return problem;
}

/* ---- a log ---- */

static bool begins_with(const struct blob *blob, const struct blob *beginning)
{
    return blob->data != NULL && blob->size >= beginning->size &&
           memcmp(blob->data, beginning->data, beginning->size) == 0;
}

/* What was there stays; of the record that was being added a part may be there. */
static const char *judge_log(const struct work *work, unsigned done, unsigned tried)
{
    struct blob blob = blob_read(".", work->scenario->files[0]);
    const struct blob *surely = scenario_known(work, done, 0);
    const struct blob *perhaps = scenario_known(work, tried, 0);
    const char *problem = NULL;
    if (!begins_with(&blob, surely))
        problem = wrong("records that were acknowledged are not there (%u)", done);
    else if (blob.size > perhaps->size)
        problem = wrong("there is more than was ever added");
    blob_free(&blob);
    return problem;
}

/* Between the records before and the next one there is the record that was being added; in a file
 * of text, where nobody can tell, perhaps a part of it on a line of its own. */
static const char *judge_lines(const struct work *work, unsigned done, unsigned tried,
                               const struct blob *next)
{
    bool json = strstr(work->scenario->files[0], ".jsonl") != NULL;
    struct blob blob = blob_read(".", work->scenario->files[0]);
    const struct blob *surely = scenario_known(work, done, 0);
    const struct blob *perhaps = scenario_known(work, tried, 0);
    const char *problem = NULL;
    size_t between = blob.size - surely->size - next->size;
    if (blob.size < surely->size + next->size || !begins_with(&blob, surely))
        problem = wrong("the next append destroyed records");
    else if (memcmp(blob.data + blob.size - next->size, next->data, next->size) != 0)
        problem = wrong("the next record is not at the end");
    else if (between > 0 && blob.data[surely->size + between - 1] != '\n')
        problem = wrong("two records are fused");
    else if (json && between > 0 &&
             (between != perhaps->size - surely->size ||
              memcmp(blob.data, perhaps->data, perhaps->size) != 0))
        problem = wrong("a line is no record");
    blob_free(&blob);
    return problem;
}

static const char *judge_appends(const struct work *work, const struct expected *expected)
{
    struct blob next = {(char[]){"\"next\"\n"}, 7};
    unsigned done = expected->done[0], tried = expected->tried[0];
    struct untorn_error error;
    const char *problem = judge_log(work, done, tried);
    if (problem == NULL)
        problem = judge_repairs(work);
    if (problem == NULL)
        problem = judge_log(work, done, tried);
    if (problem != NULL)
        return problem;
    if (untorn_append(work->scenario->files[0], next.data, next.size, UNTORN_RECORDS_BY_NAME, NULL,
                      &error) != 0)
        return said("the next append fails", &error);
    return judge_lines(work, done, tried, &next);
}

/* ---- a crowd ---- */

static const char *judge_made(const struct work *work, const struct expected *expected,
                              unsigned ret_made[CROWD])
{
    struct blob blob = blob_read(".", work->scenario->files[0]);
    bool whole = scenario_is_of_crowd(work, &blob, ret_made);
    const char *problem = whole ? NULL : unlike(work, 0, &blob, 0, expected);
    for (unsigned i = 0; problem == NULL && i < CROWD; i++)
        if (ret_made[i] < expected->done[i] || ret_made[i] > expected->tried[i])
            problem = wrong("of process %u there are %u keys; %u are acknowledged, %u begun", i,
                            ret_made[i], expected->done[i], expected->tried[i]);
    blob_free(&blob);
    return problem;
}

static const char *judge_crowd(const struct work *work, const struct expected *expected)
{
    unsigned before[CROWD] = {0}, after[CROWD] = {0};
    const char *problem = judge_made(work, expected, before);
    if (problem == NULL)
        problem = judge_repairs(work);
    if (problem == NULL)
        problem = judge_made(work, expected, after);
    if (problem == NULL && memcmp(before, after, sizeof before) != 0)
        problem = wrong("the repair changed the document");
    if (problem == NULL && scenario_act(work, 0, after[0] + 1) != 0)
        problem = wrong("the next call fails");
    if (problem == NULL) {
        struct expected then = *expected;
        then.done[0] = then.tried[0] = after[0] + 1;
        problem = judge_made(work, &then, after);
    }
    return problem;
}

/* ---- all of it ---- */

static const char *judge_versions(const struct work *work, const struct expected *expected,
                                  enum judge_how how)
{
    unsigned seen = 0, recovered = 0;
    const char *problem = NULL;
    if ((work->scenario->traits & IN_PLACE) == 0)
        problem = judge_each(work, expected);
    if (problem == NULL)
        problem = judge_read(work, expected, &seen);
    if (problem == NULL)
        problem = judge_repairs(work);
    if (problem == NULL)
        problem = judge_plain(work, expected, &recovered);
    /* What was under way may come to its end now, but what was read stays. */
    if (problem == NULL && recovered < seen)
        problem = wrong("update %u was read, but recovery left %u", seen, recovered);
    if (problem == NULL)
        problem = judge_history(work, expected, recovered);
    if (problem == NULL && how == JUDGE_ALL)
        problem = judge_next(work, recovered);
    return problem;
}

const char *judge(const struct work *work, const struct expected *expected, enum judge_how how)
{
    unsigned version, traits = work->scenario->traits;
    const char *problem;
    if (how == JUDGE_PLAIN || traits & WITHOUT)
        return judge_plain(work, expected, &version);
    if (traits & CROWDED)
        problem = judge_crowd(work, expected);
    else if (traits & APPENDS)
        problem = judge_appends(work, expected);
    else
        problem = judge_versions(work, expected, how);
    return problem != NULL ? problem : judge_left(work);
}
