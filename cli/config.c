/* untorn config: configuration in scopes. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "document.h"
#include "options.h"
#include "output.h"

/* ---- set and unset ---- */

struct change {
    struct untorn_edit *edits;
    size_t count;
    struct bytes from;
};

static void fill_edit(const struct arguments *arguments, struct untorn_edit *edit, char **words,
                      size_t key_words)
{
    if (arguments->segments) {
        edit->segments = (const char *const *)words;
        edit->segment_count = key_words;
    } else {
        edit->key = words[0];
    }
}

/* One edit for each pair of words, or for each word, or one of all with -k and --from. */
static bool make_change(struct outcome *outcome, bool unset, struct change *change)
{
    const struct arguments *arguments = outcome->arguments;
    char **words = arguments->operands + 1;
    size_t count = (size_t)arguments->operand_count - 1;
    bool from = !unset && arguments->from, valued = !unset && !from;
    size_t stride = arguments->segments || from ? count : valued ? 2 : 1;
    change->count = count / stride;
    change->edits = calloc(change->count, sizeof *change->edits);
    if (!change->edits) {
        outcome_result(outcome, "set", -UNTORN_NO_MEMORY);
        return false;
    }
    if (from && !read_source(outcome, arguments->from, &change->from))
        return false;
    if (change->from.size > 0 && change->from.data[change->from.size - 1] == '\n')
        change->from.size--;
    for (size_t i = 0; i < change->count; i++) {
        struct untorn_edit *edit = &change->edits[i];
        char **at = words + i * stride;
        fill_edit(arguments, edit, at, stride - valued);
        edit->kind = unset ? UNTORN_UNSET : UNTORN_SET;
        edit->syntax = syntax_of(arguments);
        edit->secret = from;
        edit->value = unset ? NULL : from ? change->from.data : at[stride - 1];
        if (from && !edit->value)
            edit->value = "";
        edit->value_size = unset ? 0 : from ? change->from.size : strlen(edit->value);
    }
    return true;
}

static void show_change(struct outcome *outcome, struct untorn_config *config,
                        const struct change *change)
{
    struct untorn_document *document;
    struct untorn_content old;
    struct untorn_error error;
    int rc = untorn_config_preview(config, outcome->arguments->scope, change->edits, change->count,
                                   &document, &error);
    outcome_library(outcome, &error);
    if (rc != 0)
        return;
    size_t size;
    const char *text = untorn_document_text(document, &size);
    bool exists = untorn_read(outcome->path, NULL, &old, &error) == 0;
    diff_print(outcome->path, exists ? old.data : NULL, old.size, text, size);
    untorn_content_free(&old);
    untorn_document_free(document);
}

static void save_change(struct outcome *outcome, struct untorn_config *config,
                        const struct change *change)
{
    const struct arguments *arguments = outcome->arguments;
    struct untorn_error error;
    int rc = untorn_config_write(config, arguments->scope, change->edits, change->count,
                                 &arguments->options, &error);
    outcome_library(outcome, &error);
    if (rc >= 0 && arguments->report)
        outcome->has_hash =
            untorn_hash_file(outcome->path, &arguments->options, &outcome->hash, &error) == 0;
}

/* A report names the version that was saved: nobody may save another one before it is hashed. */
static void save_and_report(struct outcome *outcome, struct untorn_config *config,
                            const struct change *change)
{
    struct untorn_options options = outcome->arguments->options;
    struct untorn_document *document;
    struct untorn_lock *lock = NULL;
    struct untorn_error error;
    options.parents = true;
    int rc = untorn_config_preview(config, outcome->arguments->scope, change->edits, change->count,
                                   &document, &error); /* before a directory is made for nothing */
    untorn_document_free(document);
    if (rc == 0)
        rc = untorn_lock(outcome->path, UNTORN_LOCK_EXCLUSIVE, &options, &lock, &error);
    if (rc != 0)
        outcome_library(outcome, &error);
    else
        save_change(outcome, config, change);
    untorn_unlock(lock);
}

static void change_config(struct outcome *outcome, struct untorn_config *config, bool unset)
{
    const struct arguments *arguments = outcome->arguments;
    struct change change = {0};
    struct untorn_error error;
    const char *path = untorn_config_path(config, arguments->scope, &error);
    if (!path)
        outcome_library(outcome, &error);
    else
        outcome->path = path;
    if (path && make_change(outcome, unset, &change)) {
        if (arguments->dry_run)
            show_change(outcome, config, &change);
        else if (arguments->report)
            save_and_report(outcome, config, &change);
        else
            save_change(outcome, config, &change);
    }
    bytes_free(&change.from);
    free(change.edits);
}

