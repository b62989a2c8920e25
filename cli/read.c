/* untorn read and untorn hash: what a file holds, and which version that is. */
#include <string.h>

#include "input.h"
#include "message.h"
#include "options.h"
#include "outcome.h"
#include "output.h"
#include "verdict.h"

static int filter_read(struct outcome *outcome)
{
    struct input input;
    int error = input_open(NULL, &input);
    if (error == 0)
        error = input_to_output(&input);
    if (error != 0)
        outcome_source(outcome, input.name, error);
    return outcome_finish(outcome);
}

/* The bytes as they are, whatever they are. */
static void read_bytes(struct outcome *outcome)
{
    struct untorn_content content;
    struct untorn_error error;
    if (untorn_read(outcome->path, &outcome->arguments->options, &content, &error) == 0)
        (void)output_now(content.data, content.size); /* output_finish tells if it failed */
    outcome_library(outcome, &error);
    untorn_content_free(&content);
}

/* The bytes, and what is wrong with them. True: an earlier version may be what is wanted. */
static bool read_judged(struct outcome *outcome, enum untorn_format format)
{
    struct untorn_content content;
    struct untorn_error error;
    enum untorn_verdict verdict;
    int rc = untorn_read_judged(outcome->path, format, &outcome->arguments->options, &content,
                                &verdict, &error);
    if (content.data)
        (void)output_now(content.data, content.size);
    verdict_describe(outcome, &error);
    untorn_content_free(&content);
    return rc == 0 && verdict != UNTORN_WHOLE;
}

static void read_last_good(struct outcome *outcome, enum untorn_format format)
{
    struct untorn_content content;
    struct untorn_error error;
    unsigned version;
    int rc = untorn_read_last_good(outcome->path, format, &outcome->arguments->options, &content,
                                   &version, &error);
    if (rc == 0)
        (void)output_now(content.data, content.size);
    verdict_describe(outcome, &error);
    if (error.status == UNTORN_DAMAGED || error.status == UNTORN_MISSING)
        outcome_add(outcome, "; no earlier version that is whole is kept");
    const char *wrong = error.detail[0] ? error.detail : "missing";
    if (version > 0)
        message("%s: this is version %u, the last that is whole (the file: %.*s)", outcome->path,
                version, (int)strcspn(wrong, "\n"), wrong);
    untorn_content_free(&content);
}

static int run_read(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    bool may_help = false;
    if (is_filter(arguments))
        return filter_read(&outcome);
    if (arguments->is_text)
        read_bytes(&outcome);
    else if (arguments->last_good)
        read_last_good(&outcome, arguments->format);
    else
        may_help = read_judged(&outcome, arguments->format);
    int status = outcome_finish(&outcome);
    if (may_help)
        verdict_offer_last_good(arguments, outcome.path, arguments->format);
    return status;
}

static bool hash_input(struct outcome *outcome, struct untorn_hash *ret_hash)
{
    struct input input;
    struct bytes content = {0};
    int error = input_open(NULL, &input);
    if (error == 0)
        error = bytes_read_all(&content, input.stream);
    if (error != 0)
        outcome_source(outcome, input.name, error);
    else
        *ret_hash = untorn_hash(content.data, content.size);
    bytes_free(&content);
    return error == 0;
}

static bool hash_path(struct outcome *outcome, struct untorn_hash *ret_hash)
{
    struct untorn_error error;
    int rc = untorn_hash_file(outcome->path, &outcome->arguments->options, ret_hash, &error);
    outcome_library(outcome, &error);
    return rc == 0;
}

static int run_hash(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    struct untorn_hash hash;
    char text[UNTORN_HASH_TEXT_SIZE];
    if (is_filter(arguments) ? hash_input(&outcome, &hash) : hash_path(&outcome, &hash))
        output_format("%s\n", untorn_hash_format(&hash, text));
    return outcome_finish(&outcome);
}

const struct verb verb_read = {
    .name = "read",
    .operands = "FILE",
    .summary = "print FILE, one whole version of it",
    .explanation =
        "Prints the bytes of FILE. Any program can read a file that untorn keeps; what\n"
        "this adds is that a file which is being overwritten in place, or whose writer\n"
        "died in the middle of that, is read as one whole version. A JSON or TOML file,\n"
        "by its name or --format, that is damaged is printed as it is; a message tells\n"
        "where it is wrong, and the exit status is 4. With --last-good its newest earlier\n"
        "version that is whole is printed instead, and a message says so. Takes no lock,\n"
        "waits for nobody, creates nothing. FILE - copies standard input.",
    .examples = "  untorn read app.conf\n"
                "  untorn read state.json | jq .n\n"
                "  untorn read --last-good state.json > state.recovered\n",
    .exits = "  0  done\n"
             "  1  failed; standard output did not take everything\n"
             "  2  usage\n"
             "  3  no such file\n"
             "  4  FILE is not a regular file, or is damaged; with --last-good: and no earlier\n"
             "     version is whole\n",
    .options = OPTION_FORMAT | OPTION_LAST_GOOD | OPTION_SYMLINK | OPTION_STATE_DIR,
    .filters = true,
    .fewest = 1,
    .most = 1,
    .run = run_read,
};

const struct verb verb_hash = {
    .name = "hash",
    .operands = "FILE",
    .summary = "print the content hash of FILE, for --if-match",
    .explanation =
        "Prints 32 hexadecimal digits that stand for the bytes of FILE (XXH3, 128 bits),\n"
        "read as untorn read reads them. With --if-match they make a later call fail if\n"
        "the file has changed since. Not a cryptographic hash. FILE - hashes standard\n"
        "input.",
    .examples =
        "  untorn hash app.conf\n"
        "  seen=$(untorn hash app.conf); untorn write --if-match \"$seen\" app.conf app.new\n",
    .exits = "  0  done\n"
             "  1  failed; standard output did not take everything\n"
             "  2  usage\n"
             "  3  no such file\n"
             "  4  FILE is not a regular file, or is damaged\n",
    .options = OPTION_SYMLINK | OPTION_STATE_DIR,
    .filters = true,
    .fewest = 1,
    .most = 1,
    .run = run_hash,
};
