/* untorn edit: a person changes a file, in an editor, on a copy. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "document.h"
#include "draft.h"
#include "dryrun.h"
#include "limits.h"
#include "message.h"
#include "options.h"
#include "outcome.h"
#include "system.h"
#include "verdict.h"

struct editing {
    struct arguments *arguments;
    struct outcome outcome;
    enum untorn_format format;
    struct untorn_content old; /* as it was read */
    bool exists;
    struct bytes begun; /* what the editor is given */
    struct draft draft;
    struct bytes text; /* what the editor made of it */
    int signal;        /* to end by, or 0 */
};

/* ---- before ---- */

/* Whether it can be saved at all is found out before anybody types. The lock is not kept. */
static bool may_be_saved(struct editing *editing)
{
    struct untorn_options options = editing->arguments->options;
    struct untorn_lock *lock = NULL;
    struct untorn_error error;
    options.wait_ms = UNTORN_TRY_ONCE;
    options.parents = false;
    int rc = untorn_lock(editing->outcome.path, UNTORN_LOCK_EXCLUSIVE, &options, &lock, &error);
    untorn_unlock(lock);
    if (rc == 0 || rc == -UNTORN_LOCKED ||
        (rc == -UNTORN_MISSING && editing->arguments->options.parents))
        return true;
    outcome_library(&editing->outcome, &error);
    return false;
}

static bool begin_with(struct editing *editing, const char *data, size_t size)
{
    if (bytes_append(&editing->begun, data, size))
        return true;
    outcome_fail(&editing->outcome, UNTORN_NO_MEMORY, 1, "%s",
                 untorn_status_text(UNTORN_NO_MEMORY));
    return false;
}

/* A new file begins as an empty document of its kind. */
static bool begin_new(struct editing *editing)
{
    struct untorn_document *document = NULL;
    size_t size = 0;
    bool known = editing->format && untorn_document_new(editing->format, &document, NULL) == 0;
    const char *text = known ? untorn_document_text(document, &size) : "";
    bool done = begin_with(editing, text, size);
    untorn_document_free(document);
    return done;
}

/* A damaged file is told of, and edited. */
static bool read_old(struct editing *editing)
{
    struct outcome *outcome = &editing->outcome;
    struct untorn_error error;
    enum untorn_verdict verdict;
    int rc = untorn_read_judged(outcome->path, editing->format, &editing->arguments->options,
                                &editing->old, &verdict, &error);
    if (rc != 0) {
        outcome_library(outcome, &error);
        return false;
    }
    editing->exists = verdict != UNTORN_VERDICT_MISSING;
    if (editing->exists && verdict != UNTORN_WHOLE && !editing->arguments->is_text) {
        verdict_describe(outcome, &error);
        message("%s", outcome->text);
        message_excerpt(outcome->excerpt);
    }
    *outcome = outcome_begin(editing->arguments, outcome->path);
    return editing->exists ? begin_with(editing, editing->old.data, editing->old.size)
                           : begin_new(editing);
}

static bool make_draft(struct editing *editing)
{
    int error = draft_make(&editing->draft, editing->outcome.path, editing->begun.data,
                           editing->begun.size);
    if (error != 0)
        outcome_fail(&editing->outcome, UNTORN_FAILED, 1, "cannot make a copy to edit: %s",
                     system_error(error));
    return error == 0;
}

/* ---- the editor ---- */

static const char *chosen_editor(void)
{
    static const char *const variables[] = {"VISUAL", "EDITOR"};
    for (size_t i = 0; i < 2; i++) {
        const char *value = system_variable(variables[i]);
        if (value && value[strspn(value, " \t")])
            return value;
    }
    return NULL;
}

static struct child_result run_usual(char *path)
{
    struct child_result result = {.start_error = ENOENT};
    for (size_t i = 0; child_editors[i] && result.start_error == ENOENT; i++)
        result = child_edit(child_editors[i], path);
    return result;
}

