/* untorn check: what dead writers left, and whether documents are whole, in files and trees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"
#include "here.h"
#include "limits.h"
#include "message.h"
#include "options.h"
#include "outcome.h"
#include "output.h"
#include "progress.h"
#include "start.h"
#include "system.h"
#include "verdict.h"
#include "walk.h"
#include "words.h"

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
    [UNTORN_FOUND_FOREIGN] = {"foreign", "a journal, copied here, planted or given up",
                              "; never applied", "given up"},
    [UNTORN_FOUND_CONFLICT] = {"conflict", "an unfinished write that met content it did not know",
                               "; kept", "given up"},
    [UNTORN_FOUND_TAIL] = {"tail", "a torn record that an append cut", "; kept", "given up"},
    [UNTORN_FOUND_SET] = {"set", "a commit of several files that stopped half way", "", "finished"},
    [UNTORN_FOUND_IN_DOUBT] = {"in-doubt",
                               "a commit of several files that cannot be decided while the "
                               "directory that knows, or its journal, is away",
                               "", "given up"},
    [UNTORN_FOUND_MIXED] = {"mixed",
                            "from before a commit of several files, of which others are newer", "",
                            "settled"},
    [UNTORN_FOUND_DAMAGED] = {"damaged", "content that did not parse when it was replaced",
                              "; kept", "given up"},
    [UNTORN_FOUND_LOST] =
        {"lost",
         "an interrupted commit of several files whose journal in another directory "
         "was gone",
         "; files there may not fit", "given up"},
};

/* Of the command itself, not of the library. No repair removes what a person typed. */
static const struct kind draft_kind = {"draft", "a draft of untorn edit that was not saved",
                                       "; kept", ""};

struct totals {
    size_t documents, whole, damaged, missing; /* that have a verdict */
    size_t left, repaired;                     /* findings */
    size_t failed;                             /* paths that could not be checked */
    int status;                                /* the worst */
};

struct checking {
    const struct arguments *arguments;
    const char *path;      /* as the user named it, or met below that */
    char prefix[CLI_TEXT]; /* of the directory that findings are relative to, "dir/" or empty */
    char name[CLI_TEXT];   /* of the file there, or empty: all of them */
    struct words mixed;    /* physical paths, own: each directory of a set knows all of it */
    size_t mixed_here;     /* of the findings of this path */
    size_t kept_here;      /* the same, that only --abandon clears up */
    size_t in_doubt_here;  /* the same, and what is away may come back */
    size_t commits_here;   /* the same, that may remove or make what they name */
    size_t drafts_here;    /* beside the findings of the library */
    size_t told_before;    /* the same, and not to be told again */
    char trouble[UNTORN_TEXT_SIZE]; /* why the leftovers of this path could not be looked at */
    struct totals totals;
};

/* That a path could not be checked weighs more than what was found in another. */
static void note_status(struct checking *checking, int status)
{
    static const char rank[] = {0, 6, 5, 2, 1, 3, 4, 7}; /* by exit code */
    if (rank[status] > rank[checking->totals.status])
        checking->totals.status = status;
}

/* ---- findings ---- */

static const struct kind *kind_of(const struct untorn_finding *finding)
{
    static const struct kind unknown = {"other", "not known to this command", "", "gone"};
    size_t index = (size_t)finding->kind;
    return index < sizeof kinds / sizeof *kinds && kinds[index].word ? &kinds[index] : &unknown;
}

static void report_finding(const struct checking *checking, const struct kind *kind,
                           const struct untorn_finding *finding, const char *name, const char *kept)
{
    output_text("{\"verb\":\"check\",\"path\":");
    output_json_text(checking->path);
    output_format(",\"found\":\"%s\",\"file\":", kind->word);
    output_json_text(name);
    output_text(",\"kept\":");
    output_json_text(kept);
    if (finding->directory) {
        output_text(",\"directory\":");
        output_json_text(finding->directory);
    }
    if (finding->withdrawn)
        output_text(",\"withdrawn\":true");
    if (finding->abandoned)
        output_text(",\"abandoned\":true");
    output_format(",\"size\":%llu,\"repaired\":%s}\n", (unsigned long long)finding->size,
                  finding->repaired ? "true" : "false");
}

