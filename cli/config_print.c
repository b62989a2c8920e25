/* untorn config get, list, path and check: what they print. */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "message.h"
#include "output.h"
#include "value.h"

#define MASK "********"

/* ---- secrets ---- */

/* Everything as JSON text, parsed again, in which secrets are masked. */
struct masking {
    struct untorn_document *document;
    struct untorn_error error;
    int rc;
};

static int mask(void *context, const struct untorn_config_entry *entry)
{
    struct masking *masking = context;
    struct untorn_edit edit = {.kind = UNTORN_SET,
                               .key = entry->key,
                               .value = MASK,
                               .value_size = strlen(MASK),
                               .syntax = UNTORN_AS_STRING};
    if (entry->secret && masking->rc == 0)
        masking->rc = untorn_document_edit(masking->document, &edit, 1, &masking->error);
    return masking->rc;
}

/* NULL: the outcome says why. */
static struct untorn_document *masked_document(struct outcome *outcome,
                                               struct untorn_config *config)
{
    struct masking masking = {0};
    struct untorn_document *merged = NULL;
    char *text = NULL;
    size_t size;
    int rc = untorn_config_merged(config, &merged, &masking.error);
    if (rc == 0)
        rc = untorn_node_write(untorn_document_root(merged), UNTORN_JSON, NULL, &text, &size,
                               &masking.error);
    if (rc == 0)
        rc = untorn_document_parse(text, size, UNTORN_JSON, &masking.document, &masking.error);
    if (rc == 0)
        rc = untorn_config_list(config, mask, &masking, masking.rc ? NULL : &masking.error);
    outcome_library(outcome, &masking.error);
    free(text);
    untorn_document_free(merged);
    if (rc == 0)
        return masking.document;
    untorn_document_free(masking.document);
    return NULL;
}

/* ---- origins ---- */

static const char *origin_path(const struct untorn_config_origin *origin)
{
    return origin->variable ? origin->variable : origin->path ? origin->path : "-";
}

/* "\tglobal\tPATH:LINE" */
static void print_origin(const struct untorn_config_origin *origin)
{
    output_format("\t%s\t", untorn_scope_name(origin->scope));
    output_escaped(origin_path(origin));
    if (origin->line)
        output_format(":%llu", (unsigned long long)origin->line);
}

static void print_origin_json(const struct untorn_config_origin *origin)
{
    output_format(",\"scope\":\"%s\"", untorn_scope_name(origin->scope));
    if (origin->path) {
        output_text(",\"path\":");
        output_json_text(origin->path);
    }
    if (origin->variable) {
        output_text(",\"variable\":");
        output_json_text(origin->variable);
    }
    if (origin->line)
        output_format(",\"line\":%llu,\"column\":%llu", (unsigned long long)origin->line,
                      (unsigned long long)origin->column);
}

static void tell_ignored(const struct untorn_config *config)
{
    const char *note;
    for (size_t i = 0; (note = untorn_config_ignored(config, i)) != NULL; i++)
        message("%s", note);
}

/* Compact JSON on one line, or the mask. False: no memory. */
static bool print_compact(const struct untorn_node *node, bool secret)
{
    struct untorn_style style = {.compact = true};
    char *text = NULL;
    size_t size;
    if (secret) {
        output_text("\"" MASK "\"");
        return true;
    }
    bool written = untorn_node_write(node, UNTORN_JSON, &style, &text, &size, NULL) == 0;
    if (written)
        output_bytes(text, size);
    free(text);
    return written;
}

/* ---- get ---- */

static bool is_table(const struct untorn_node *node)
{
    return untorn_node_kind(node) == UNTORN_OBJECT;
}

static const struct untorn_node *find(const struct arguments *arguments,
                                      struct untorn_config *config,
                                      struct untorn_config_origin *origin,
                                      struct untorn_error *error)
{
    const struct untorn_node *node;
    char **words = arguments->operands + 1;
    size_t count = (size_t)arguments->operand_count - 1;
    if (arguments->segments || count == 0)
        (void)untorn_config_get_segments(config, (const char *const *)words, count, &node, origin,
                                         error);
    else
        (void)untorn_config_get(config, words[0], &node, origin, error);
    return node;
}

/* A table is printed with its secrets masked: a secret is told to who asks for it by name. */
static void print_table(struct outcome *outcome, struct untorn_config *config)
{
    const struct arguments *arguments = outcome->arguments;
    size_t count = (size_t)arguments->operand_count - 1;
    struct untorn_document *document = masked_document(outcome, config);
    struct untorn_error error;
    if (!document)
        return;
    const struct untorn_node *node =
        arguments->segments || count == 0
            ? untorn_document_find_segments(document, (const char *const *)arguments->operands + 1,
                                            count, &error)
            : untorn_document_find(document, arguments->operands[1], &error);
    if (node)
        value_print(outcome, node);
    else
        outcome_library(outcome, &error);
    untorn_document_free(document);
}

