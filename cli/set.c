/* untorn set and untorn unset: values of a document, under the lock. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "options.h"
#include "system.h"

#define EDIT_OPTIONS                                                                               \
    (OPTION_IF_MATCH | OPTION_KEEP | OPTION_LEVEL | OPTION_MODE | OPTION_KEEP_INODE |              \
     OPTION_SYMLINK | OPTION_WAIT | OPTION_LOCK_FILE | OPTION_STATE_DIR | OPTION_STRICT |          \
     OPTION_DRY_RUN | OPTION_REPORT)

/* The one value from --from, the one behind the words of -k, or the second word of a pair. */
static void fill_edits(const struct arguments *arguments, const struct bytes *from,
                       struct untorn_edit *edits, size_t count)
{
    char **words = arguments->operands + 1;
    size_t word_count = (size_t)arguments->operand_count - 1;
    for (size_t i = 0; i < count; i++) {
        struct untorn_edit *edit = &edits[i];
        *edit = (struct untorn_edit){.kind = UNTORN_SET, .syntax = syntax_of(arguments)};
        if (arguments->from) {
            give_key(arguments, edit, words, word_count);
            edit->value = from->data ? from->data : "";
            edit->value_size = from->size;
            edit->secret = true;
            continue;
        }
        size_t at = arguments->segments ? word_count - 1 : 2 * i + 1;
        give_key(arguments, edit, words + 2 * i, word_count - 1);
        edit->value = words[at];
        edit->value_size = strlen(words[at]);
    }
}

/* The words behind FILE must be what the options make of them. 0 or the exit status. */
static int check_set_words(const struct arguments *arguments)
{
    const struct verb *verb = arguments->verb;
    char **words = arguments->operands + 1;
    int count = arguments->operand_count - 1, key_words = arguments->from ? count : count - 1;
    if (count < 1 || (arguments->segments && key_words < 1))
        return usage_error(verb, "KEY is missing; usage: untorn %s [OPTION]... %s", verb->name,
                           verb->operands);
    if (arguments->from && !arguments->segments && count > 1)
        return usage_error(verb, "one operand too many: '%s'; the VALUE comes from %s", words[1],
                           arguments->from);
    if (!arguments->from && !arguments->segments && count % 2 != 0)
        return usage_error(verb, "VALUE is missing behind '%s'; usage: untorn %s [OPTION]... %s",
                           words[count - 1], verb->name, verb->operands);
    if (arguments->from && strcmp(arguments->from, "-") == 0 && is_filter(arguments))
        return usage_error(verb, "FILE and --from cannot both be standard input");
    for (int i = 0; i < count; i += 2) {
        int status = check_key(arguments, words[i]);
        if (status != 0)
            return status;
    }
    return 0;
}

static void set_values(struct outcome *outcome)
{
    const struct arguments *arguments = outcome->arguments;
    bool single = arguments->from || arguments->segments;
    size_t count = single ? 1 : ((size_t)arguments->operand_count - 1) / 2;
    struct bytes from = {0};
    struct untorn_edit *edits = calloc(count, sizeof *edits);
    if (!edits) {
        outcome_fail(outcome, UNTORN_NO_MEMORY, 1, "%s", system_error(ENOMEM));
    } else if (!arguments->from || read_source(outcome, arguments->from, &from)) {
        drop_last_newline(&from);
        fill_edits(arguments, &from, edits, count);
        edit_document(outcome, edits, count);
    }
    bytes_free(&from);
    free(edits);
}

static int run_set(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    int status = check_set_words(arguments);
    if (status != 0)
        return status;
    set_values(&outcome);
    return outcome_finish(&outcome);
}

static int check_unset_words(const struct arguments *arguments)
{
    const struct verb *verb = arguments->verb;
    if (arguments->operand_count < 2)
        return usage_error(verb, "KEY is missing; usage: untorn %s [OPTION]... %s", verb->name,
                           verb->operands);
    for (int i = 1; i < arguments->operand_count; i++) {
        int status = check_key(arguments, arguments->operands[i]);
        if (status != 0)
            return status;
    }
    return 0;
}