static bool refuse_editor(struct editing *editing, const struct child_result *result,
                          const char *editor)
{
    struct outcome *outcome = &editing->outcome;
    const char *name = editor ? editor : child_editors[0];
    int start = result->start_error ? child_start_status(result) : result->exit_status;
    if (result->start_error == ENOENT && !editor)
        outcome_fail(outcome, UNTORN_REFUSED, 127, "no editor: %s there (name one: EDITOR=...)",
                     child_no_editor);
    else if (result->start_error != 0)
        outcome_fail(outcome, UNTORN_REFUSED, start,
                     "the editor '%.200s' cannot be run: %s (see VISUAL and EDITOR)", name,
                     system_error(result->start_error));
    else if (result->killed_by != 0)
        outcome_fail(outcome, UNTORN_REFUSED, 1, "the editor was killed by signal %d (%s)",
                     result->killed_by, child_signal_text(result->killed_by));
    else if (start == 126 || start == 127) /* as the shell says it */
        outcome_fail(outcome, UNTORN_REFUSED, start,
                     "the editor '%.200s' cannot be run (see VISUAL and EDITOR)", name);
    else if (start != 0)
        outcome_fail(outcome, UNTORN_REFUSED, 1,
                     "the editor '%.200s' failed with status %d; nothing is saved", name, start);
    else
        outcome_fail(outcome, UNTORN_REFUSED, 1, "interrupted; nothing is saved");
    return false;
}

/* The terminal sends Ctrl-C to the editor, which knows what it means there, and to us, to whom it
 * means nothing unless the editor ended by it. */
static bool run_editor(struct editing *editing)
{
    const char *editor = chosen_editor();
    struct child_result result =
        editor ? child_edit(editor, editing->draft.path) : run_usual(editing->draft.path);
    if (result.signal && (result.must_end || result.killed_by))
        editing->signal = result.signal;
    if (result.start_error || result.killed_by || result.exit_status || result.must_end)
        return refuse_editor(editing, &result, editor);
    return true;
}

/* ---- the draft ---- */

static bool read_draft(struct editing *editing)
{
    bytes_free(&editing->text);
    int error = draft_read(&editing->draft, &editing->text);
    if (error != 0)
        outcome_fail(&editing->outcome, UNTORN_REFUSED, 1, "the editor left no copy: %s",
                     system_error(error));
    return error == 0;
}

static bool is_unchanged(const struct editing *editing)
{
    const struct bytes *begun = &editing->begun, *text = &editing->text;
    return begun->size == text->size &&
           (text->size == 0 || memcmp(begun->data, text->data, text->size) == 0);
}

static bool is_interactive(void)
{
    return system_is_terminal(SYSTEM_INPUT) && system_is_terminal(SYSTEM_MESSAGES);
}

static bool wants_to_edit_again(const struct editing *editing)
{
    static const char question[] = "untorn: e: edit again; q: quit, and keep the draft [e] ";
    char answer = '\0', byte;
    int64_t count;
    message("%s: nothing is saved yet; the draft is %s", editing->outcome.path,
            editing->draft.path);
    (void)system_write(SYSTEM_MESSAGES, question, sizeof question - 1);
    while ((count = system_read(SYSTEM_INPUT, &byte, 1)) > 0 && byte != '\n')
        answer = answer ? answer : byte;
    return count > 0 && answer != 'q' && answer != 'Q';
}

/* Whether the text may replace the file. The outcome says why not. */
static bool is_fit(struct editing *editing)
{
    const struct arguments *arguments = editing->arguments;
    const struct bytes *text = &editing->text;
    struct outcome *outcome = &editing->outcome;
    struct untorn_error error;
    *outcome = outcome_begin(arguments, outcome->path);
    if (!arguments->force && editing->format &&
        untorn_judge(text->data, text->size, editing->format, &error) != UNTORN_WHOLE) {
        verdict_describe(outcome, &error);
        outcome_fail(outcome, UNTORN_NOT_A_DOCUMENT, 4, "the draft is not saved: %.*s",
                     (int)strcspn(error.detail, "\n"), error.detail);
        return false;
    }
    if (text->size == 0 && editing->old.size > 0 && !arguments->allow_empty) {
        outcome_fail(outcome, UNTORN_REFUSED, 1,
                     "the draft is empty and the file is not; it stays (to empty it: "
                     "--allow-empty)");
        return false;
    }
    return true;
}

/* Until it is fit, or given up. */
static bool edit(struct editing *editing)
{
    for (;;) {
        if (!run_editor(editing) || !read_draft(editing))
            return false;
        if (is_unchanged(editing) || is_fit(editing))
            return true;
        if (!is_interactive())
            return false;
        message("%s", editing->outcome.text);
        message_excerpt(editing->outcome.excerpt);
        editing->outcome.excerpt[0] = '\0';
        if (!wants_to_edit_again(editing))
            return false;
    }
}

/* ---- after ---- */

