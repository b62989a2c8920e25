/* untorn commit: several files become new together, or none does. */
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "input.h"
#include "options.h"
#include "outcome.h"
#include "start.h"

/* TARGET=SOURCE, or TARGET alone that is to be removed. */
struct member {
    char *target; /* own */
    const char *source;
    bool removed;
    const struct untorn_hash *if_match;
    struct untorn_hash hash;
    struct bytes content;
};

struct committing {
    const struct arguments *arguments;
    struct outcome outcome;
    struct member *members;
    struct outcome_target *targets; /* one for each, for the report */
    size_t count;
};

/* ---- what is to be done ---- */

/* The word up to the first `=`; NULL without memory. */
static char *copy_target(const char *word)
{
    size_t length = strcspn(word, "=");
    char *target = malloc(length + 1);
    if (!target)
        return NULL;
    memcpy(target, word, length);
    target[length] = '\0';
    return target;
}

static int lacks_memory(struct committing *committing)
{
    outcome_result(&committing->outcome, "read the command line", -UNTORN_NO_MEMORY);
    return outcome_finish(&committing->outcome);
}

static int add_sources(struct committing *committing)
{
    const struct arguments *arguments = committing->arguments;
    bool standard = false;
    for (int i = 0; i < arguments->operand_count; i++) {
        const char *word = arguments->operands[i], *equals = strchr(word, '=');
        struct member *member = &committing->members[committing->count];
        if (!equals || equals == word || equals[1] == '\0')
            return usage_error(arguments->verb,
                               "'%s' is not TARGET=SOURCE, as in app.json=app.json.new", word);
        member->source = equals + 1;
        if (strcmp(member->source, "-") == 0) {
            if (standard)
                return usage_error(arguments->verb, "standard input can be the SOURCE of one file");
            standard = true;
        }
        member->target = copy_target(word);
        committing->count++;
        if (!member->target)
            return lacks_memory(committing);
    }
    return 0;
}

static int add_removals(struct committing *committing)
{
    const struct words *removals = &committing->arguments->removals;
    for (size_t i = 0; i < removals->count; i++) {
        struct member *member = &committing->members[committing->count++];
        member->removed = true;
        member->target = strdup(removals->items[i]);
        if (!member->target)
            return lacks_memory(committing);
    }
    return 0;
}