static void print_finding(const struct kind *kind, const struct untorn_finding *finding,
                          const char *name, const char *kept)
{
    output_escaped(name);
    if (finding->repaired && finding->withdrawn)
        output_format(": taken back: %s; no file was changed", kind->text);
    else if (finding->repaired)
        output_format(": %s: %s", finding->abandoned ? "given up" : kind->repaired, kind->text);
    else
        output_format(": %s%s", kind->text, kind->left);
    if (finding->directory) {
        output_text(": ");
        output_escaped(path_from_here(finding->directory));
    }
    output_text(" (");
    output_escaped(kept);
    output_format(", %llu bytes)\n", (unsigned long long)finding->size);
}

static void tell_finding(const struct checking *checking, const struct kind *kind,
                         const struct untorn_finding *finding, const char *name, const char *kept)
{
    if (checking->arguments->report)
        report_finding(checking, kind, finding, name, kept);
    else
        print_finding(kind, finding, name, kept);
}

/* New, or NULL without memory. */
static char *physical_path(const struct checking *checking, const char *name)
{
    char *directory =
        *name == '/' ? NULL : system_resolve(*checking->prefix ? checking->prefix : ".");
    size_t size = (directory ? strlen(directory) : 0) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s%s", directory ? directory : "", directory ? "/" : "", name);
    free(directory);
    return path;
}

/* Whether that file was told already, as one of another directory's set. */
static bool is_told(struct checking *checking, const char *name)
{
    char *path = physical_path(checking, name);
    for (size_t i = 0; path && i < checking->mixed.count; i++) {
        if (strcmp(checking->mixed.items[i], path) == 0) {
            free(path);
            return true;
        }
    }
    if (path && !words_add(&checking->mixed, path))
        free(path); /* then it is told twice */
    return false;
}

static bool is_kept(enum untorn_finding_kind kind)
{
    return kind == UNTORN_FOUND_FOREIGN || kind == UNTORN_FOUND_CONFLICT ||
           kind == UNTORN_FOUND_TAIL || kind == UNTORN_FOUND_DAMAGED || kind == UNTORN_FOUND_LOST;
}

/* A file of such a commit need not be there, or be gone, yet. Once it was given up or taken back
 * what is there is what there is. */
static bool is_on_its_way(const struct untorn_finding *finding)
{
    bool commits = finding->kind == UNTORN_FOUND_SET && !finding->withdrawn && !finding->abandoned;
    bool waits = finding->kind == UNTORN_FOUND_SET || finding->kind == UNTORN_FOUND_IN_DOUBT;
    return commits || (waits && !finding->repaired);
}

static void found(void *context, const struct untorn_finding *finding)
{
    struct checking *checking = context;
    char name[2 * CLI_TEXT], kept[2 * CLI_TEXT];
    const char *given = finding->name ? finding->name : "";
    if (finding->kind == UNTORN_FOUND_MIXED) {
        checking->mixed_here++;
        if (is_told(checking, given)) {
            checking->told_before++;
            return;
        }
    }
    checking->kept_here += !finding->repaired && is_kept(finding->kind);
    checking->in_doubt_here += !finding->repaired && finding->kind == UNTORN_FOUND_IN_DOUBT;
    checking->commits_here += is_on_its_way(finding);
    if (*given == '/') /* it lies in another directory */
        snprintf(name, sizeof name, "%s", path_from_here(given));
    else
        snprintf(name, sizeof name, "%s%s", checking->prefix, given);
    snprintf(kept, sizeof kept, "%s%s", checking->prefix, finding->kept ? finding->kept : "");
    if (finding->repaired)
        checking->totals.repaired++;
    tell_finding(checking, kind_of(finding), finding, name, kept);
}