static bool save(struct editing *editing)
{
    struct outcome *outcome = &editing->outcome;
    struct untorn_options options = editing->arguments->options;
    struct untorn_error error;
    if (editing->exists)
        options.if_match = &editing->old.hash;
    else
        options.exclusive = true;
    int rc = untorn_write(outcome->path, editing->text.data, editing->text.size, &options, &error);
    outcome_library(outcome, &error);
    if (error.status == UNTORN_CHANGED || error.status == UNTORN_EXISTS)
        outcome_fail(outcome, (enum untorn_status)error.status, 5,
                     "somebody else changed it meanwhile, and that stays");
    outcome->has_hash = rc >= 0;
    outcome->hash = untorn_hash(editing->text.data, editing->text.size);
    return rc == 0;
}

/* Behind what the outcome says already. */
static void name_draft(struct editing *editing)
{
    char *text = editing->outcome.text;
    size_t used = strlen(text);
    if (used == 0)
        used = (size_t)snprintf(text, CLI_TEXT, "%.*s: not saved", CLI_TEXT / 2,
                                editing->outcome.path);
    snprintf(text + used, CLI_TEXT - used, " (your draft is kept: %s)", editing->draft.path);
}

/* Whether the person did something to the draft that would be missed. */
static bool is_worth_keeping(struct editing *editing)
{
    bytes_free(&editing->text);
    return draft_read(&editing->draft, &editing->text) == 0 && !is_unchanged(editing);
}

static void finish(struct editing *editing, bool fit)
{
    struct outcome *outcome = &editing->outcome;
    bool keep = true;
    if (!fit) {
        keep = is_worth_keeping(editing);
    } else if (is_unchanged(editing)) {
        message("%s: unchanged; nothing is saved", outcome->path);
        outcome->flags |= UNTORN_FLAG_UNCHANGED;
        keep = false;
    } else if (editing->arguments->dry_run) {
        dry_run_show(outcome, editing->text.data, editing->text.size);
    } else {
        keep = !save(editing);
    }
    if (keep)
        name_draft(editing);
    else
        draft_remove(&editing->draft);
}

static int run_edit(struct arguments *arguments)
{
    static struct editing editing; /* static for its size; it starts zeroed */
    editing.arguments = arguments;
    editing.outcome = outcome_begin(arguments, arguments->operands[0]);
    editing.format = arguments->format;
    if (!arguments->is_text && !editing.format)
        editing.format = untorn_format_of_path(editing.outcome.path);
    if (may_be_saved(&editing) && read_old(&editing) && make_draft(&editing))
        finish(&editing, edit(&editing));
    untorn_content_free(&editing.old);
    bytes_free(&editing.begun);
    bytes_free(&editing.text);
    int status = outcome_finish(&editing.outcome);
    if (editing.signal != 0)
        child_die_of(editing.signal);
    return status;
}

const struct verb verb_edit = {
    .name = "edit",
    .operands = "FILE",
    .summary = "edit a copy of FILE in your editor; it is checked, then saved",
    .explanation =
        "Runs $VISUAL, else $EDITOR, else vi or nano, on a private copy of FILE, and then\n"
        "saves what it made of it. FILE may be damaged, or not exist yet. What is JSON or\n"
        "TOML, by its name or --format, must be that still: else you are asked to edit it\n"
        "again, or, without a terminal, the exit status is 4. No lock is held while you\n"
        "type; if somebody else changed FILE meanwhile their version stays and the exit\n"
        "status is 5. A draft that is not saved is kept and named. An editor that returns\n"
        "before it is done needs its option to wait, as in EDITOR='code --wait'.",
    .examples = "  untorn edit app.toml\n"
                "  EDITOR='sed -i s/debug/info/' untorn edit app.conf\n",
    .exits = "  0  done; or you changed nothing\n"
             "  1  failed, the old content stays; the editor failed\n"
             "  2  usage\n"
             "  3  no such directory\n"
             "  4  what you made is no document of this kind; FILE is not a regular file\n"
             "  5  somebody else changed FILE, or made it, meanwhile\n"
             "  6  lock not obtained in time\n"
             "  7  not settled: saved, but not confirmed on the disk, or not reported\n"
             "  126, 127  the editor cannot be run, is not found\n",
    .options = OPTION_FORMAT | OPTION_FORCE | OPTION_ALLOW_EMPTY | OPTION_LEVEL | OPTION_MODE |
               OPTION_PARENTS | OPTION_KEEP_INODE | OPTION_WAIT | OPTION_LOCK_FILE |
               OPTION_STATE_DIR | OPTION_STRICT | OPTION_DRY_RUN | OPTION_REPORT,
    .fewest = 1,
    .most = 1,
    .run = run_edit,
};
