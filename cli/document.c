#include "document.h"

#include <stdlib.h>
#include <string.h>

#include "dryrun.h"
#include "input.h"
#include "output.h"

bool find_format(struct outcome *outcome, enum untorn_format *ret_format)
{
    const struct arguments *arguments = outcome->arguments;
    *ret_format = arguments->format;
    if (*ret_format == UNTORN_FORMAT_UNKNOWN && !is_filter(arguments))
        *ret_format = untorn_format_of_path(outcome->path);
    if (*ret_format != UNTORN_FORMAT_UNKNOWN)
        return true;
    outcome_fail(outcome, UNTORN_UNKNOWN_FORMAT, untorn_status_exit_code(UNTORN_UNKNOWN_FORMAT),
                 "%s (%s)", untorn_status_text(UNTORN_UNKNOWN_FORMAT),
                 is_filter(arguments) ? "say it: --format json, jsonc, toml or toml-1.0"
                                      : "say it: --format json, jsonc, toml or toml-1.0; for "
                                        "any other file: untorn update");
    return false;
}

const char *format_word(enum untorn_format format)
{
    switch (format) {
    case UNTORN_JSON:
        return "JSON";
    case UNTORN_JSONC:
        return "JSONC";
    case UNTORN_TOML_1_0:
        return "TOML 1.0";
    default:
        return "TOML";
    }
}

bool read_source(struct outcome *outcome, const char *source, struct bytes *content)
{
    struct input input;
    int error = input_open(source, &input);
    if (error == 0)
        error = bytes_read_all(content, input.stream);
    if (error != 0)
        outcome_source(outcome, input.name, error);
    input_close(&input);
    return error == 0;
}

static bool load_input(struct outcome *outcome, enum untorn_format format,
                       struct untorn_document **ret_document)
{
    struct bytes content = {0};
    struct untorn_error error;
    bool loaded = read_source(outcome, NULL, &content);
    if (loaded) {
        const char *data = content.data ? content.data : "";
        loaded = untorn_document_parse(data, content.size, format, ret_document, &error) == 0;
        outcome_library(outcome, &error);
    }
    bytes_free(&content);
    return loaded;
}

bool load_document(struct outcome *outcome, enum untorn_format format,
                   struct untorn_document **ret_document)
{
    struct untorn_error error;
    *ret_document = NULL;
    if (is_filter(outcome->arguments))
        return load_input(outcome, format, ret_document);
    int rc = untorn_document_read(outcome->path, &outcome->arguments->options, format, ret_document,
                                  &error);
    outcome_library(outcome, &error);
    return rc == 0;
}

/* Edits what is there, or an empty document where there is no file. */
static bool edit_copy(struct outcome *outcome, enum untorn_format format,
                      const struct untorn_edit *edits, size_t count,
                      struct untorn_document **ret_document)
{
    struct untorn_error error;
    if (!load_document(outcome, format, ret_document)) {
        if (outcome->status != UNTORN_MISSING || is_filter(outcome->arguments))
            return false;
        if (untorn_document_new(format, ret_document, &error) != 0) {
            outcome_library(outcome, &error);
            return false;
        }
    }
    int rc = untorn_document_edit(*ret_document, edits, count, &error);
    outcome_library(outcome, &error);
    return rc == 0;
}

static void edit_file(struct outcome *outcome, enum untorn_format format,
                      const struct untorn_edit *edits, size_t count)
{
    const struct untorn_options *options = &outcome->arguments->options;
    struct untorn_edit_options how = {.format = format};
    struct untorn_error error;
    int rc = untorn_edit(outcome->path, edits, count, &how, options, &error);
    outcome_library(outcome, &error);
    if (rc >= 0 && outcome->arguments->report)
        outcome->has_hash = untorn_hash_file(outcome->path, options, &outcome->hash, &error) == 0;
}

/* A report names the version that was saved: nobody may save another one before it is hashed. */
static void edit_and_report(struct outcome *outcome, enum untorn_format format,
                            const struct untorn_edit *edits, size_t count)
{
    struct untorn_lock *lock = NULL;
    struct untorn_error error;
    if (untorn_lock(outcome->path, UNTORN_LOCK_EXCLUSIVE, &outcome->arguments->options, &lock,
                    &error) != 0)
        outcome_library(outcome, &error);
    else
        edit_file(outcome, format, edits, count);
    untorn_unlock(lock);
}

void edit_document(struct outcome *outcome, const struct untorn_edit *edits, size_t count)
{
    const struct arguments *arguments = outcome->arguments;
    struct untorn_document *document = NULL;
    enum untorn_format format;
    if (!find_format(outcome, &format))
        return;
    if (arguments->report) {
        edit_and_report(outcome, format, edits, count);
    } else if (!is_filter(arguments) && !arguments->dry_run) {
        edit_file(outcome, format, edits, count);
    } else if (edit_copy(outcome, format, edits, count, &document)) {
        size_t size;
        const char *text = untorn_document_text(document, &size);
        if (is_filter(arguments))
            output_bytes(text, size);
        else
            dry_run_show(outcome, text, size);
    }
    untorn_document_free(document);
}

/* ---- words ---- */

void give_key(const struct arguments *arguments, struct untorn_edit *edit, char **words,
              size_t count)
{
    if (arguments->segments) {
        edit->segments = (const char *const *)words;
        edit->segment_count = count;
    } else {
        edit->key = words[0];
    }
}

enum untorn_syntax syntax_of(const struct arguments *arguments)
{
    return arguments->as_string ? UNTORN_AS_STRING
           : arguments->as_json ? UNTORN_AS_JSON
           : arguments->as_toml ? UNTORN_AS_TOML
                                : UNTORN_PLAIN;
}

void drop_last_newline(struct bytes *value)
{
    if (value->size > 0 && value->data[value->size - 1] == '\n')
        value->size--;
}

int check_key(const struct arguments *arguments, const char *key)
{
    if (*key || arguments->segments)
        return 0;
    return usage_error(arguments->verb, "an empty KEY names nothing; for a key that is an empty "
                                        "text: -k ''");
}

/* ---- values ---- */