/* It may be known by the name of a link that was edited. */
static void found_draft(void *context, const char *name, const char *path, uint64_t size)
{
    struct checking *checking = context;
    struct untorn_finding finding = {.size = size};
    char file[2 * CLI_TEXT];
    if (checking->name[0] && strcmp(name, checking->name) != 0 &&
        strcmp(name, checking->path + path_folder_size(checking->path)) != 0)
        return;
    checking->drafts_here++;
    snprintf(file, sizeof file, "%s%s", checking->prefix, name);
    tell_finding(checking, &draft_kind, &finding, file, path);
}

static bool ends_with_separator(const char *path)
{
    return system_is_separator(path[strlen(path) - 1]);
}

/* The directory of what `path` names, as a prefix for names in it, and that name. Findings about a
 * symbolic link lie beside the file it leads to. */
static void find_prefix(struct checking *checking)
{
    char *resolved = NULL;
    const char *path = checking->path;
    if (system_kind(path, false, NULL) == SYSTEM_LINK && (resolved = system_resolve(path)))
        path = system_usual(resolved);
    checking->name[0] = '\0';
    if (system_kind(path, true, NULL) == SYSTEM_DIRECTORY) {
        const char *slash = ends_with_separator(path) ? "" : "/";
        snprintf(checking->prefix, sizeof checking->prefix, "%s%s", path, slash);
    } else {
        int length = (int)path_folder_size(path);
        snprintf(checking->prefix, sizeof checking->prefix, "%.*s", length, path);
        snprintf(checking->name, sizeof checking->name, "%s", path + length);
    }
    if (strcmp(checking->prefix, "./") == 0)
        checking->prefix[0] = '\0';
    free(resolved);
}

/* What to do about what is left, `left` of it found by the library. Which of the files of a mixed
 * set are right nobody but the user knows: no repair clears that. */
static void advise(const struct checking *checking, const char *path, size_t left)
{
    size_t others = left - checking->mixed_here - checking->in_doubt_here;
    if (others > 0)
        message("%s: %zu left (%s)", path, others,
                checking->arguments->repair || others == checking->kept_here
                    ? "to give up what was kept: untorn check --repair --abandon"
                    : "to clear up: untorn check --repair");
    if (checking->in_doubt_here > 0)
        message("%s: %zu left (bring back what is named, or give the commit up: "
                "untorn check --repair --abandon)",
                path, checking->in_doubt_here);
    if (checking->mixed_here > 0)
        message(
            "%s: %zu left (bring the files of one moment back, each with untorn restore, or take "
            "them as they are: untorn commit FILE=FILE ... of all of them)",
            path, checking->mixed_here);
    if (checking->drafts_here > 0)
        message("%s: %zu left (to save a draft: untorn write FILE DRAFT; to give it up, remove its "
                "folder)",
                path, checking->drafts_here);
}

/* False: there is not even a directory, and no more to tell. */
static bool check_leftovers(struct checking *checking, const char *path)
{
    const struct arguments *arguments = checking->arguments;
    checking->path = path;
    find_prefix(checking);
    struct untorn_check check = {.repair = arguments->repair,
                                 .abandon = arguments->abandon,
                                 .found = found,
                                 .context = checking};
    struct untorn_error error;
    size_t left = 0;
    checking->mixed_here = checking->kept_here = checking->told_before = 0;
    checking->drafts_here = checking->in_doubt_here = checking->commits_here = 0;
    int rc = untorn_check(path, &check, &arguments->options, &left, &error);
    left -= checking->told_before;
    checking->mixed_here -= checking->told_before;
    checking->totals.left += left;
    checking->trouble[0] = '\0';
    if (rc != 0) {
        message("%s", untorn_describe(&error, checking->trouble, sizeof checking->trouble));
        checking->totals.failed++;
        note_status(checking, untorn_status_exit_code(rc));
        return untorn_status_exit_code(rc) != 3;
    }
    drafts_find(checking->prefix, found_draft, checking);
    checking->totals.left += checking->drafts_here;
    if (left + checking->drafts_here == 0)
        return true;
    advise(checking, path, left);
    note_status(checking, 4);
    return true;
}

