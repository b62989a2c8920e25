/* untorn log, show, diff, restore and undo: the earlier versions of a file. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diff.h"
#include "dryrun.h"
#include "here.h"
#include "message.h"
#include "options.h"
#include "outcome.h"
#include "output.h"
#include "start.h"

/* The operand behind FILE: 1 to 999999. 0 after telling what is wrong. */
static unsigned version_number(const struct arguments *arguments)
{
    const char *word = arguments->operand_count > 1 ? arguments->operands[1] : "1";
    size_t length = strlen(word);
    bool fits = length > 0 && length <= 6 && strspn(word, "0123456789") == length;
    unsigned number = fits ? (unsigned)strtoul(word, NULL, 10) : 0;
    if (number == 0)
        usage_error(arguments->verb,
                    "'%s' is no version; 1 is the previous one, untorn log lists them", word);
    return number;
}

/* ---- log ---- */

static void format_time(int64_t seconds, char *text, size_t size)
{
    time_t time = (time_t)seconds;
    const struct tm *parts = localtime(&time);
    if (!parts || strftime(text, size, "%Y-%m-%d %H:%M:%S", parts) == 0)
        text[0] = '\0';
}

static void report_version(const char *path, const struct untorn_version *version)
{
    char hash[UNTORN_HASH_TEXT_SIZE];
    output_text("{\"verb\":\"log\",\"path\":");
    output_json_text(path);
    output_format(",\"version\":%u,\"time\":%lld,\"size\":%llu,\"hash\":\"%s\",\"whole\":%s",
                  version->number, (long long)version->time, (unsigned long long)version->size,
                  untorn_hash_format(&version->hash, hash), version->whole ? "true" : "false");
    if (version->set)
        output_format(",\"set\":\"%s\"", version->set);
    output_text("}\n");
}

static int print_version(void *context, const struct untorn_version *version)
{
    const struct outcome *outcome = context;
    char hash[UNTORN_HASH_TEXT_SIZE], time[32];
    if (outcome->arguments->report) {
        report_version(outcome->path, version);
        return 0;
    }
    format_time(version->time, time, sizeof time);
    output_format("%4u  %s  %10llu  %s%s%s\n", version->number, time,
                  (unsigned long long)version->size, untorn_hash_format(&version->hash, hash),
                  version->set ? "  in a set" : "", version->whole ? "" : "  damaged");
    return 0;
}

static int run_log(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    struct untorn_error error;
    int rc = untorn_log(outcome.path, print_version, &outcome, &arguments->options, &error);
    outcome_library(&outcome, &error);
    if (rc != 0)
        return outcome_finish(&outcome);
    return 0;
}

/* ---- show and diff ---- */

static bool read_version(struct outcome *outcome, unsigned number,
                         struct untorn_content *ret_content)
{
    struct untorn_error error;
    int rc = untorn_version_read(outcome->path, number, &outcome->arguments->options, ret_content,
                                 &error);
    outcome_library(outcome, &error);
    return rc == 0;
}

static int run_show(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    struct untorn_content version = {0};
    unsigned number = version_number(arguments);
    if (number == 0)
        return 2;
    if (read_version(&outcome, number, &version))
        (void)output_now(version.data, version.size);
    untorn_content_free(&version);
    return outcome_finish(&outcome);
}

/* From the version to the file as it is. */
static void show_difference(struct outcome *outcome, unsigned number)
{
    struct untorn_content version = {0}, now = {0};
    struct untorn_error error;
    if (read_version(outcome, number, &version)) {
        int rc = untorn_read(outcome->path, &outcome->arguments->options, &now, &error);
        if (rc != 0 && error.status != UNTORN_MISSING)
            outcome_library(outcome, &error);
        else
            diff_print(outcome->path, version.data, version.size, rc == 0 ? now.data : "",
                       now.size);
    }
    untorn_content_free(&version);
    untorn_content_free(&now);
}

static int run_diff(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    unsigned number = version_number(arguments);
    if (number == 0)
        return 2;
    show_difference(&outcome, number);
    return outcome_finish(&outcome);
}

/* ---- restore and undo ---- */

