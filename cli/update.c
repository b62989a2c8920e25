/* untorn update: a command changes the content, under the lock. */
#include <string.h>

#include "child.h"
#include "document.h"
#include "dryrun.h"
#include "input.h"
#include "limits.h"
#include "options.h"
#include "outcome.h"
#include "output.h"
#include "system.h"

struct updating {
    struct arguments *arguments;
    struct outcome outcome;
    enum untorn_format format; /* of a document; UNTORN_FORMAT_UNKNOWN: no matter what it is */
    const char *lock_value;    /* NULL if no lock is held */
    bool refused;              /* the outcome says why */
    int signal;                /* that untorn got while the command ran */
    struct untorn_hash hash;   /* of what the command printed */
};

/* What the reader of a message wants to know after a failure. */
static const char *what_stays(const struct updating *updating)
{
    return is_filter(updating->arguments) ? "nothing is printed" : "the file is unchanged";
}

static void refuse_command(struct updating *updating, const struct child_result *result)
{
    struct outcome *outcome = &updating->outcome;
    const char *name = updating->arguments->command[0], *stays = what_stays(updating);
    if (result->start_error != 0)
        outcome_fail(outcome, UNTORN_REFUSED, child_start_status(result), "cannot run %s: %s; %s",
                     name, system_error(result->start_error), stays);
    else if (result->pipe_error != 0)
        outcome_fail(outcome, UNTORN_REFUSED, 1, "cannot collect what %s prints: %s; %s", name,
                     system_error(result->pipe_error), stays);
    else if (result->killed_by != 0)
        outcome_fail(outcome, UNTORN_REFUSED, 1, "the command was killed by signal %d (%s); %s",
                     result->killed_by, child_signal_text(result->killed_by), stays);
    else
        outcome_fail(outcome, UNTORN_REFUSED, 1, "the command failed with status %d; %s",
                     result->exit_status, stays);
}

static void refuse_empty(struct updating *updating, bool exists)
{
    if (exists)
        outcome_fail(&updating->outcome, UNTORN_REFUSED, 1,
                     "the command printed nothing; %s (to let it: --allow-empty)",
                     what_stays(updating));
    else
        outcome_fail(&updating->outcome, UNTORN_MISSING, 3,
                     "no such file, and the command printed nothing (to create an empty file: "
                     "--allow-empty)");
}

/* What replaces a document must be one. What it replaces need not: so it can be repaired. */
static bool is_document(struct updating *updating, const struct bytes *output)
{
    struct untorn_error error;
    struct outcome *outcome = &updating->outcome;
    if (updating->format == UNTORN_FORMAT_UNKNOWN || output->size == 0)
        return true;
    if (untorn_document_check(output->data, output->size, updating->format, &error) == 0)
        return true;
    outcome_library(outcome, &error);
    if (error.status == UNTORN_DAMAGED)
        outcome_fail(outcome, UNTORN_NOT_A_DOCUMENT, untorn_status_exit_code(UNTORN_NOT_A_DOCUMENT),
                     "what the command printed is not %s: %.*s; %s (to let it: --format text)",
                     format_word(updating->format), (int)strcspn(error.detail, "\n"), error.detail,
                     what_stays(updating));
    return false;
}

/* Runs the command on `old`; NULL: there is no file. False: the outcome says why not. */
static bool run_command(struct updating *updating, const char *old, size_t size,
                        struct bytes *output)
{
    bool guarded = !updating->arguments->allow_empty;
    struct child_result result =
        child_filter(updating->arguments->command, updating->lock_value, old, size, output);
    updating->signal = result.signal;
    updating->refused = true;
    if (result.start_error || result.pipe_error || result.killed_by || result.exit_status)
        refuse_command(updating, &result);
    else if (result.signal)
        outcome_fail(&updating->outcome, UNTORN_REFUSED, 1, "interrupted; %s",
                     what_stays(updating));
    else if (output->size == 0 && guarded && (!old || size > 0))
        refuse_empty(updating, old != NULL);
    else if (!is_document(updating, output))
        ; /* the outcome says why */
    else
        updating->refused = false;
    return !updating->refused;
}

static int change(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    struct updating *updating = context;
    struct bytes output = {0};
    if (!run_command(updating, old ? old->data : NULL, old ? old->size : 0, &output)) {
        bytes_free(&output);
        return 1;
    }
    updating->hash = untorn_hash(output.data, output.size);
    untorn_change_give(change, output.data, output.size);
    return 0;
}

/* The lock is taken before, not only inside untorn_update, so that the command can be told of it:
 * untorn calls on the same file inside the command then nest. */
