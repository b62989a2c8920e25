/* untorn write: replace a file by standard input or by another file. */
#include "dryrun.h"
#include "input.h"
#include "limits.h"
#include "options.h"
#include "outcome.h"

struct writing {
    const struct arguments *arguments;
    struct input input;
    struct outcome outcome;
    char piece[CLI_PIECE];
    size_t size; /* of the piece */
};

/* False after noting in the outcome why not. */
static bool next_piece(struct writing *writing)
{
    int error = input_piece(&writing->input, writing->piece, sizeof writing->piece, &writing->size);
    if (error != 0)
        outcome_source(&writing->outcome, writing->input.name, error);
    return error == 0;
}

/* All pieces from the one that was read to the end. */
static void write_pieces(struct writing *writing)
{
    struct untorn_writer *writer = NULL;
    struct untorn_error error;
    int rc =
        untorn_writer_begin(writing->outcome.path, &writing->arguments->options, &writer, &error);
    while (rc == 0 && writing->size > 0) {
        rc = untorn_writer_write(writer, writing->piece, writing->size, &error);
        if (rc == 0 && !next_piece(writing)) {
            untorn_writer_free(writer);
            return;
        }
    }
    if (rc == 0)
        rc = untorn_writer_commit(writer, &error);
    writing->outcome.has_hash = rc >= 0;
    if (rc >= 0)
        writing->outcome.hash = untorn_writer_hash(writer);
    untorn_writer_free(writer);
    outcome_library(&writing->outcome, &error);
}

static bool has_content(const char *path)
{
    uint64_t size;
    return system_kind(path, true, &size) == SYSTEM_FILE && size > 0;
}

/* Empty standard input: looked at under the lock, so that nobody's content is emptied that came
 * after the look. */
static void write_nothing(struct writing *writing)
{
    const char *path = writing->outcome.path;
    struct untorn_lock *lock = NULL;
    struct untorn_error error;
    if (untorn_lock(path, UNTORN_LOCK_EXCLUSIVE, &writing->arguments->options, &lock, &error) != 0)
        outcome_library(&writing->outcome, &error);
    else if (has_content(path))
        outcome_refuse_empty(&writing->outcome);
    else
        write_pieces(writing);
    untorn_unlock(lock);
}

static void write_dry_run(struct writing *writing)
{
    struct bytes content = {0};
    int error = bytes_read_all(&content, writing->input.stream);
    bool guarded = writing->input.is_standard && !writing->arguments->allow_empty;
    if (error != 0)
        outcome_source(&writing->outcome, writing->input.name, error);
    else if (content.size == 0 && guarded && has_content(writing->outcome.path))
        outcome_refuse_empty(&writing->outcome);
    else
        dry_run_show(&writing->outcome, content.data, content.size);
    bytes_free(&content);
}

static void write_filter(struct writing *writing)
{
    int error = input_to_output(&writing->input);
    if (error != 0)
        outcome_source(&writing->outcome, writing->input.name, error);
}

static int run_write(struct arguments *arguments)
{
    static struct writing writing; /* static for its size; it starts zeroed */
    const char *source = arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    writing.arguments = arguments;
    writing.outcome = outcome_begin(arguments, arguments->operands[0]);
    int error = input_open(source, &writing.input);
    if (error != 0)
        outcome_source(&writing.outcome, writing.input.name, error);
    else if (is_filter(arguments))
        write_filter(&writing);
    else if (arguments->dry_run)
        write_dry_run(&writing);
    else if (!next_piece(&writing))
        ; /* the outcome says why */
    else if (writing.size == 0 && writing.input.is_standard && !arguments->allow_empty &&
             !arguments->options.exclusive)
        write_nothing(&writing);
    else
        write_pieces(&writing);
    input_close(&writing.input);
    return outcome_finish(&writing.outcome);
}

const struct verb verb_write = {
    .name = "write",
    .operands = "FILE [SOURCE]",
    .summary = "replace FILE by standard input or SOURCE, whole or not at all",
    .explanation =
        "Standard input, or the file SOURCE, becomes FILE. Until it is done everybody\n"
        "reads the old version, then everybody the new one; also after kill -9 and power\n"
        "loss. Mode, owner, ACL and symbolic links stay. FILE - copies to standard\n"
        "output. The last writer wins: to change what is there, use untorn update or\n"
        "--if-match.",
    .examples = "  date | untorn write stamp.txt\n"
                "  untorn write --mode 600 token.txt token.new\n"
                "  untorn write --if-match \"$(untorn hash app.conf)\" app.conf app.new\n",
    .exits = "  0  done\n"
             "  1  failed, the old content stays; standard input was empty and FILE is not\n"
             "  2  usage\n"
             "  3  no such SOURCE, or no such directory\n"
             "  4  FILE is not a regular file\n"
             "  5  FILE changed (--if-match) or exists (--exclusive)\n"
             "  6  lock not obtained in time\n"
             "  7  not settled: saved, but not confirmed on the disk, or not reported\n",
    .options = OPTION_IF_MATCH | OPTION_IF_CHANGED | OPTION_EXCLUSIVE | OPTION_ALLOW_EMPTY |
               OPTION_KEEP | OPTION_LEVEL | OPTION_MODE | OPTION_PARENTS | OPTION_KEEP_INODE |
               OPTION_SYMLINK | OPTION_WAIT | OPTION_LOCK_FILE | OPTION_STATE_DIR | OPTION_STRICT |
               OPTION_DRY_RUN | OPTION_REPORT,
    .filter_options = OPTION_ALLOW_EMPTY,
    .filters = true,
    .fewest = 1,
    .most = 2,
    .run = run_write,
};