static void unset_values(struct outcome *outcome)
{
    const struct arguments *arguments = outcome->arguments;
    char **words = arguments->operands + 1;
    size_t word_count = (size_t)arguments->operand_count - 1;
    size_t count = arguments->segments ? 1 : word_count;
    struct untorn_edit *edits = calloc(count, sizeof *edits);
    if (!edits) {
        outcome_fail(outcome, UNTORN_NO_MEMORY, 1, "%s", system_error(ENOMEM));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        edits[i].kind = UNTORN_UNSET;
        give_key(arguments, &edits[i], words + i, word_count);
    }
    edit_document(outcome, edits, count);
    free(edits);
}

static int run_unset(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    int status = check_unset_words(arguments);
    if (status != 0)
        return status;
    unset_values(&outcome);
    return outcome_finish(&outcome);
}

const struct verb verb_set = {
    .name = "set",
    .operands = "FILE KEY VALUE [KEY VALUE]...",
    .summary = "set values in the JSON or TOML document FILE",
    .explanation =
        "Changes the bytes of the value and no others: comments, order and layout stay.\n"
        "Several pairs are one update: all or none, under the lock. VALUE takes the type\n"
        "of the value it replaces; for a new key it is true, false or a number if it\n"
        "spells one, else a string. KEY is a dotted key, or a JSON Pointer, or with -k\n"
        "one word for each step, VALUE last; [+] adds to an array. A missing FILE, and\n"
        "missing tables on the way, are made. --from supplies the one VALUE (its last\n"
        "newline is dropped). FILE - filters standard input (with --format).",
    .examples = "  untorn set app.toml server.port 8080\n"
                "  untorn set app.toml server.host localhost 'server.tags[+]' new\n"
                "  untorn set app.toml --json limits '{\"cpu\": 2}'\n"
                "  untorn set app.toml --mode 600 --from token.new auth.token\n",
    .exits = "  0  done\n"
             "  1  failed, the old content stays; VALUE has another type than what is there\n"
             "  2  usage; not known what kind of document FILE is\n"
             "  3  no such directory, no such SOURCE, no such place for KEY\n"
             "  4  FILE is no document of its kind, or not a regular file; it stays\n"
             "  5  FILE changed (--if-match)\n"
             "  6  lock not obtained in time\n"
             "  7  not settled: saved, but not confirmed on the disk, or not reported\n",
    .options = EDIT_OPTIONS | OPTION_PARENTS | OPTION_SEGMENTS | OPTION_STRING | OPTION_JSON |
               OPTION_TOML | OPTION_FROM | OPTION_FORMAT,
    .filter_options =
        OPTION_SEGMENTS | OPTION_STRING | OPTION_JSON | OPTION_TOML | OPTION_FROM | OPTION_FORMAT,
    .filters = true,
    .one_path = true,
    .fewest = 1,
    .most = -1,
    .run = run_set,
};

const struct verb verb_unset = {
    .name = "unset",
    .operands = "FILE KEY...",
    .summary = "remove keys from the JSON or TOML document FILE",
    .explanation = "Removes the keys with their values, and the comments that belong to them; the\n"
                   "rest of the text stays as it is. Several KEYs are one update: if one is not\n"
                   "there, nothing is changed. An element of an array is [N]. With -k the words\n"
                   "behind FILE are the steps of one key. FILE - filters standard input (with\n"
                   "--format).",
    .examples = "  untorn unset app.toml server.port\n"
                "  untorn unset app.toml 'server.hosts[-1]'\n",
    .exits = "  0  done\n"
             "  1  failed, the old content stays\n"
             "  2  usage; not known what kind of document FILE is\n"
             "  3  no such file, no such key\n"
             "  4  FILE is no document of its kind, or not a regular file; it stays\n"
             "  5  FILE changed (--if-match)\n"
             "  6  lock not obtained in time\n"
             "  7  not settled: saved, but not confirmed on the disk, or not reported\n",
    .options = EDIT_OPTIONS | OPTION_SEGMENTS | OPTION_FORMAT,
    .filter_options = OPTION_SEGMENTS | OPTION_FORMAT,
    .filters = true,
    .one_path = true,
    .fewest = 1,
    .most = -1,
    .run = run_unset,
};