/* What came back is what was asked for; that it is no whole document the user may not know. */
static void note_damage(const struct outcome *outcome, const char *path)
{
    struct untorn_content content;
    struct untorn_error error;
    enum untorn_verdict verdict;
    enum untorn_format format = untorn_format_of_path(path);
    if (!format)
        return;
    if (untorn_read_judged(path, format, &outcome->arguments->options, &content, &verdict,
                           &error) == 0 &&
        error.status == UNTORN_DAMAGED)
        message("%s: note: the version that came back is damaged: %.*s", path_from_here(path),
                (int)strcspn(error.detail, "\n"), error.detail);
    untorn_content_free(&content);
}

/* With the same conditions as if it were done. */
static void preview_restore(struct outcome *outcome, unsigned number)
{
    struct untorn_content version = {0};
    if (read_version(outcome, number, &version))
        dry_run_show(outcome, version.data, version.size);
    untorn_content_free(&version);
}

static int run_restore(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    struct untorn_error error;
    unsigned number = version_number(arguments);
    if (number == 0)
        return 2;
    if (arguments->dry_run) {
        preview_restore(&outcome, number);
    } else {
        int rc = untorn_restore(outcome.path, number, &arguments->options, &error);
        outcome_library(&outcome, &error);
        if (rc >= 0)
            note_damage(&outcome, outcome.path);
    }
    return outcome_finish(&outcome);
}

/* Of a set all paths are listed; a single file was named by the user. */
struct undone {
    struct words paths;
    bool lacks_memory;
};

static void note_undone(void *context, const char *path)
{
    struct undone *undone = context;
    char *copy = strdup(path);
    if (!copy || !words_add(&undone->paths, copy)) {
        free(copy);
        undone->lacks_memory = true;
    }
} /* NOLINT(clang-analyzer-unix.Malloc): the list has it */

static void list_undone(const struct undone *undone, struct outcome *outcome)
{
    if (undone->paths.count < 2 && !undone->lacks_memory)
        return;
    outcome->files = &undone->paths;
    for (size_t i = 0; !outcome->arguments->report && i < undone->paths.count; i++) {
        output_escaped(path_from_here(undone->paths.items[i]));
        output_text("\n");
    }
}

/* A file that would change is shown as it is and as it would be. */
static void show_undoing(void *context, const char *path, const struct untorn_content *content)
{
    struct outcome *outcome = context;
    struct untorn_content now = {0};
    struct untorn_error error;
    int rc = untorn_read(path, &outcome->arguments->options, &now, &error);
    if (rc != 0 && error.status != UNTORN_MISSING)
        outcome_library(outcome, &error);
    else
        diff_print(path_from_here(path), rc == 0 ? now.data : NULL, now.size,
                   content ? content->data : "", content ? content->size : 0);
    untorn_content_free(&now);
}

/* The file at fault may be another one of the set. */
static void note_outcome(struct outcome *outcome, struct untorn_error *error)
{
    if (strcmp(error->path, outcome->path) != 0) {
        const char *path = path_from_here(error->path);
        memmove(error->path, path, strlen(path) + 1);
    }
    outcome_library(outcome, error);
}

static void preview_undo(struct outcome *outcome)
{
    struct untorn_error error;
    if (untorn_undo_preview(outcome->path, show_undoing, outcome, &outcome->arguments->options,
                            &error) != 0)
        note_outcome(outcome, &error);
}

static int run_undo(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    struct undone undone = {0};
    struct untorn_error error;
    start_many_files();
    if (arguments->dry_run) {
        preview_undo(&outcome);
    } else {
        int rc = untorn_undo(outcome.path, note_undone, &undone, &arguments->options, &error);
        note_outcome(&outcome, &error);
        if (rc >= 0)
            list_undone(&undone, &outcome);
        for (size_t i = 0; rc >= 0 && i < undone.paths.count; i++)
            note_damage(&outcome, undone.paths.items[i]);
    }
    int status = outcome_finish(&outcome);
    for (size_t i = 0; i < undone.paths.count; i++)
        free((char *)undone.paths.items[i]);
    words_free(&undone.paths);
    return status;
}

