/* untorn append: add records to a log. */
#include <errno.h>
#include <string.h>

#include "diff.h"
#include "input.h"
#include "options.h"
#include "outcome.h"
#include "system.h"

static bool ends_line(const char *data, size_t size)
{
    return size == 0 || data[size - 1] == '\n';
}

/* What the file would be, as far as text goes: the library alone knows a torn record. */
static bool joined(struct bytes *whole, const struct untorn_content *old, const struct bytes *added)
{
    return bytes_append(whole, old->data, old->size) &&
           (ends_line(old->data, old->size) || bytes_append(whole, "\n", 1)) &&
           bytes_append(whole, added->data, added->size) &&
           (ends_line(added->data, added->size) || bytes_append(whole, "\n", 1));
}

static void append_dry_run(struct outcome *outcome, const struct bytes *added)
{
    struct untorn_content old;
    struct untorn_error error;
    struct bytes whole = {0};
    bool exists = untorn_read(outcome->path, &outcome->arguments->options, &old, &error) == 0;
    if (!exists && !outcome_would_create(outcome, &error))
        outcome_library(outcome, &error);
    else if (!joined(&whole, &old, added))
        outcome_fail(outcome, UNTORN_NO_MEMORY, 1, "%s", system_error(ENOMEM));
    else
        diff_print(outcome->path, exists ? old.data : NULL, old.size, whole.data, whole.size);
    untorn_content_free(&old);
    bytes_free(&whole);
}

static int run_append(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    struct bytes added = {0};
    struct input input;
    struct untorn_error error;
    int failed = input_open(NULL, &input);
    if (failed == 0)
        failed = bytes_read_all(&added, input.stream);
    if (failed != 0) {
        outcome_source(&outcome, input.name, failed);
    } else if (added.size == 0) {
        outcome.flags = UNTORN_FLAG_UNCHANGED; /* no record, nothing to do */
    } else if (arguments->dry_run) {
        append_dry_run(&outcome, &added);
    } else {
        untorn_append(outcome.path, added.data, added.size, arguments->records, &arguments->options,
                      &error);
        outcome_library(&outcome, &error);
    }
    bytes_free(&added);
    return outcome_finish(&outcome);
}

const struct verb verb_append = {
    .name = "append",
    .operands = "FILE",
    .summary = "add standard input to the log FILE, no line torn or fused",
    .explanation = "Adds the lines of standard input to the end of FILE, all of them or none. A\n"
                   "last line that lacks its newline gains it first. In a .jsonl or .ndjson file\n"
                   "each line must be one JSON value, and a torn record that a crash left is kept\n"
                   "aside before it is cut (untorn check shows it). Empty standard input adds\n"
                   "nothing.",
    .examples = "  echo '{\"n\":1}' | untorn append events.jsonl\n"
                "  date | untorn append --level ordered run.log\n",
    .exits = "  0  done\n"
             "  1  failed, the old content stays\n"
             "  2  usage\n"
             "  3  no such directory\n"
             "  4  FILE is not a regular file; standard input is not what --records says\n"
             "  6  lock not obtained in time\n"
             "  7  not settled: added, but not confirmed on the disk, or not reported\n",
    .options = OPTION_RECORDS | OPTION_LEVEL | OPTION_MODE | OPTION_PARENTS | OPTION_SYMLINK |
               OPTION_WAIT | OPTION_LOCK_FILE | OPTION_STATE_DIR | OPTION_STRICT | OPTION_DRY_RUN |
               OPTION_REPORT,
    .fewest = 1,
    .most = 1,
    .run = run_append,
};
