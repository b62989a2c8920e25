/* faultat: runs a program and lets its N-th system call go wrong.
 *
 *     faultat --count -- untorn write f new        how many calls there are
 *     faultat --trace log -- untorn write f new    which ones: position, pid, name, path, argument,
 *                                                  result, separated by tabs
 *     faultat --kill-before 17 -- untorn ...       SIGKILL to all of it instead of the 17th call
 *     faultat --fail 17 --errno EIO -- untorn ...  the 17th call fails
 *
 * Says on standard error what the N-th call was. Ends as the program ended: with its exit status,
 * or 128 + the signal; 125 if faultat itself failed.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "trace.h"

enum { EXIT_DRIVER = 125 };

static const char usage[] =
    "usage: faultat [WHAT] [WHICH] [--trace FILE] [--seconds N] -- PROGRAM [ARGUMENT...]\n"
    "WHAT   --count | --kill-before N | --kill-after N | --fail N --errno NAME |\n"
    "       --fail-after N --errno NAME | --shorten N | --tear N\n"
    "       --for-ever (and every call after it) --same-call (of that name only)\n"
    "       --caller-only (kill no other process) --unit BYTES (shorten to a multiple)\n"
    "WHICH  --only NAME,NAME... --match TEXT (in the path) --main-only (not in its children)\n";

enum option_code {
    CODE_ACTION = 1000, /* + enum trace_action */
    CODE_ERRNO = 2000,
    CODE_FOR_EVER,
    CODE_SAME_CALL,
    CODE_CALLER_ONLY,
    CODE_UNIT,
    CODE_ONLY,
    CODE_MATCH,
    CODE_MAIN_ONLY,
    CODE_TRACE,
    CODE_SECONDS,
};

static const struct option options[] = {
    {"count", no_argument, NULL, CODE_ACTION + TRACE_COUNT},
    {"kill-before", required_argument, NULL, CODE_ACTION + TRACE_KILL_BEFORE},
    {"kill-after", required_argument, NULL, CODE_ACTION + TRACE_KILL_AFTER},
    {"fail", required_argument, NULL, CODE_ACTION + TRACE_FAIL},
    {"fail-after", required_argument, NULL, CODE_ACTION + TRACE_FAIL_AFTER},
    {"shorten", required_argument, NULL, CODE_ACTION + TRACE_SHORTEN},
    {"tear", required_argument, NULL, CODE_ACTION + TRACE_TEAR},
    {"errno", required_argument, NULL, CODE_ERRNO},
    {"for-ever", no_argument, NULL, CODE_FOR_EVER},
    {"same-call", no_argument, NULL, CODE_SAME_CALL},
    {"caller-only", no_argument, NULL, CODE_CALLER_ONLY},
    {"unit", required_argument, NULL, CODE_UNIT},
    {"only", required_argument, NULL, CODE_ONLY},
    {"match", required_argument, NULL, CODE_MATCH},
    {"main-only", no_argument, NULL, CODE_MAIN_ONLY},
    {"trace", required_argument, NULL, CODE_TRACE},
    {"seconds", required_argument, NULL, CODE_SECONDS},
    {NULL, 0, NULL, 0},
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "faultat: %s\n%s", what, usage);
    exit(EXIT_DRIVER);
}

static void set_option(struct trace_plan *plan, int code, char *value)
{
    if (code >= CODE_ACTION && code < CODE_ERRNO) {
        plan->action = (enum trace_action)(code - CODE_ACTION);
        plan->position = value == NULL ? 0 : atol(value);
        return;
    }
    switch (code) {
    case CODE_ERRNO:
        plan->error = error_by_name(value);
        if (plan->error == 0)
            fail("--errno: no such error");
        break;
    case CODE_FOR_EVER:
        plan->for_ever = true;
        break;
    case CODE_SAME_CALL:
        plan->same_call = true;
        break;
    case CODE_CALLER_ONLY:
        plan->caller_only = true;
        break;
    case CODE_UNIT:
        plan->unit = (unsigned)atoi(value);
        break;
    case CODE_ONLY:
        plan->only = value;
        break;
    case CODE_MATCH:
        plan->match = value;
        break;
    case CODE_MAIN_ONLY:
        plan->main_only = true;
        break;
    case CODE_SECONDS:
        plan->timeout_ms = (unsigned)atoi(value) * 1000;
        break;
    case CODE_TRACE:
        plan->log = fopen(value, "we");
        if (plan->log == NULL)
            fail("--trace: cannot open the file");
        break;
    default:
        fail("no such option");
    }
}

static void say(const struct trace_plan *plan, const struct trace_result *result)
{
    if (plan->action == TRACE_COUNT) {
        if (plan->log == NULL)
            fprintf(stderr, "faultat: %ld calls\n", result->counted);
    } else if (result->hit_position == 0) {
        fprintf(stderr, "faultat: no such call (%ld were counted)\n", result->counted);
    } else {
        fprintf(stderr, "faultat: call %ld\t%s\t%s\n", result->hit_position, result->hit,
                result->hit_error != 0 ? error_name(result->hit_error) : "");
    }
    if (result->second_flush)
        fprintf(stderr, "faultat: a file was flushed again after a flush of it failed\n");
    if (result->timed_out)
        fprintf(stderr, "faultat: killed, it took too long\n");
}

int main(int count, char **values)
{
    struct trace_plan plan = {.action = TRACE_COUNT};
    struct trace_result result;
    int code;
    while ((code = getopt_long(count, values, "+", options, NULL)) != -1)
        set_option(&plan, code, optarg);
    if (optind >= count)
        fail("no program");
    if ((plan.action == TRACE_FAIL || plan.action == TRACE_FAIL_AFTER) && plan.error == 0)
        fail("--errno is missing");
    int failed = trace_run(&plan, values + optind, &result);
    if (failed != 0) {
        fprintf(stderr, "faultat: cannot trace: %s\n", strerror(-failed));
        return EXIT_DRIVER;
    }
    if (plan.log != NULL && fclose(plan.log) != 0)
        fail("--trace: cannot write the file");
    say(&plan, &result);
    return WIFSIGNALED(result.status) ? 128 + WTERMSIG(result.status) : WEXITSTATUS(result.status);
}