#define READING (OPTION_SYMLINK | OPTION_STATE_DIR)
#define CHANGING                                                                                   \
    (OPTION_IF_MATCH | OPTION_KEEP | OPTION_LEVEL | OPTION_SYMLINK | OPTION_WAIT |                 \
     OPTION_STATE_DIR | OPTION_STRICT | OPTION_DRY_RUN | OPTION_REPORT)

#define READING_EXITS                                                                              \
    "  0  done\n"                                                                                  \
    "  1  failed; standard output did not take everything\n"                                       \
    "  2  usage\n"                                                                                 \
    "  3  no such file or version\n"                                                               \
    "  4  the version was changed after it was kept\n"

#define CHANGING_EXITS                                                                             \
    "  0  done\n"                                                                                  \
    "  1  failed, the old content stays\n"                                                         \
    "  2  usage\n"                                                                                 \
    "  3  no such file or version\n"                                                               \
    "  4  the version was changed after it was kept; FILE is not a regular file\n"                 \
    "  5  FILE, or a file that was committed with it, changed since\n"                             \
    "  6  lock not obtained in time\n"                                                             \
    "  7  not settled: done, but not confirmed on the disk, or not reported\n"

const struct verb verb_log = {
    .name = "log",
    .operands = "FILE",
    .summary = "list the earlier versions of FILE",
    .explanation =
        "A line for each version that was kept when FILE was replaced: its number (1 is\n"
        "the previous one), when it was written, its size and its hash. `in a set` marks\n"
        "one that was replaced together with other files. How many are kept is said by\n"
        "--keep of the verbs that change a file: one unless told otherwise.",
    .examples = "  untorn log app.conf\n"
                "  untorn log --report app.conf | jq .hash\n",
    .exits = READING_EXITS,
    .options = READING | OPTION_REPORT,
    .fewest = 1,
    .most = 1,
    .run = run_log,
};

const struct verb verb_show = {
    .name = "show",
    .operands = "FILE [N]",
    .summary = "print an earlier version of FILE",
    .explanation = "Prints version N of FILE as untorn log counts them; without N the previous\n"
                   "one. Its hash is checked first.",
    .examples = "  untorn show app.conf\n"
                "  untorn show app.conf 1 | head -3\n",
    .exits = READING_EXITS,
    .options = READING,
    .one_path = true,
    .fewest = 1,
    .most = 2,
    .run = run_show,
};

const struct verb verb_diff = {
    .name = "diff",
    .operands = "FILE [N]",
    .summary = "show what changed in FILE since an earlier version",
    .explanation = "A unified diff from version N, without N the previous one, to FILE as it is\n"
                   "now. Prints nothing if they are the same.",
    .examples = "  untorn diff app.conf\n"
                "  untorn diff app.conf 1\n",
    .exits = READING_EXITS,
    .options = READING,
    .one_path = true,
    .fewest = 1,
    .most = 2,
    .run = run_diff,
};

const struct verb verb_restore = {
    .name = "restore",
    .operands = "FILE N",
    .summary = "make an earlier version of FILE the current one",
    .explanation = "Version N becomes FILE, whole or not at all; what FILE was becomes version 1,\n"
                   "so that nothing is lost. A file that was removed comes back. Only FILE: to\n"
                   "take a whole set back use untorn undo.",
    .examples = "  untorn restore app.conf 1\n"
                "  untorn restore --dry-run app.conf 1\n",
    .exits = CHANGING_EXITS,
    .options = CHANGING,
    .one_path = true,
    .fewest = 2,
    .most = 2,
    .run = run_restore,
};

const struct verb verb_undo = {
    .name = "undo",
    .operands = "FILE",
    .summary = "take the last change of FILE back; again: and forth",
    .explanation =
        "The previous version becomes FILE, and what it was becomes the previous version:\n"
        "a second undo is a redo. If FILE was last changed together with other files, all\n"
        "of them go back in one step, and their paths are listed; if one of them was\n"
        "changed since, nothing happens.",
    .examples = "  untorn undo app.conf\n"
                "  untorn undo --dry-run app.conf\n",
    .exits = CHANGING_EXITS,
    .options = CHANGING,
    .fewest = 1,
    .most = 1,
    .run = run_undo,
};
