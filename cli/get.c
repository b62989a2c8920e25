/* untorn get: a value of a document. */
#include "document.h"
#include "options.h"
#include "output.h"
#include "value.h"

/* The KEY, or with -k its steps. */
static struct untorn_edit place_of(const struct arguments *arguments)
{
    char **words = arguments->operands + 1;
    struct untorn_edit at = {.key = arguments->segments ? NULL : words[0]};
    at.segments = (const char *const *)words;
    at.segment_count = (size_t)arguments->operand_count - 1;
    return at;
}

static const struct untorn_node *find_node(struct outcome *outcome,
                                           const struct untorn_document *document)
{
    struct untorn_error error;
    if (outcome->arguments->operand_count == 1)
        return untorn_document_root(document);
    struct untorn_edit at = place_of(outcome->arguments);
    const struct untorn_node *node =
        at.key ? untorn_document_find(document, at.key, &error)
               : untorn_document_find_segments(document, at.segments, at.segment_count, &error);
    if (!node)
        outcome_library(outcome, &error);
    return node;
}

/* The one value of a file: the rest need not fit into memory. */
static const struct untorn_node *get_node(struct outcome *outcome, enum untorn_format format,
                                          struct untorn_document **ret_document)
{
    const struct arguments *arguments = outcome->arguments;
    struct untorn_edit_options how = {.format = format};
    struct untorn_edit at = place_of(arguments);
    const struct untorn_node *node;
    struct untorn_error error;
    (void)untorn_get(outcome->path, &at, &how, &arguments->options, ret_document, &node, &error);
    outcome_library(outcome, &error);
    return node;
}

/* No such file or no such key, and the user said what to print then. */
static bool takes_default(const struct outcome *outcome)
{
    return outcome->arguments->fallback &&
           (outcome->status == UNTORN_MISSING || outcome->status == UNTORN_NO_KEY);
}

static void get_value(struct outcome *outcome, enum untorn_format format)
{
    struct untorn_document *document;
    const struct untorn_node *node = NULL;
    if (outcome->arguments->operand_count > 1 && !is_filter(outcome->arguments))
        node = get_node(outcome, format, &document);
    else if (load_document(outcome, format, &document))
        node = find_node(outcome, document);
    if (node) {
        value_print(outcome, node);
    } else if (takes_default(outcome)) {
        output_text(outcome->arguments->fallback);
        output_text("\n");
        *outcome = outcome_begin(outcome->arguments, outcome->path);
    }
    untorn_document_free(document);
}

static int check_words(const struct arguments *arguments)
{
    int count = arguments->operand_count;
    if (arguments->segments && count < 2)
        return usage_error(arguments->verb, "-k needs at least one word behind FILE");
    if (!arguments->segments && count > 2)
        return usage_error(arguments->verb,
                           "one operand too many: '%s'; one KEY at a time, its "
                           "steps as words with -k",
                           arguments->operands[2]);
    return count == 2 ? check_key(arguments, arguments->operands[1]) : 0;
}

static int run_get(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    enum untorn_format format;
    int status = check_words(arguments);
    if (status != 0)
        return status;
    if (find_format(&outcome, &format))
        get_value(&outcome, format);
    return outcome_finish(&outcome);
}

const struct verb verb_get = {
    .name = "get",
    .operands = "FILE [KEY]",
    .summary = "print a value of the JSON or TOML document FILE",
    .explanation =
        "Prints the value at KEY: a string without quotes, a number, true, false or a\n"
        "date as it is spelled, an array or object as JSON; without KEY the whole\n"
        "document. KEY is a dotted key as in TOML, with [N] for the elements of an array\n"
        "([-1] is the last), or a JSON Pointer, which begins with a slash; or, with -k,\n"
        "one word for each step. Takes no lock and creates nothing. FILE - reads\n"
        "standard input (with --format).",
    .examples = "  untorn get app.toml server.port\n"
                "  untorn get app.toml 'server.hosts[0]'\n"
                "  untorn get --default 80 app.toml server.fallback\n"
                "  untorn get app.toml -k tool 'a.b'\n",
    .exits = "  0  done\n"
             "  1  failed; standard output did not take everything\n"
             "  2  usage; not known what kind of document FILE is\n"
             "  3  no such file, no such key\n"
             "  4  FILE is no document of its kind, or not a regular file\n",
    .options = OPTION_SEGMENTS | OPTION_JSON | OPTION_TAGGED | OPTION_DEFAULT | OPTION_FORMAT |
               OPTION_SYMLINK | OPTION_STATE_DIR,
    .filter_options =
        OPTION_SEGMENTS | OPTION_JSON | OPTION_TAGGED | OPTION_DEFAULT | OPTION_FORMAT,
    .filters = true,
    .one_path = true,
    .fewest = 1,
    .most = -1,
    .run = run_get,
};
