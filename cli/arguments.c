#include "arguments.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "limits.h"
#include "message.h"
#include "nearest.h"
#include "options.h"

int usage_error(const struct verb *verb, const char *format, ...)
{
    char text[CLI_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    message("%s: %s (try: untorn %s --help)", verb->name, text, verb->name);
    return verb->failure_base + 2;
}

bool is_filter(const struct arguments *arguments)
{
    return arguments->operand_count > 0 && strcmp(arguments->operands[0], "-") == 0;
}

/* `-` is an operand, and so is what begins like a negative number. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && !(word[1] >= '0' && word[1] <= '9');
}

/* The length of what names an option: "--mode" of "--mode=600". */
static int name_length(const char *word)
{
    return (int)strcspn(word, "=");
}

/* Among the options of these bits. */
static const char *nearest_option(const char *word, uint64_t bits)
{
    char name[CLI_NAME + 1];
    struct nearest nearest = {.word = name};
    word += strspn(word, "-");
    snprintf(name, sizeof name, "%.*s", name_length(word), word);
    for (const struct option *option = option_table; option->name; option++)
        if (option->bit & bits)
            nearest_offer(&nearest, option->name);
    if (bits == UINT64_MAX) /* no verb yet */
        nearest_offer(&nearest, "version");
    return nearest.best;
}

static int unknown_option(const struct verb *verb, const char *word)
{
    const char *near = nearest_option(word, verb->options | OPTION_HELP);
    if (!near)
        return usage_error(verb, "unknown option %.*s%s", name_length(word), word,
                           verb->options & OPTION_SEGMENTS
                               ? "; a KEY or VALUE with a dash in front goes behind --"
                               : "");
    message("%s: unknown option %.*s (did you mean --%s?)", verb->name, name_length(word), word,
            near);
    return verb->failure_base + 2;
}

int arguments_find_verb(int *argc, char **argv, const char **ret_name)
{
    *ret_name = NULL;
    for (int i = 1; i < *argc; i++) {
        const char *value;
        if (!is_option(argv[i]) || strcmp(argv[i], "--") == 0) {
            *ret_name = argv[i];
            memmove(argv + i, argv + i + 1, (size_t)(*argc - i) * sizeof *argv);
            --*argc;
            return 0;
        }
        const struct option *option = option_find(argv[i], &value);
        if (!option) {
            const char *near = nearest_option(argv[i], UINT64_MAX);
            message(near ? "unknown option %.*s (did you mean --%s?)"
                         : "unknown option %.*s (try: untorn --help)",
                    name_length(argv[i]), argv[i], near);
            return -1;
        }
        if (option->argument && !value)
            i++;
    }
    return 0;
}

/* Takes the option at argv[*index], and its value behind it. Returns 0 or the exit status. */
static int take_option(struct arguments *arguments, char **argv, int *index)
{
    const struct verb *verb = arguments->verb;
    const char *word = argv[*index], *value;
    const struct option *option = option_find(word, &value);
    int length = name_length(word);
    if (!option)
        return unknown_option(verb, word);
    if (!((verb->options | OPTION_HELP) & option->bit))
        return usage_error(verb, "%.*s is not an option of this verb", length, word);
    if (!option->argument && value)
        return usage_error(verb, "%.*s takes no value", length, word);
    if (option->argument && !value && !(value = argv[++*index]))
        return usage_error(verb, "%s needs a value: %s", word, option_argument(option, verb));
    arguments->given |= option->bit;
    if (!option->argument) {
        *(bool *)((char *)arguments + option->field) = true;
        return 0;
    }
    const char *wanted = option->take(arguments, value);
    return wanted ? usage_error(verb, "%.*s takes %s, not '%s'", length, word, wanted, value) : 0;
}

/* The switches that say how a value is spelled. */
static int check_spelling(const struct arguments *arguments)
{
    const struct verb *verb = arguments->verb;
    if (arguments->as_json && arguments->tagged)
        return usage_error(verb, "--json and --tagged exclude each other");
    if (arguments->as_string + arguments->as_json + arguments->as_toml > 1)
        return usage_error(verb, "--string, --json and --toml exclude each other");
    if (arguments->uuid && (arguments->from || arguments->as_toml))
        return usage_error(verb, "--uuid excludes --from and --toml");
    if (arguments->merge_patch && arguments->json_patch)
        return usage_error(verb, "--merge-patch and --json-patch exclude each other");
    return 0;
}

/* The rules between options, and between options and operands. */
static int check_options(const struct arguments *arguments)
{
    const struct verb *verb = arguments->verb;
    if (arguments->report && arguments->dry_run)
        return usage_error(verb, "--report and --dry-run exclude each other");
    if (arguments->options.exclusive && arguments->options.if_match)
        return usage_error(verb, "--exclusive and --if-match exclude each other");
    if (arguments->abandon && !arguments->repair)
        return usage_error(verb, "--abandon needs --repair");
    if (!is_filter(arguments))
        return check_spelling(arguments);
    for (const struct option *option = option_table; option->name; option++)
        if (arguments->given & option->bit & ~verb->filter_options)
            return usage_error(verb, "--%s needs a file, not -", option->name);
    return check_spelling(arguments);
}

/* What stands at `index` in the usage; where that goes on without end, the last that is named. */
static void operand_name(const struct verb *verb, int index, char *name, size_t size)
{
    const char *at = verb->operands, *next;
    while (index-- > 0 && (next = strchr(at, ' ')) != NULL && next[1] != '[')
        at = next + 1;
    snprintf(name, size, "%.*s", (int)strcspn(at, " ."), at);
}

static int check_operands(const struct arguments *arguments)
{
    const struct verb *verb = arguments->verb;
    int count = arguments->operand_count;
    char name[CLI_NAME];
    operand_name(verb, count, name, sizeof name);
    if (count < verb->fewest)
        return usage_error(verb, "%s is missing; usage: untorn %s [OPTION]... %s", name, verb->name,
                           verb->operands);
    if (verb->most >= 0 && count > verb->most)
        return usage_error(verb, "one operand too many: '%s'; usage: untorn %s [OPTION]... %s",
                           arguments->operands[verb->most], verb->name, verb->operands);
    for (int i = 0; i < count && !(verb->one_path && i > 0); i++) {
        const char *word = arguments->operands[i];
        if (word[0] == '\0')
            return usage_error(verb, "an empty word is not a path");
        if (strcmp(word, "-") == 0 && !verb->filters)
            return usage_error(verb, "- is not a file here; a file of that name is ./-");
    }
    if (verb->takes_command && (!arguments->command || !arguments->command[0]))
        return usage_error(verb, "CMD is missing; usage: untorn %s [OPTION]... %s", verb->name,
                           verb->operands);
    return 0;
}

void arguments_free(struct arguments *arguments)
{
    words_free(&arguments->removals);
    words_free(&arguments->matches);
    words_free(&arguments->overrides);
}

int arguments_parse(struct arguments *ret_arguments, const struct verb *verb, int argc, char **argv)
{
    struct arguments *arguments = ret_arguments;
    bool behind = false;
    *arguments = (struct arguments){.verb = verb, .operands = argv + 1};
    for (int i = 1; i < argc; i++) {
        if (!behind && strcmp(argv[i], "--") == 0) {
            if (verb->takes_command) {
                arguments->command = argv + i + 1;
                break;
            }
            behind = true;
        } else if (!behind && is_option(argv[i])) {
            int status = take_option(arguments, argv, &i);
            if (status != 0 || arguments->help)
                return status;
        } else {
            /* Never further along than the word just read: the operands move up in place. */
            arguments->operands[arguments->operand_count++] = argv[i];
        }
    }
    int status = check_operands(arguments);
    return status != 0 ? status : check_options(arguments);
}
