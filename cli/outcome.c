#include "outcome.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options.h"
#include "output.h"
#include "system.h"

struct outcome outcome_begin(const struct arguments *arguments, const char *path)
{
    return (struct outcome){.arguments = arguments, .path = path, .position = UNTORN_NO_POSITION};
}

/* The library's detail of a text that cannot be parsed is a line and the excerpt below it. Line and
 * column stand in it, so the byte is left to the report. */
void outcome_describe(const struct untorn_error *error, const char *path, char *text, char *excerpt)
{
    struct untorn_error told = *error;
    char *end = strchr(told.detail, '\n');
    excerpt[0] = '\0';
    if (end) {
        snprintf(excerpt, UNTORN_DETAIL_SIZE, "%s", end + 1);
        *end = '\0';
        told.position = UNTORN_NO_POSITION;
    }
    if (told.path[0] == '\0')
        snprintf(told.path, sizeof told.path, "%s",
                 strcmp(path, "-") == 0 ? "standard input" : path);
    untorn_describe(&told, text, CLI_TEXT);
}

static bool lacks_directory(const struct untorn_error *error)
{
    return error->status == UNTORN_MISSING && error->step &&
           strcmp(error->step, "open its directory") == 0;
}

/* A verb that only reads makes no directory. */
static bool could_make_directory(const struct outcome *outcome, const struct untorn_error *error)
{
    return lacks_directory(error) && error->os_error == ENOENT &&
           outcome->arguments->verb->options & OPTION_PARENTS;
}

bool outcome_would_create(const struct outcome *outcome, const struct untorn_error *error)
{
    return error->status == UNTORN_MISSING &&
           (!lacks_directory(error) ||
            (could_make_directory(outcome, error) && outcome->arguments->options.parents));
}

void outcome_library(struct outcome *outcome, const struct untorn_error *error)
{
    outcome->status = error->status;
    outcome->exit_code = untorn_status_exit_code(error->status);
    outcome->flags = error->flags;
    outcome->position = error->position;
    outcome->text[0] = outcome->excerpt[0] = '\0';
    if (error->status != UNTORN_OK)
        outcome_describe(error, outcome->path, outcome->text, outcome->excerpt);
    if (could_make_directory(outcome, error) && !outcome->arguments->options.parents)
        outcome_add(outcome, "; --parents makes it");
}

void outcome_fail(struct outcome *outcome, enum untorn_status status, int exit_code,
                  const char *format, ...)
{
    int used = snprintf(outcome->text, sizeof outcome->text, "%.*s: ", CLI_TEXT / 2, outcome->path);
    size_t offset = used > 0 ? (size_t)used : 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(outcome->text + offset, sizeof outcome->text - offset, format, arguments);
    va_end(arguments);
    outcome->status = (int)status;
    outcome->exit_code = exit_code;
}

void outcome_add(struct outcome *outcome, const char *format, ...)
{
    size_t used = strlen(outcome->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(outcome->text + used, sizeof outcome->text - used, format, arguments);
    va_end(arguments);
}

void outcome_result(struct outcome *outcome, const char *what, int rc)
{
    outcome_fail(outcome, (enum untorn_status)abs(rc), untorn_status_exit_code(rc), "%s: %s", what,
                 untorn_status_text(rc));
}

void outcome_source(struct outcome *outcome, const char *source, int os_error)
{
    bool missing = os_error == ENOENT || os_error == ENOTDIR;
    outcome->status = missing ? UNTORN_MISSING : UNTORN_IO;
    outcome->exit_code = missing ? 3 : 1;
    if (strcmp(outcome->path, "-") == 0)
        snprintf(outcome->text, sizeof outcome->text, "%s: %s", source, system_error(os_error));
    else
        snprintf(outcome->text, sizeof outcome->text, "%s: %s (%s is unchanged)", source,
                 system_error(os_error), outcome->path);
}

void outcome_refuse_empty(struct outcome *outcome)
{
    outcome_fail(outcome, UNTORN_REFUSED, 1,
                 "standard input is empty and the file is not; it stays (perhaps the command "
                 "before the pipe failed; to empty the file: --allow-empty)");
}

static void print_hash(const struct untorn_hash *hash)
{
    char text[UNTORN_HASH_TEXT_SIZE];
    output_format(",\"hash\":\"%s\"", untorn_hash_format(hash, text));
}

static void print_targets(const struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->target_count; i++) {
        const struct outcome_target *target = &outcome->targets[i];
        output_text(i == 0 ? ",\"targets\":[{\"path\":" : ",{\"path\":");
        output_json_text(target->path);
        if (target->removed)
            output_text(",\"hash\":null");
        else
            print_hash(&target->hash);
        output_text(i + 1 == outcome->target_count ? "}]" : "}");
    }
}

static void print_report(const struct outcome *outcome)
{
    output_format("{\"verb\":\"%s\",\"path\":", outcome->arguments->verb->name);
    output_json_text(outcome->path);
    output_format(",\"status\":\"%s\",\"exit\":%d,\"flags\":[", untorn_status_name(outcome->status),
                  outcome->exit_code);
    const char *separator = "";
    for (unsigned bit = 0; bit < 32; bit++) {
        const char *word = outcome->flags & 1u << bit ? untorn_flag_word(1u << bit) : NULL;
        if (!word)
            continue;
        output_format("%s\"%s\"", separator, word);
        separator = ",";
    }
    output_text("]");
    for (size_t i = 0; outcome->files && i < outcome->files->count; i++) {
        output_text(i == 0 ? ",\"files\":[" : ",");
        output_json_text(outcome->files->items[i]);
        output_text(i + 1 == outcome->files->count ? "]" : "");
    }
    print_targets(outcome);
    if (outcome->has_hash)
        print_hash(&outcome->hash);
    if (outcome->value)
        output_format(",\"value\":%s", outcome->value);
    if (outcome->position != UNTORN_NO_POSITION)
        output_format(",\"position\":%llu", (unsigned long long)outcome->position);
    if (outcome->text[0]) {
        output_text(",\"message\":");
        output_json_text(outcome->text);
    }
    output_text("}\n");
}

/* Success says nothing, but for what a user would want to act on. */
static void print_notes(const struct outcome *outcome)
{
    static const unsigned telling[] = {UNTORN_FLAG_META_LOST,   UNTORN_FLAG_CONFLICT_KEPT,
                                       UNTORN_FLAG_TAIL_KEPT,   UNTORN_FLAG_QUARANTINED,
                                       UNTORN_FLAG_NARROWED,    UNTORN_FLAG_JOURNAL_LOST,
                                       UNTORN_FLAG_HISTORY_LOST};
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        if (outcome->flags & telling[i])
            message("%s: note: %s", outcome->path, untorn_flag_text(telling[i]));
}

int outcome_finish(const struct outcome *outcome)
{
    if (outcome->text[0])
        message("%s", outcome->text);
    message_excerpt(outcome->excerpt);
    print_notes(outcome);
    if (outcome->arguments->report)
        print_report(outcome);
    return outcome->exit_code == 0 ? 0
                                   : outcome->arguments->verb->failure_base + outcome->exit_code;
}
