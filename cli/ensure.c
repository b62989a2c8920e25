/* untorn ensure: the value at a key, created if it is not there. */
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "options.h"
#include "value.h"

/* Whether the last word is the VALUE. */
static bool takes_value(const struct arguments *arguments)
{
    return !arguments->from && !arguments->uuid;
}

static int check_words(const struct arguments *arguments)
{
    const struct verb *verb = arguments->verb;
    int count = arguments->operand_count - 1, key_words = count - takes_value(arguments);
    char **words = arguments->operands + 1;
    if (count < 1)
        return usage_error(verb, "KEY is missing; usage: untorn %s [OPTION]... %s", verb->name,
                           verb->operands);
    if (key_words < 1)
        return usage_error(verb, "VALUE is missing behind '%s'; for a random one: --uuid",
                           words[count - 1]);
    if (!arguments->segments && key_words > 1)
        return usage_error(verb,
                           "one operand too many: '%s'; one KEY at a time, its steps as words "
                           "with -k",
                           words[count - 1]);
    return check_key(arguments, words[0]);
}

/* Fills the edit; the value of --from, or --uuid, lies in `made`. */
static bool fill_edit(struct outcome *outcome, struct bytes *made, char uuid[UNTORN_UUID_SIZE],
                      struct untorn_edit *edit)
{
    const struct arguments *arguments = outcome->arguments;
    char **words = arguments->operands + 1;
    size_t count = (size_t)arguments->operand_count - 1 - takes_value(arguments);
    *edit = (struct untorn_edit){.kind = UNTORN_ENSURE, .syntax = syntax_of(arguments)};
    give_key(arguments, edit, words, count);
    if (arguments->uuid) {
        int rc = untorn_uuid(uuid);
        if (rc != 0)
            outcome_result(outcome, "cannot make a UUID", rc);
        edit->value = uuid;
        edit->syntax = UNTORN_AS_STRING;
    } else if (arguments->from) {
        if (!read_source(outcome, arguments->from, made))
            return false;
        drop_last_newline(made);
        edit->value = made->data ? made->data : "";
        edit->value_size = made->size;
        edit->secret = true;
        return true;
    } else {
        edit->value = words[count];
    }
    edit->value_size = strlen(edit->value);
    return outcome->exit_code == 0;
}

/* The line of --report has the value too. */
static char *value_for_report(const struct untorn_node *node)
{
    struct untorn_style style = {.compact = true, .tight = true};
    char *text = NULL;
    (void)untorn_node_write(node, UNTORN_JSON, &style, &text, NULL, NULL); /* else without */
    return text;
}

static int run_ensure(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    struct untorn_edit_options how;
    struct untorn_document *document = NULL;
    const struct untorn_node *node = NULL;
    struct untorn_edit edit;
    struct untorn_error error;
    struct bytes from = {0};
    char uuid[UNTORN_UUID_SIZE], *value = NULL;
    int status = check_words(arguments);
    if (status != 0)
        return status;
    bool ready = find_format(&outcome, &how.format) && fill_edit(&outcome, &from, uuid, &edit);
    if (ready && arguments->dry_run) {
        edit_document(&outcome, &edit, 1);
    } else if (ready) {
        (void)untorn_ensure(outcome.path, &edit, &how, &arguments->options, &document, &node,
                            &error);
        outcome_library(&outcome, &error);
    }
    if (node && arguments->report)
        outcome.value = value = value_for_report(node);
    else if (node) {
        unsigned flags = outcome.flags;
        value_print(&outcome, node);
        outcome.flags = flags;
        if (outcome.exit_code != 0 && !(flags & UNTORN_FLAG_UNCHANGED))
            outcome.exit_code = 7; /* 1 would mean that the old content stays */
    }
    status = outcome_finish(&outcome);
    free(value);
    bytes_free(&from);
    untorn_document_free(document);
    return status;
}

const struct verb verb_ensure = {
    .name = "ensure",
    .operands = "FILE KEY VALUE",
    .summary = "print a value of FILE, created if it is not there",
    .explanation = "Prints the value at KEY as get does, and changes nothing; if there is none,\n"
                   "creates it as set does, and prints that. However many processes ask at once,\n"
                   "one creates it and all print the same. With --uuid a new random UUID is what\n"
                   "VALUE would be; --from reads it. With -k the words behind FILE are the steps\n"
                   "of KEY, VALUE last. With --json VALUE is JSON, and so is what is printed. A\n"
                   "missing FILE is made; one that does not parse is never replaced.",
    .examples = "  untorn ensure ids.json --uuid project\n"
                "  untorn ensure -k map.json --uuid /srv/my.project\n"
                "  port=$(untorn ensure app.toml server.port 8080)\n",
    .exits = "  0  done: the value was there, or is now\n"
             "  1  failed, the old content stays\n"
             "  2  usage; not known what kind of document FILE is\n"
             "  3  no such directory, no such SOURCE, no such place for KEY\n"
             "  4  FILE is no document of its kind, or not a regular file; it stays\n"
             "  6  lock not obtained in time\n"
             "  7  not settled: saved, but not confirmed on the disk, or not printed\n",
    .options = OPTION_SEGMENTS | OPTION_STRING | OPTION_JSON | OPTION_TOML | OPTION_FROM |
               OPTION_UUID | OPTION_FORMAT | OPTION_KEEP | OPTION_LEVEL | OPTION_MODE |
               OPTION_PARENTS | OPTION_KEEP_INODE | OPTION_SYMLINK | OPTION_WAIT |
               OPTION_LOCK_FILE | OPTION_STATE_DIR | OPTION_STRICT | OPTION_DRY_RUN | OPTION_REPORT,
    .one_path = true,
    .fewest = 1,
    .most = -1,
    .run = run_ensure,
};