static void set(struct outcome *outcome, struct untorn_config *config)
{
    change_config(outcome, config, false);
}

static void unset(struct outcome *outcome, struct untorn_config *config)
{
    change_config(outcome, config, true);
}

/* ---- actions ---- */

static const struct action {
    const char *name;
    void (*run)(struct outcome *outcome, struct untorn_config *config);
    bool writes;
    uint64_t options; /* that only some actions take */
} actions[] = {
    {"get", config_print_value, false,
     OPTION_SHOW_ORIGIN | OPTION_DEFAULT | OPTION_JSON | OPTION_SEGMENTS},
    {"set", set, true,
     OPTION_SCOPE | OPTION_JSON | OPTION_TOML | OPTION_STRING | OPTION_FROM | OPTION_SEGMENTS},
    {"unset", unset, true, OPTION_SCOPE | OPTION_SEGMENTS},
    {"list", config_print_list, false, OPTION_SHOW_ORIGIN | OPTION_JSON},
    {"path", config_print_paths, false, OPTION_SCOPE},
    {"check", config_print_check, false, 0},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

#define WRITE_OPTIONS                                                                              \
    (OPTION_LEVEL | OPTION_WAIT | OPTION_KEEP | OPTION_STATE_DIR | OPTION_STRICT |                 \
     OPTION_DRY_RUN | OPTION_REPORT)
#define ACTION_OPTIONS                                                                             \
    (OPTION_SHOW_ORIGIN | OPTION_DEFAULT | OPTION_JSON | OPTION_TOML | OPTION_STRING |             \
     OPTION_FROM | OPTION_SEGMENTS | OPTION_SCOPE)
#define ALL_OPTIONS                                                                                \
    (WRITE_OPTIONS | ACTION_OPTIONS | OPTION_APP | OPTION_SCHEMA | OPTION_FILE | OPTION_OVERRIDE | \
     OPTION_FORMAT)

static int check_words(const struct arguments *arguments, const struct action *action)
{
    const struct verb *verb = arguments->verb;
    int count = arguments->operand_count - 1;
    bool pairs = action->writes && action->run == set && !arguments->segments && !arguments->from;
    char **words = arguments->operands + 1;
    if (!action->writes && action->run != config_print_value && count > 0)
        return usage_error(verb, "one operand too many: '%s'; %s takes none", words[0],
                           action->name);
    if (action->writes &&
        count < 1 + (arguments->segments && action->run == set && !arguments->from))
        return usage_error(verb, "%s needs a KEY", action->name);
    if (pairs && count % 2 != 0)
        return usage_error(verb, "VALUE is missing behind '%s'", words[count - 1]);
    if (((!action->writes && !arguments->segments) || (arguments->from && !arguments->segments)) &&
        count > 1)
        return usage_error(verb, "one operand too many: '%s'", words[1]);
    for (int i = 0; i < count; i += 1 + pairs) {
        int status = check_key(arguments, words[i]);
        if (status != 0)
            return status;
    }
    return 0;
}

static int check_given(const struct arguments *arguments, const struct action *action)
{
    const struct verb *verb = arguments->verb;
    uint64_t allowed = action->options | (action->writes ? WRITE_OPTIONS : OPTION_STATE_DIR);
    uint64_t wrong = arguments->given & (ACTION_OPTIONS | WRITE_OPTIONS) & ~allowed;
    if (!arguments->app)
        return usage_error(verb, "--app NAME is missing");
    for (const struct option *option = option_table; wrong && option->name; option++)
        if (option->bit & wrong)
            return usage_error(verb, "%s takes no --%s", action->name, option->name);
    if (action->writes && !(arguments->given & OPTION_SCOPE))
        return usage_error(verb, "%s needs --scope global, project or local", action->name);
    if (action->writes &&
        (arguments->scope < UNTORN_SCOPE_GLOBAL || arguments->scope > UNTORN_SCOPE_LOCAL))
        return usage_error(verb, "%s writes to the scope global, project or local", action->name);
    return check_words(arguments, action);
}

/* KEY=VALUE: the first equals sign that is not inside quotes ends the key. */
static const char *end_of_key(const char *text)
{
    char quote = 0;
    for (; *text && (quote || *text != '='); text++) {
        if (quote == '"' && *text == '\\' && text[1])
            text++;
        else if (quote ? *text == quote : *text == '"' || *text == '\'')
            quote = quote ? 0 : *text;
    }
    return text;
}

static void open_and_run(struct outcome *outcome, const struct action *action,
                         struct untorn_edit *overrides)
{
    const struct arguments *arguments = outcome->arguments;
    struct untorn_config_setup setup = {.app = arguments->app,
                                        .schema_path = arguments->schema,
                                        .overrides = overrides,
                                        .override_count = arguments->overrides.count,
                                        .state_dir = arguments->options.state_dir,
                                        .format = arguments->format};
    struct untorn_config *config;
    struct untorn_error error;
    memcpy(setup.paths, arguments->scope_files, sizeof setup.paths);
    if (untorn_config_open(&setup, &config, &error) != 0) {
        outcome_library(outcome, &error);
        return;
    }
    action->run(outcome, config);
    untorn_config_free(config);
}

/* The keys of the overrides are cut off in place of their equals signs, in a copy. */
static void run_action(struct outcome *outcome, const struct action *action)
{
    const struct words *given = &outcome->arguments->overrides;
    struct untorn_edit *overrides = calloc(given->count + 1, sizeof *overrides);
    char **copies = calloc(given->count + 1, sizeof *copies);
    bool made = overrides && copies;
    for (size_t i = 0; made && i < given->count; i++) {
        size_t key = (size_t)(end_of_key(given->items[i]) - given->items[i]);
        made = (copies[i] = strdup(given->items[i])) != NULL;
        if (!made)
            break;
        bool has_value = copies[i][key] == '=';
        copies[i][key] = '\0';
        overrides[i].key = copies[i];
        overrides[i].value = copies[i] + key + has_value;
        overrides[i].value_size = strlen(overrides[i].value);
    }
    if (made)
        open_and_run(outcome, action, overrides);
    else
        outcome_result(outcome, "override", -UNTORN_NO_MEMORY);
    for (size_t i = 0; copies && i < given->count; i++)
        free(copies[i]);
    free(copies);
    free(overrides);
}

static int run_config(struct arguments *arguments)
{
    const struct action *action = NULL;
    for (int i = 0; i < ACTIONS; i++)
        if (strcmp(actions[i].name, arguments->operands[0]) == 0)
            action = &actions[i];
    if (!action)
        return usage_error(arguments->verb,
                           "no action '%s'; there are get, set, unset, list, "
                           "path and check",
                           arguments->operands[0]);
    int status = check_given(arguments, action);
    if (status != 0)
        return status;
    if (!(arguments->given & OPTION_SCOPE))
        arguments->scope = UNTORN_SCOPES;
    struct outcome outcome = outcome_begin(arguments, arguments->app);
    run_action(&outcome, action);
    return outcome_finish(&outcome);
}

const struct verb verb_config = {
    .name = "config",
    .operands = "ACTION [KEY [VALUE]]...",
    .summary = "an application's configuration: who says what",
    .explanation =
        "ACTION is get [KEY], set KEY VALUE..., unset KEY..., list, path or check.\n"
        "The scopes, from the lowest: default (the schema), global (the user's config\n"
        "folder), project (the nearest .NAME/config.toml or NAME.toml upward that you or\n"
        "root own), local (beside it), environment (variables that the schema names),\n"
        "override. The highest that has a key decides; tables are merged key by key,\n"
        "arrays replaced. set and unset go to the file of one scope, under its lock,\n"
        "after the schema was asked. list masks secrets. check tells everything that is\n"
        "wrong, with line and column.",
    .examples = "  untorn config --app agents set --scope global server.port 8080\n"
                "  untorn config --app agents get server.port --default 80\n"
                "  untorn config --app agents list --show-origin --override a.b=1\n"
                "  untorn config --app agents path\n",
    .exits = "  0  done\n"
             "  1  failed, the old content stays; the schema does not allow it\n"
             "  2  usage\n"
             "  3  no such key; the scope has no file\n"
             "  4  a file does not parse, or a value is not what the schema asks for\n"
             "  6  lock not obtained in time\n"
             "  7  not settled: saved, but not confirmed on the disk, or not reported\n",
    .options = ALL_OPTIONS,
    .one_path = true,
    .fewest = 1,
    .most = -1,
    .run = run_config,
};
