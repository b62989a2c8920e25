/* untorn check: what dead writers left, and whether a document is whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "limits.h"
#include "message.h"
#include "options.h"
#include "outcome.h"
#include "output.h"
#include "verdict.h"

struct kind {
    const char *word; /* of the report line */
    const char *text;
    const char *left;     /* behind the text while it is there */
    const char *repaired; /* before the text once it is not */
};

static const struct kind kinds[] = {
    [UNTORN_FOUND_STAGE] = {"stage", "a version that was never finished", "; its writer is gone",
                            "removed"},
    [UNTORN_FOUND_UNFINISHED] = {"unfinished", "an overwrite in place that stopped half way", "",
                                 "finished"},
    [UNTORN_FOUND_FOREIGN] = {"foreign", "the journal of an overwrite, copied here or planted",
                              "; never applied", "given up"},
    [UNTORN_FOUND_CONFLICT] = {"conflict", "an overwrite in place that met content it did not know",
                               "; kept", "given up"},
    [UNTORN_FOUND_TAIL] = {"tail", "a torn record that an append cut", "; kept", "given up"},
};

struct checking {
    const struct arguments *arguments;
    const char *path;      /* as the user named it */
    char prefix[CLI_TEXT]; /* of the directory that findings are relative to, "dir/" or empty */
};

static const struct kind *kind_of(const struct untorn_finding *finding)
{
    static const struct kind unknown = {"other", "not known to this command", "", "gone"};
    size_t index = (size_t)finding->kind;
    return index < sizeof kinds / sizeof *kinds && kinds[index].word ? &kinds[index] : &unknown;
}

static void report_finding(const struct checking *checking, const struct untorn_finding *finding,
                           const char *name, const char *kept)
{
    output_text("{\"verb\":\"check\",\"path\":");
    output_json_text(checking->path);
    output_format(",\"found\":\"%s\",\"file\":", kind_of(finding)->word);
    output_json_text(name);
    output_text(",\"kept\":");
    output_json_text(kept);
    output_format(",\"size\":%llu,\"repaired\":%s}\n", (unsigned long long)finding->size,
                  finding->repaired ? "true" : "false");
}

static void print_finding(const struct untorn_finding *finding, const char *name, const char *kept)
{
    const struct kind *kind = kind_of(finding);
    output_escaped(name);
    if (finding->repaired)
        output_format(": %s: %s (", kind->repaired, kind->text);
    else
        output_format(": %s%s (", kind->text, kind->left);
    output_escaped(kept);
    output_format(", %llu bytes)\n", (unsigned long long)finding->size);
}

static void found(void *context, const struct untorn_finding *finding)
{
    const struct checking *checking = context;
    char name[2 * CLI_TEXT], kept[2 * CLI_TEXT];
    snprintf(name, sizeof name, "%s%s", checking->prefix, finding->name ? finding->name : "");
    snprintf(kept, sizeof kept, "%s%s", checking->prefix, finding->kept ? finding->kept : "");
    if (checking->arguments->report)
        report_finding(checking, finding, name, kept);
    else
        print_finding(finding, name, kept);
}

/* The directory of what `path` names, as a prefix for names in it. Findings about a symbolic link
 * lie beside the file it leads to. */
static void find_prefix(struct checking *checking)
{
    struct stat status;
    char *resolved = NULL;
    const char *path = checking->path;
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && (resolved = realpath(path, NULL)))
        path = resolved;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
        snprintf(checking->prefix, sizeof checking->prefix, "%s%s", path, slash);
    } else {
        const char *slash = strrchr(path, '/');
        int length = slash ? (int)(slash - path) + 1 : 0;
        snprintf(checking->prefix, sizeof checking->prefix, "%.*s", length, path);
    }
    if (strcmp(checking->prefix, "./") == 0)
        checking->prefix[0] = '\0';
    free(resolved);
}

/* That a path could not be checked weighs more than what was found in another. */
static int worse(int a, int b)
{
    static const char rank[] = {0, 6, 5, 2, 1, 3, 4, 7}; /* by exit code */
    return rank[a] > rank[b] ? a : b;
}

static int check_leftovers(const struct arguments *arguments, const char *path)
{
    static struct checking checking;
    checking.arguments = arguments;
    checking.path = path;
    find_prefix(&checking);
    struct untorn_check check = {.repair = arguments->repair,
                                 .abandon = arguments->abandon,
                                 .found = found,
                                 .context = &checking};
    struct untorn_error error;
    size_t left = 0;
    int rc = untorn_check(path, &check, &arguments->options, &left, &error);
    if (rc != 0) {
        char text[UNTORN_TEXT_SIZE];
        message("%s", untorn_describe(&error, text, sizeof text));
        return untorn_status_exit_code(rc);
    }
    if (left == 0)
        return 0;
    message("%s: %zu left (%s)", path, left,
            arguments->repair ? "to give up what was kept: untorn check --repair --abandon"
                              : "to clear up: untorn check --repair");
    return 4;
}

/* After the leftovers: with --repair the document may be whole only now. */
static int check_path(const struct arguments *arguments, const char *path)
{
    int status = check_leftovers(arguments, path);
    if (status == 3)
        return status; /* not even a directory: there is no more to tell */
    return worse(status, verdict_tell(arguments, path));
}

static int run_check(struct arguments *arguments)
{
    int status = 0;
    for (int i = 0; i < arguments->operand_count; i++)
        status = worse(status, check_path(arguments, arguments->operands[i]));
    return arguments->operand_count == 0 ? check_path(arguments, ".") : status;
}

const struct verb verb_check = {
    .name = "check",
    .operands = "[PATH]...",
    .summary = "tell damaged documents, and what dead writers left (--repair)",
    .explanation =
        "Prints a line for each thing that a dead writer left: unfinished versions,\n"
        "overwrites that stopped half way, versions and records kept aside. PATH is a\n"
        "file, or a directory for all that untorn knows in it (the current one if none\n"
        "is named). Nobody has to run it: the next writer of a file clears up by itself.\n"
        "A PATH that is JSON or TOML, by its name or --format, also gets a verdict, and\n"
        "unless it is whole a message: missing, empty, nul, truncated or syntax.",
    .examples = "  untorn check\n"
                "  untorn check app.toml state.json\n"
                "  untorn check --repair state.json\n",
    .exits = "  0  nothing is left, and every document is whole\n"
             "  1  a PATH could not be checked or repaired\n"
             "  2  usage\n"
             "  3  no such directory; a document is missing\n"
             "  4  something is left; a document is empty, nul, truncated, or has a syntax\n"
             "     error\n"
             "  6  lock not obtained in time (--repair)\n"
             "  7  not settled\n"
             "  of several PATHs the worst counts: 7, then 1, 6, 3, 4\n",
    .options = OPTION_FORMAT | OPTION_REPAIR | OPTION_ABANDON | OPTION_SYMLINK | OPTION_WAIT |
               OPTION_STATE_DIR | OPTION_REPORT,
    .fewest = 0,
    .most = -1,
    .run = run_check,
};