/* ---- verdicts ---- */

static void count_verdict(struct totals *totals, enum untorn_verdict verdict)
{
    totals->documents++;
    if (verdict == UNTORN_WHOLE)
        totals->whole++;
    else if (verdict == UNTORN_VERDICT_MISSING)
        totals->missing++;
    else
        totals->damaged++;
}

static void report_verdict(const struct outcome *outcome, enum untorn_format format,
                           enum untorn_verdict verdict)
{
    output_text("{\"verb\":\"check\",\"path\":");
    output_json_text(outcome->path);
    output_format(",\"verdict\":\"%s\",\"format\":\"%s\"", untorn_verdict_word(verdict),
                  untorn_format_name(format));
    if (outcome->position != UNTORN_NO_POSITION)
        output_format(",\"position\":%llu", (unsigned long long)outcome->position);
    if (outcome->text[0]) {
        output_text(",\"message\":");
        output_json_text(outcome->text);
    }
    output_text("}\n");
}

/* A message for what is wrong; with --report a line, also for what is whole. */
static void tell_verdict(const struct outcome *outcome, enum untorn_format format,
                         enum untorn_verdict verdict)
{
    if (outcome->text[0])
        message("%s", outcome->text);
    message_excerpt(outcome->excerpt);
    if (outcome->arguments->report) {
        report_verdict(outcome, format, verdict);
    } else if (verdict == UNTORN_WHOLE && outcome->arguments->verbose) {
        output_escaped(outcome->path);
        output_text(": whole\n");
    }
}

/* With `may_be_missing` that is no verdict. */
static void judge(struct checking *checking, const char *path, enum untorn_format format,
                  bool may_be_missing)
{
    static struct outcome outcome; /* static for its size */
    struct untorn_content content;
    struct untorn_error error;
    enum untorn_verdict verdict;
    outcome = outcome_begin(checking->arguments, path);
    int rc =
        untorn_read_judged(path, format, &checking->arguments->options, &content, &verdict, &error);
    untorn_content_free(&content);
    if (rc == 0 && verdict == UNTORN_VERDICT_MISSING && may_be_missing)
        return;
    verdict_describe(&outcome, &error);
    note_status(checking, outcome.exit_code);
    if (rc != 0) { /* it could not be looked at: no verdict */
        if (strcmp(outcome.text, checking->trouble) == 0)
            return; /* nor could its leftovers */
        message("%s", outcome.text);
        checking->totals.failed++;
        return;
    }
    count_verdict(&checking->totals, verdict);
    tell_verdict(&outcome, format, verdict);
}

/* ---- trees ---- */

static void walked_directory(void *context, const char *path)
{
    struct checking *checking = context;
    progress_show(checking->totals.documents, path);
    (void)check_leftovers(checking, path);
}

/* One that was in the directory and is missing was just removed, or a commit is about to. */
static void walked_document(void *context, const char *path)
{
    struct checking *checking = context;
    progress_show(checking->totals.documents, path);
    judge(checking, path, untorn_format_of_path(path), true);
}

static void walked_trouble(void *context, const char *path, int os_error)
{
    struct checking *checking = context;
    message("%s: cannot be looked into: %s (the others are checked)", path, system_error(os_error));
    checking->totals.failed++;
    note_status(checking, 1);
}

static void check_tree(struct checking *checking, const char *path)
{
    struct walk walk = {walked_directory, walked_document, walked_trouble, checking};
    walk_tree(path, &walk);
    progress_hide();
}

static void fail_missing(struct checking *checking, const char *path, const char *what)
{
    message("%s: no such %s", path, what);
    checking->totals.failed++;
    note_status(checking, 3);
}

/* The leftovers first: with --repair the document may be whole only then. Of a file that is not
 * there, and of no known kind, there may be some; if not, it is a slip. */
