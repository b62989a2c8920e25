/* untorn lock and untorn who: run a command under the lock of files; who holds one. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "child.h"
#include "limits.h"
#include "message.h"
#include "options.h"
#include "outcome.h"
#include "output.h"
#include "system.h"

/* The exit status for how the command ended. */
static int command_status(struct arguments *arguments, const struct child_result *result)
{
    if (result->start_error != 0) {
        message("%s: cannot be run: %s", arguments->command[0], system_error(result->start_error));
        return child_start_status(result);
    }
    if (result->killed_by == 0)
        return result->exit_status;
    if (result->signal == result->killed_by)
        child_die_of(result->signal);
    return 128 + result->killed_by;
}

static int lock_and_run(struct arguments *arguments, struct untorn_lock **locks)
{
    static char value[CLI_LOCK_VALUE];
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    struct untorn_error error;
    size_t count = (size_t)arguments->operand_count;
    enum untorn_lock_kind kind = arguments->shared ? UNTORN_LOCK_SHARED : UNTORN_LOCK_EXCLUSIVE;
    if (untorn_lock_all((const char *const *)arguments->operands, count, kind, &arguments->options,
                        locks, &error) != 0) {
        outcome_library(&outcome, &error);
        return outcome_finish(&outcome);
    }
    int rc = untorn_lock_pass_on(locks, count, value, sizeof value);
    if (rc != 0) {
        outcome_result(&outcome, "cannot pass the lock on", rc);
        return outcome_finish(&outcome);
    }
    struct child_result result = child_run(arguments->command, value);
    return command_status(arguments, &result);
}

/* The locks are not released: they end with us, unless something that the command left running
 * holds them further. Static and volatile, so that a leak checker finds them in use. */
static int run_lock(struct arguments *arguments)
{
    static struct untorn_lock **volatile locks;
    locks = calloc((size_t)arguments->operand_count, sizeof(struct untorn_lock *));
    if (!locks) {
        message("%s", untorn_status_text(UNTORN_NO_MEMORY));
        return arguments->verb->failure_base + untorn_status_exit_code(UNTORN_NO_MEMORY);
    }
    return lock_and_run(arguments, locks);
}

static void print_holder(const struct untorn_holder *holder)
{
    if (holder->shared) {
        output_text("shared, by one reader or several\n");
        return;
    }
    if (holder->pid > 0)
        output_format("pid %lld", (long long)holder->pid);
    else
        output_text("a process that left no name");
    if (holder->host[0]) {
        output_text(" on ");
        output_escaped(holder->host);
    }
    time_t since = (time_t)holder->since;
    const struct tm *day = since > 0 ? gmtime(&since) : NULL;
    char text[64];
    if (day && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", day) > 0)
        output_format(" since %s", text);
    if (holder->command[0]) {
        output_text(": ");
        output_escaped(holder->command);
    }
    if (holder->pid > 0 && !holder->alive)
        output_text(" (gone; something it started holds the lock)");
    output_text("\n");
}

static const char *json_bool(bool value)
{
    return value ? "true" : "false";
}

static void report_holder(const char *path, const struct untorn_holder *holder)
{
    output_text("{\"verb\":\"who\",\"path\":");
    output_json_text(path);
    output_format(",\"held\":%s,\"shared\":%s,\"alive\":%s,\"pid\":%lld,\"since\":%lld,\"host\":",
                  json_bool(holder->held), json_bool(holder->shared), json_bool(holder->alive),
                  (long long)holder->pid, (long long)holder->since);
    output_json_text(holder->host);
    output_text(",\"command\":");
    output_json_text(holder->command);
    output_text("}\n");
}

static int run_who(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    struct untorn_holder holder;
    struct untorn_error error;
    if (untorn_who(outcome.path, &arguments->options, &holder, &error) != 0) {
        outcome_library(&outcome, &error);
        return outcome_finish(&outcome);
    }
    if (arguments->report)
        report_holder(outcome.path, &holder);
    else if (holder.held)
        print_holder(&holder);
    if (holder.held)
        return 0;
    message("%s: nobody holds the lock", outcome.path);
    return 3;
}

const struct verb verb_lock = {
    .name = "lock",
    .operands = "FILE... -- CMD [ARG]...",
    .summary = "run CMD while holding the lock of each FILE",
    .explanation = "Takes the lock of every FILE, in one order that all callers share, and runs\n"
                   "CMD. It is the lock that write, update and append take: inside CMD they nest,\n"
                   "outside they wait. The lock ends with CMD and what CMD left running, however\n"
                   "they end; nothing goes stale. A FILE need not exist.",
    .examples = "  untorn lock state.json -- ./nightly-job\n"
                "  untorn lock --wait 0 a.json b.json -- sh -c 'cat a.json b.json > both.txt'\n"
                "  untorn lock --shared state.json -- cp state.json copy.json\n",
    .exits = "  the status of CMD; 128 + N if signal N killed it\n"
             "  126, 127  CMD cannot be run, is not found\n"
             "  101  untorn itself failed\n"
             "  102  usage\n"
             "  103  no such directory\n"
             "  106  lock not obtained in time\n",
    .options = OPTION_SHARED | OPTION_PARENTS | OPTION_SYMLINK | OPTION_WAIT | OPTION_LOCK_FILE |
               OPTION_STATE_DIR | OPTION_STRICT,
    .fewest = 1,
    .most = -1,
    .takes_command = true,
    .failure_base = 100,
    .run = run_lock,
};

const struct verb verb_who = {
    .name = "who",
    .operands = "FILE",
    .summary = "tell who holds the lock of FILE",
    .explanation = "Prints who holds the lock of FILE and since when; a moment later it may be\n"
                   "someone else. Takes no lock, creates nothing.",
    .examples = "  untorn who state.json || echo free\n"
                "  untorn lock state.json -- untorn who state.json\n",
    .exits = "  0  held, and standard output says by whom\n"
             "  1  failed\n"
             "  2  usage\n"
             "  3  nobody holds it\n",
    .options = OPTION_SYMLINK | OPTION_LOCK_FILE | OPTION_STATE_DIR | OPTION_REPORT,
    .fewest = 1,
    .most = 1,
    .run = run_who,
};
