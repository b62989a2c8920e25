#include "verdict.h"

#include <string.h>
#include <sys/stat.h>

#include "document.h"
#include "message.h"
#include "output.h"

enum verdict { WHOLE, MISSING, EMPTY, NUL, TRUNCATED, SYNTAX };

static const char *const words[] = {"whole", "missing", "empty", "nul", "truncated", "syntax"};

/* What is wrong, as `text` and `excerpt` of an outcome; `position` where it is known. */
static void tell(struct outcome *outcome, enum untorn_format format, enum verdict verdict)
{
    if (outcome->text[0])
        message("%s", outcome->text);
    message_excerpt(outcome->excerpt);
    if (!outcome->arguments->report)
        return;
    output_text("{\"verb\":\"check\",\"path\":");
    output_json_text(outcome->path);
    output_format(",\"verdict\":\"%s\",\"format\":\"%s\"", words[verdict],
                  untorn_format_name(format));
    if (outcome->position != UNTORN_NO_POSITION)
        output_format(",\"position\":%llu", (unsigned long long)outcome->position);
    if (outcome->text[0]) {
        output_text(",\"message\":");
        output_json_text(outcome->text);
    }
    output_text("}\n");
}

/* No byte at all is a TOML document without a key. */
static bool may_be_empty(enum untorn_format format)
{
    return format == UNTORN_TOML || format == UNTORN_TOML_1_0;
}

static enum verdict judge_syntax(struct outcome *outcome, const struct untorn_content *content,
                                 enum untorn_format format, const struct untorn_error *error)
{
    bool at_end = error->position >= content->size;
    outcome_library(outcome, error);
    int length = (int)strcspn(error->detail, "\n");
    outcome_fail(outcome, UNTORN_DAMAGED, 4,
                 at_end ? "truncated: the %s stops early, at %.*s" : "syntax: not %s at %.*s",
                 format_word(format), length, error->detail);
    return at_end ? TRUNCATED : SYNTAX;
}

/* Of content that could be read. The outcome says what the verdict means. */
static enum verdict judge(struct outcome *outcome, const struct untorn_content *content,
                          enum untorn_format format)
{
    const char *nul = memchr(content->data, '\0', content->size);
    struct untorn_error error;
    if (content->size == 0 && !may_be_empty(format)) {
        outcome_fail(outcome, UNTORN_DAMAGED, 4, "empty: no byte, where %s has at least one value",
                     format_word(format));
        return EMPTY;
    }
    if (nul) {
        outcome->position = (uint64_t)(nul - content->data);
        outcome_fail(outcome, UNTORN_DAMAGED, 4,
                     "nul: a NUL byte at byte %llu, as a crash leaves "
                     "them where data was not written",
                     (unsigned long long)outcome->position);
        return NUL;
    }
    int rc = untorn_document_check(content->data, content->size, format, &error);
    if (error.status == UNTORN_DAMAGED)
        return judge_syntax(outcome, content, format, &error);
    if (rc != 0)
        outcome_library(outcome, &error);
    return WHOLE;
}

static enum verdict look(struct outcome *outcome, enum untorn_format format)
{
    struct untorn_content content;
    struct untorn_error error;
    enum verdict verdict = WHOLE;
    if (untorn_read(outcome->path, &outcome->arguments->options, &content, &error) == 0)
        verdict = judge(outcome, &content, format);
    else
        outcome_library(outcome, &error);
    if (error.status == UNTORN_MISSING)
        verdict = MISSING;
    untorn_content_free(&content);
    return verdict;
}

int verdict_tell(const struct arguments *arguments, const char *path)
{
    struct outcome outcome = outcome_begin(arguments, path);
    enum untorn_format format = arguments->format;
    struct stat status;
    if (format == UNTORN_FORMAT_UNKNOWN)
        format = untorn_format_of_path(path);
    if (format == UNTORN_FORMAT_UNKNOWN || (stat(path, &status) == 0 && S_ISDIR(status.st_mode)))
        return 0;
    enum verdict verdict = look(&outcome, format);
    if (verdict == WHOLE && outcome.exit_code != 0)
        message("%s", outcome.text); /* it could not be looked at: no verdict */
    else
        tell(&outcome, format, verdict);
    return outcome.exit_code;
}