static void check_file(struct checking *checking, const char *path)
{
    enum untorn_format format = checking->arguments->format;
    const struct totals before = checking->totals;
    if (!format)
        format = untorn_format_of_path(path);
    if (ends_with_separator(path) && system_kind(path, false, NULL) == SYSTEM_NOTHING)
        fail_missing(checking, path, "directory");
    else if (!check_leftovers(checking, path))
        return;
    else if (format)
        judge(checking, path, format, checking->commits_here > 0);
    else if (checking->totals.left == before.left && checking->totals.repaired == before.repaired &&
             system_kind(path, false, NULL) == SYSTEM_NOTHING)
        fail_missing(checking, path, "file");
}

/* ---- the end ---- */

static void report_totals(const struct totals *totals)
{
    output_format("{\"verb\":\"check\",\"documents\":%zu,\"whole\":%zu,\"damaged\":%zu,"
                  "\"missing\":%zu,\"left\":%zu,\"repaired\":%zu,\"failed\":%zu,\"exit\":%d}\n",
                  totals->documents, totals->whole, totals->damaged, totals->missing, totals->left,
                  totals->repaired, totals->failed, totals->status);
}

/* Only on a terminal: a script has the exit status. */
static void print_totals(const struct totals *totals)
{
    if (system_is_terminal(SYSTEM_MESSAGES))
        message("%zu document%s: %zu whole, %zu damaged, %zu missing; %zu left, %zu repaired",
                totals->documents, totals->documents == 1 ? "" : "s", totals->whole,
                totals->damaged, totals->missing, totals->left, totals->repaired);
}

static int run_check(struct arguments *arguments)
{
    static struct checking checking; /* static for its size; it starts zeroed */
    bool walked = false;
    checking.arguments = arguments;
    start_many_files(); /* it may have to finish a large commit */
    if (arguments->operand_count == 0)
        (void)check_leftovers(&checking, ".");
    for (int i = 0; i < arguments->operand_count; i++) {
        const char *path = arguments->operands[i];
        bool directory = system_kind(path, true, NULL) == SYSTEM_DIRECTORY;
        (directory ? check_tree : check_file)(&checking, path);
        walked = walked || directory;
    }
    if (walked) /* of a file the one line says it all */
        (arguments->report ? report_totals : print_totals)(&checking.totals);
    for (size_t i = 0; i < checking.mixed.count; i++)
        free((char *)checking.mixed.items[i]);
    words_free(&checking.mixed);
    return checking.totals.status;
}

const struct verb verb_check = {
    .name = "check",
    .operands = "[PATH]...",
    .summary = "tell damaged documents, and what dead writers left (--repair)",
    .explanation =
        "Prints a line for each thing that a dead writer left (unfinished versions,\n"
        "overwrites and commits that stopped half way, versions and records kept aside,\n"
        "drafts of untorn edit) and a message for each document that is not whole:\n"
        "missing, empty, nul, truncated or syntax. PATH is a file, or a directory: all\n"
        "directories and all JSON and TOML files below it are looked at, by their names,\n"
        "and a bad one stops nothing. Links are not followed. Without PATH: what untorn\n"
        "knows in the current directory alone. No document is altered. Nobody has to run\n"
        "it: the next writer of a file clears up by itself.",
    .examples = "  untorn check\n"
                "  untorn check app.toml state.json\n"
                "  untorn check --report . | jq -r 'select(.verdict == \"truncated\").path'\n"
                "  untorn check --repair state.json\n",
    .exits = "  0  nothing is left, and every document is whole\n"
             "  1  a PATH could not be checked or repaired\n"
             "  2  usage\n"
             "  3  no such file or directory; a document is missing\n"
             "  4  something is left; a document is empty, nul, truncated, or has a syntax\n"
             "     error\n"
             "  6  lock not obtained in time (--repair)\n"
             "  7  not settled\n"
             "  of several PATHs the worst counts: 7, then 1, 6, 3, 4\n",
    .options = OPTION_FORMAT | OPTION_REPAIR | OPTION_VERBOSE | OPTION_ABANDON | OPTION_SYMLINK |
               OPTION_WAIT | OPTION_STATE_DIR | OPTION_REPORT,
    .fewest = 0,
    .most = -1,
    .run = run_check,
};