static int compare_targets(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The library takes a file that is named again as changed again; on one command line it is a slip,
 * and one of the two sources would be lost. */
static int refuse_twins(const struct committing *committing)
{
    size_t count = committing->count, twin = 0;
    const char **targets = calloc(count, sizeof *targets);
    for (size_t i = 0; targets && i < count; i++)
        targets[i] = committing->members[i].target;
    if (targets)
        qsort(targets, count, sizeof *targets, compare_targets);
    for (size_t i = 1; targets && i < count; i++)
        if (strcmp(targets[i - 1], targets[i]) == 0)
            twin = i;
    int status = twin == 0 ? 0
                           : usage_error(committing->arguments->verb,
                                         "'%s' is named twice; a commit makes one version of it",
                                         targets[twin]);
    free(targets);
    return status;
}

static struct member *find(struct committing *committing, const char *target)
{
    for (size_t i = 0; i < committing->count; i++)
        if (committing->members[i].target && strcmp(committing->members[i].target, target) == 0)
            return &committing->members[i];
    return NULL;
}

/* --if-match TARGET=HASH, split as TARGET=SOURCE is. */
static int add_conditions(struct committing *committing)
{
    const struct verb *verb = committing->arguments->verb;
    const struct words *matches = &committing->arguments->matches;
    for (size_t i = 0; i < matches->count; i++) {
        const char *word = matches->items[i];
        char *target = copy_target(word);
        struct member *member = target ? find(committing, target) : NULL;
        const char *hash = target ? word + strlen(target) : "";
        free(target);
        if (!member)
            return usage_error(verb, "--if-match '%s' names no TARGET of this commit", word);
        if (*hash != '=' || !untorn_hash_parse(hash + 1, &member->hash))
            return usage_error(verb,
                               "--if-match takes TARGET=HASH with 32 hexadecimal digits, as "
                               "untorn hash prints them, not '%s'",
                               word);
        if (member->if_match)
            return usage_error(verb, "--if-match '%s' is the second for its TARGET", word);
        member->if_match = &member->hash;
    }
    return 0;
}

static int collect(struct committing *committing)
{
    const struct arguments *arguments = committing->arguments;
    size_t most = (size_t)arguments->operand_count + arguments->removals.count;
    if (most == 0)
        return usage_error(arguments->verb, "TARGET=SOURCE is missing; usage: untorn %s %s",
                           arguments->verb->name, arguments->verb->operands);
    committing->members = calloc(most, sizeof *committing->members);
    committing->targets = calloc(most, sizeof *committing->targets);
    if (!committing->members || !committing->targets)
        return lacks_memory(committing);
    int status = add_sources(committing);
    if (status == 0)
        status = add_removals(committing);
    if (status == 0)
        status = refuse_twins(committing);
    return status == 0 ? add_conditions(committing) : status;
}

/* False after noting in the outcome why not. */
static bool read_source(struct committing *committing, struct member *member)
{
    struct input input;
    committing->outcome.path = member->target;
    int error = input_open(member->source, &input);
    if (error == 0)
        error = bytes_read_all(&member->content, input.stream);
    if (error != 0)
        outcome_source(&committing->outcome, input.name, error);
    input_close(&input);
    return error == 0;
}

/* What an earlier commit changed, and this one finished for it, is no change of this one. */
static void add_what_stays(struct committing *committing)
{
    struct outcome *outcome = &committing->outcome;
    outcome_add(outcome, "; none of the %zu files was changed", committing->count);
    if (outcome->flags & UNTORN_FLAG_RECOVERED)
        outcome_add(outcome, " by this commit; %s", untorn_flag_text(UNTORN_FLAG_RECOVERED));
}

static bool read_sources(struct committing *committing)
{
    bool read = true;
    for (size_t i = 0; read && i < committing->count; i++)
        if (!committing->members[i].removed)
            read = read_source(committing, &committing->members[i]);
    if (!read && committing->count > 1)
        add_what_stays(committing);
    return read;
}

/* ---- doing it ---- */

/* Empty standard input over content is the sign of a producer that failed, as in untorn write; with
 * --exclusive there is none to be lost. */
static bool is_guarded(const struct committing *committing, const struct member *member)
{
    const struct arguments *arguments = committing->arguments;
    return !member->removed && strcmp(member->source, "-") == 0 && member->content.size == 0 &&
           !arguments->allow_empty && !arguments->options.exclusive;
}

/* Looked at under the locks, so that nobody's content is emptied that came after the look. */
static int let_be_empty(void *context, const struct untorn_content *old,
                        struct untorn_change *change)
{
    (void)context;
    return old && old->size > 0 ? 1 : untorn_change_set(change, "", 0);
}

static int add_member(struct untorn_transaction *transaction, const struct committing *committing,
                      const struct member *member, struct untorn_error *error)
{
    struct untorn_options options = committing->arguments->options;
    options.if_match = member->if_match;
    if (member->removed)
        return untorn_transaction_remove(transaction, member->target, &options, error);
    if (is_guarded(committing, member))
        return untorn_transaction_change(transaction, member->target, let_be_empty, NULL, &options,
                                         error);
    return untorn_transaction_put(transaction, member->target, member->content.data,
                                  member->content.size, &options, error);
}

static void report_targets(struct committing *committing)
{
    for (size_t i = 0; i < committing->count; i++) {
        const struct member *member = &committing->members[i];
        committing->targets[i] = (struct outcome_target){
            .path = member->target,
            .removed = member->removed,
            .hash = untorn_hash(member->content.data, member->content.size),
        };
    }
    committing->outcome.targets = committing->targets;
    committing->outcome.target_count = committing->count;
}

static void commit(struct committing *committing)
{
    struct untorn_transaction *transaction = NULL;
    struct untorn_error error;
    int rc = untorn_transaction_begin(&committing->arguments->options, &transaction, &error);
    for (size_t i = 0; rc == 0 && i < committing->count; i++)
        rc = add_member(transaction, committing, &committing->members[i], &error);
    if (rc == 0)
        rc = untorn_transaction_commit(transaction, &error);
    if (rc != 0 && error.path[0])
        committing->outcome.path = error.path;
    outcome_library(&committing->outcome, &error);
    if (rc == -UNTORN_REFUSED) /* by let_be_empty alone */
        outcome_refuse_empty(&committing->outcome);
    if (rc < 0 && committing->count > 1)
        add_what_stays(committing);
    if (rc >= 0 && committing->arguments->report)
        report_targets(committing);
    committing->outcome.path = committing->members[0].target;
    if (rc != 0) /* the report names the member at fault */
        for (size_t i = 0; i < committing->count; i++)
            if (strcmp(committing->members[i].target, error.path) == 0)
                committing->outcome.path = committing->members[i].target;
    untorn_transaction_free(transaction);
}

/* What the commit would say of a member; an error other than a missing file stays. */
static enum untorn_status foresee(const struct committing *committing, const struct member *member,
                                  const struct untorn_content *old,
                                  const struct untorn_error *error)
{
    bool is_new = outcome_would_create(&committing->outcome, error);
    if (is_new && member->if_match)
        return UNTORN_CHANGED;
    if (is_new && !member->removed)
        return UNTORN_OK;
    if (error->status != UNTORN_OK)
        return (enum untorn_status)error->status;
    if (committing->arguments->options.exclusive && !member->removed)
        return UNTORN_EXISTS;
    bool matches = !member->if_match || untorn_hash_equal(member->if_match, &old->hash);
    return matches ? UNTORN_OK : UNTORN_CHANGED;
}

/* False after noting in the outcome why there would be no commit. */
static bool show_member(struct committing *committing, const struct member *member)
{
    struct untorn_content old;
    struct untorn_error error;
    bool exists = untorn_read(member->target, &committing->arguments->options, &old, &error) == 0;
    int status = (int)foresee(committing, member, &old, &error);
    if (status != error.status)
        error.os_error = 0; /* that was of the missing file */
    error.status = status;
    committing->outcome.path = member->target;
    outcome_library(&committing->outcome, &error);
    if (status == UNTORN_OK && exists && old.size > 0 && is_guarded(committing, member)) {
        status = UNTORN_REFUSED;
        outcome_refuse_empty(&committing->outcome);
    }
    if (status == UNTORN_OK)
        diff_print(member->target, exists ? old.data : NULL, old.size,
                   member->removed ? "" : member->content.data,
                   member->removed ? 0 : member->content.size);
    untorn_content_free(&old);
    return status == UNTORN_OK;
}

/* The differences of all files, or the first reason why there would be none. */
static void show(struct committing *committing)
{
    for (size_t i = 0; i < committing->count; i++)
        if (!show_member(committing, &committing->members[i]))
            return;
}

static int run_commit(struct arguments *arguments)
{
    struct committing committing = {.arguments = arguments};
    start_many_files();
    committing.outcome =
        outcome_begin(arguments, arguments->operand_count > 0 ? arguments->operands[0] : "");
    int status = collect(&committing);
    if (status == 0) {
        if (read_sources(&committing))
            (arguments->dry_run ? show : commit)(&committing);
        status = outcome_finish(&committing.outcome);
    }
    for (size_t i = 0; i < committing.count; i++) {
        free(committing.members[i].target);
        bytes_free(&committing.members[i].content);
    }
    free(committing.members);
    free(committing.targets);
    return status;
}

const struct verb verb_commit = {
    .name = "commit",
    .operands = "TARGET=SOURCE... [--remove TARGET]...",
    .summary = "replace several files together: all of them or none",
    .explanation =
        "Each SOURCE becomes its TARGET, and each file of --remove goes, all in one\n"
        "step: whatever happens, kill -9 or power loss, all of them are new or all are\n"
        "old. What was interrupted is finished by the next untorn command that locks or\n"
        "changes one of the files, or by untorn check --repair; reading finishes nothing.\n"
        "The word is split at its first `=`; SOURCE - is standard input, once.",
    .examples = "  untorn commit app.conf=app.new users.json=users.new\n"
                "  date | untorn commit stamp.txt=- app.conf=app.new\n"
                "  untorn commit index.json=index.new --remove old.json\n"
                "  untorn commit --if-match app.conf=$(untorn hash app.conf) app.conf=app.new\n",
    .exits = "  0  done\n"
             "  1  failed, no file was changed; standard input was empty and its TARGET is not\n"
             "  2  usage\n"
             "  3  no such SOURCE, no such file to remove, or no such directory\n"
             "  4  a TARGET is not a regular file\n"
             "  5  a TARGET changed (--if-match) or exists (--exclusive)\n"
             "  6  a lock was not obtained in time\n"
             "  7  not settled: it counts; the next call that changes one of the files, or\n"
             "     untorn check --repair, finishes it\n",
    .options = OPTION_REMOVE | OPTION_IF_MATCH | OPTION_IF_CHANGED | OPTION_EXCLUSIVE |
               OPTION_ALLOW_EMPTY | OPTION_KEEP | OPTION_LEVEL | OPTION_MODE | OPTION_PARENTS |
               OPTION_SYMLINK | OPTION_WAIT | OPTION_STATE_DIR | OPTION_STRICT | OPTION_DRY_RUN |
               OPTION_REPORT,
    .fewest = 0,
    .most = -1,
    .run = run_commit,
};