static void update_file(struct updating *updating)
{
    static char value[CLI_LOCK_VALUE];
    const struct untorn_options *options = &updating->arguments->options;
    const char *path = updating->outcome.path;
    struct untorn_lock *lock = NULL;
    struct untorn_error error;
    int rc = untorn_lock(path, UNTORN_LOCK_EXCLUSIVE, options, &lock, &error);
    int passed = rc == 0 ? untorn_lock_pass_on(&lock, 1, value, sizeof value) : 0;
    if (rc != 0) {
        outcome_library(&updating->outcome, &error);
    } else if (passed != 0) {
        outcome_result(&updating->outcome, "cannot pass the lock on", passed);
    } else {
        updating->lock_value = value;
        rc = untorn_update(path, change, updating, options, &error);
        if (!updating->refused)
            outcome_library(&updating->outcome, &error);
        updating->outcome.flags = error.flags;
    }
    untorn_unlock(lock);
    updating->outcome.has_hash = updating->lock_value && rc >= 0;
    updating->outcome.hash = updating->hash;
}

static void update_dry_run(struct updating *updating)
{
    struct untorn_content old;
    struct untorn_error error;
    struct bytes output = {0};
    int rc = untorn_read(updating->outcome.path, &updating->arguments->options, &old, &error);
    if (rc != 0 && !outcome_would_create(&updating->outcome, &error))
        outcome_library(&updating->outcome, &error);
    else if (run_command(updating, rc == 0 ? old.data : NULL, old.size, &output))
        dry_run_show(&updating->outcome, output.data, output.size);
    untorn_content_free(&old);
    bytes_free(&output);
}

static void update_filter(struct updating *updating)
{
    struct input input;
    struct bytes old = {0}, output = {0};
    int error = input_open(NULL, &input);
    if (error == 0)
        error = bytes_read_all(&old, input.stream);
    if (error != 0)
        outcome_source(&updating->outcome, input.name, error);
    else if (run_command(updating, old.data ? old.data : "", old.size, &output))
        output_bytes(output.data, output.size);
    bytes_free(&old);
    bytes_free(&output);
}

static int run_update(struct arguments *arguments)
{
    struct updating updating = {.arguments = arguments};
    updating.outcome = outcome_begin(arguments, arguments->operands[0]);
    updating.format = arguments->format;
    if (!arguments->is_text && !is_filter(arguments) && updating.format == UNTORN_FORMAT_UNKNOWN)
        updating.format = untorn_format_of_path(updating.outcome.path);
    if (is_filter(arguments))
        update_filter(&updating);
    else if (arguments->dry_run)
        update_dry_run(&updating);
    else
        update_file(&updating);
    if (updating.refused && updating.signal != 0)
        child_die_of(updating.signal);
    return outcome_finish(&updating.outcome);
}

const struct verb verb_update = {
    .name = "update",
    .operands = "FILE -- CMD [ARG]...",
    .summary = "let CMD filter the content of FILE, under its lock",
    .explanation =
        "CMD gets the content of FILE as its standard input; what it prints becomes the\n"
        "content, if it exits with 0, and if it still is JSON or TOML where the name of\n"
        "FILE says so (--format text switches that off). The lock is held from before\n"
        "the read until after the save, so no update is lost; untorn inside CMD does not\n"
        "wait for it. A missing FILE is empty input. If something else replaces FILE\n"
        "meanwhile, CMD runs again on the newer version. FILE - filters standard input\n"
        "to standard output.",
    .examples = "  untorn update state.json -- jq '.n += 1'\n"
                "  untorn update hosts.txt -- sort -u\n"
                "  untorn update --dry-run app.conf -- sed 's/debug/info/'\n",
    .exits = "  0  done\n"
             "  1  failed, the old content stays; CMD failed, was killed, printed nothing, or\n"
             "     what is no document of this kind\n"
             "  2  usage\n"
             "  3  no such directory; no such FILE, and CMD printed nothing\n"
             "  4  FILE is not a regular file\n"
             "  5  FILE changed (--if-match)\n"
             "  6  lock not obtained in time\n"
             "  7  not settled: saved, but not confirmed on the disk, or not reported\n"
             "  126, 127  CMD cannot be run, is not found\n",
    .options = OPTION_FORMAT | OPTION_IF_MATCH | OPTION_IF_CHANGED | OPTION_ALLOW_EMPTY |
               OPTION_KEEP | OPTION_LEVEL | OPTION_MODE | OPTION_PARENTS | OPTION_KEEP_INODE |
               OPTION_SYMLINK | OPTION_WAIT | OPTION_LOCK_FILE | OPTION_STATE_DIR | OPTION_STRICT |
               OPTION_DRY_RUN | OPTION_REPORT,
    .filter_options = OPTION_ALLOW_EMPTY | OPTION_FORMAT,
    .filters = true,
    .fewest = 1,
    .most = 1,
    .takes_command = true,
    .run = run_update,
};