static void print_with_origin(struct outcome *outcome, const struct untorn_node *node,
                              const struct untorn_config_origin *origin)
{
    bool json = outcome->arguments->as_json;
    size_t size;
    const char *text = untorn_node_text(node, &size);
    if (json)
        output_text("{\"value\":");
    if (json || !text)
        (void)print_compact(node, false);
    else
        output_bytes(text, size);
    if (json)
        print_origin_json(origin);
    else
        print_origin(origin);
    output_text(json ? "}\n" : "\n");
}

void config_print_value(struct outcome *outcome, struct untorn_config *config)
{
    const struct arguments *arguments = outcome->arguments;
    struct untorn_config_origin origin;
    struct untorn_error error;
    const struct untorn_node *node = find(arguments, config, &origin, &error);
    outcome_library(outcome, &error);
    if (arguments->show_origin)
        tell_ignored(config);
    if (!node && error.status == UNTORN_NO_KEY && arguments->fallback) {
        output_text(arguments->fallback);
        output_text("\n");
        *outcome = outcome_begin(arguments, outcome->path);
    } else if (node && is_table(node)) {
        print_table(outcome, config);
    } else if (node && arguments->show_origin) {
        print_with_origin(outcome, node, &origin);
    } else if (node) {
        value_print(outcome, node);
    }
}

/* ---- list ---- */

struct listing {
    bool json, origin, any;
};

static int list_entry(void *context, const struct untorn_config_entry *entry)
{
    struct listing *listing = context;
    if (entry->misfit)
        return 0; /* told at the end */
    if (listing->json) {
        output_text(listing->any ? ",\n  {\"key\":" : "\n  {\"key\":");
        output_json_text(entry->key);
        output_text(",\"value\":");
    } else {
        output_escaped(entry->key);
        output_text(" = ");
    }
    listing->any = true;
    if (!print_compact(entry->node, entry->secret))
        return -UNTORN_NO_MEMORY;
    if (listing->json)
        print_origin_json(&entry->origin);
    else if (listing->origin)
        print_origin(&entry->origin);
    output_text(listing->json ? "}" : "\n");
    return 0;
}

void config_print_list(struct outcome *outcome, struct untorn_config *config)
{
    const struct arguments *arguments = outcome->arguments;
    struct listing listing = {.json = arguments->as_json, .origin = arguments->show_origin};
    struct untorn_error error;
    if (listing.json && !listing.origin) {
        print_table(outcome, config);
        return;
    }
    if (listing.json)
        output_text("[");
    int rc = untorn_config_list(config, list_entry, &listing, &error);
    if (rc == -UNTORN_NO_MEMORY && error.status == UNTORN_OK)
        outcome_result(outcome, "print", rc);
    else
        outcome_library(outcome, &error);
    if (listing.json)
        output_text(listing.any ? "\n]\n" : "]\n");
    if (listing.origin)
        tell_ignored(config);
}

/* ---- path and check ---- */

void config_print_paths(struct outcome *outcome, struct untorn_config *config)
{
    const struct arguments *arguments = outcome->arguments;
    struct untorn_error error;
    bool one = arguments->app && arguments->scope < UNTORN_SCOPES;
    for (int scope = 0; scope < UNTORN_SCOPES; scope++) {
        if (one && (int)arguments->scope != scope)
            continue;
        const char *path = untorn_config_path(config, (enum untorn_scope)scope, &error);
        if (!path && one)
            outcome_library(outcome, &error);
        if (!path)
            continue;
        if (!one)
            output_format("%s\t", untorn_scope_name((enum untorn_scope)scope));
        output_text(path);
        output_text("\n");
    }
    tell_ignored(config);
}

static int print_finding(void *context, const struct untorn_config_finding *finding)
{
    bool *told = context;
    *told = true;
    output_escaped(finding->origin.path || finding->origin.variable
                       ? origin_path(&finding->origin)
                       : untorn_scope_name(finding->origin.scope));
    if (finding->origin.line)
        output_format(":%llu:%llu", (unsigned long long)finding->origin.line,
                      (unsigned long long)finding->origin.column);
    output_text(": ");
    output_escaped(finding->text);
    output_text("\n");
    return 0;
}

/* What is wrong was printed line by line: the status alone is left to tell. */
void config_print_check(struct outcome *outcome, struct untorn_config *config)
{
    struct untorn_error error;
    bool told = false;
    (void)untorn_config_check(config, print_finding, &told, &error);
    outcome_library(outcome, &error);
    if (told)
        outcome->text[0] = outcome->excerpt[0] = '\0';
    tell_ignored(config);
}
