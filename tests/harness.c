#include "harness.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef _WIN32
#include <untorn/error.h>
#define PRINTF gnu_printf
#else
#define PRINTF printf
#endif

static struct harness_test *first, **last = &first;
static const char *current = "";
static char program[4096];

void harness_register(struct harness_test *test)
{
    *last = test;
    last = &test->next;
}

/* For whoever tells how to run this test again. */
static void begin(const struct harness_test *test)
{
    char again[sizeof program + 256];
    current = test->name;
    snprintf(again, sizeof again, "%s %s", program, test->name);
    setenv("HARNESS_AGAIN", again, 1);
}

/* Prints one line in one write, so that lines of several processes do not mix, and ends the
 * process without the exit handlers, which belong to a test that went well. */
__attribute__((format(PRINTF, 2, 3))) _Noreturn static void finish(int status, const char *format,
                                                                   ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    strcat(line, "\n");
    fflush(stdout);
    ssize_t written = write(STDOUT_FILENO, line, strlen(line));
    _exit(written < 0 ? 1 : status);
}

void harness_fail(const char *file, int line, const char *condition)
{
    finish(HARNESS_FAILED, "FAIL %s %s:%d not so: %s", current, file, line, condition);
}

void harness_skip(const char *reason)
{
    finish(HARNESS_SKIPPED, "skip %s: %s", current, reason);
}

void harness_check_int(const char *file, int line, const char *what, intmax_t actual,
                       intmax_t expected)
{
#ifdef _WIN32 /* where no directory can be flushed every outcome says so */
    if (strcmp(what, "error.flags") == 0)
        actual &= ~UNTORN_FLAG_NO_DIR_FLUSH;
#endif
    if (actual != expected)
        finish(HARNESS_FAILED, "FAIL %s %s:%d %s is %jd, not %jd", current, file, line, what,
               actual, expected);
}

void harness_check_text(const char *file, int line, const char *what, const char *actual,
                        const char *expected)
{
    if (actual == expected || (actual && expected && strcmp(actual, expected) == 0))
        return;
    const char *quote = actual ? "\"" : "", *expected_quote = expected ? "\"" : "";
    finish(HARNESS_FAILED, "FAIL %s %s:%d %s is %s%.1500s%s, not %s%.1500s%s", current, file, line,
           what, quote, actual ? actual : "NULL", quote, expected_quote,
           expected ? expected : "NULL", expected_quote);
}

void harness_check_bytes(const char *file, int line, const char *what, const void *actual,
                         size_t actual_size, const void *expected, size_t expected_size)
{
    const unsigned char *a = actual, *b = expected;
    size_t shorter = actual_size < expected_size ? actual_size : expected_size, i = 0;
    while (i < shorter && a[i] == b[i])
        i++;
    if (i < shorter)
        finish(HARNESS_FAILED, "FAIL %s %s:%d %s has 0x%02x at byte %zu, not 0x%02x", current, file,
               line, what, a[i], i, b[i]);
    if (actual_size != expected_size)
        finish(HARNESS_FAILED, "FAIL %s %s:%d %s has %zu bytes, not %zu", current, file, line, what,
               actual_size, expected_size);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    (void)remove(path); /* what a test made unremovable stays */
    return 0;
}

#ifdef _WIN32

/* Returns the status of the test, run in a process of its own and in a fresh directory. */
static int run_apart(const struct harness_test *test)
{
    const char *base = getenv("TMPDIR");
    char directory[1024];
    static int count;
    do
        snprintf(directory, sizeof directory, "%s/untorn-test.%d-%d", base ? base : ".", getpid(),
                 ++count);
    while (mkdir(directory, 0700) != 0 && errno == EEXIST); /* numbers of processes come again */
    fflush(stdout);
    int status = posix_run_here(test->name, directory);
    nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    return status;
}

#else

/* Returns the wait status of the test, run in a child process and in a fresh directory. */
static int run_apart(const struct harness_test *test)
{
    const char *base = getenv("TMPDIR");
    char directory[4096];
    int status = 0;
    snprintf(directory, sizeof directory, "%s/untorn-test.XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(directory)) {
        perror(directory);
        exit(1);
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(directory) < 0)
            harness_skip("no way into the working directory");
        test->run();
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        perror("fork");
        exit(1);
    }
    nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    return status;
}

#endif

static int run_here(const char *name)
{
    for (struct harness_test *test = first; test; test = test->next) {
        if (strcmp(test->name, name) == 0) {
            begin(test);
            test->run();
            return 0;
        }
    }
    fprintf(stderr, "no test %s\n", name);
    return 1;
}

int main(int count, char **arguments)
{
    int passed = 0, failed = 0, skipped = 0;
#ifndef _WIN32
    if (!realpath(arguments[0], program))
#endif
        snprintf(program, sizeof program, "%s", arguments[0]);
    if (count == 3 && strcmp(arguments[1], "--here") == 0)
        return run_here(arguments[2]);
    for (struct harness_test *test = first; test; test = test->next) {
        if (count > 1 && !strstr(test->name, arguments[1]))
            continue;
        begin(test);
        int status = run_apart(test);
        bool exited = WIFEXITED(status);
        if (exited && WEXITSTATUS(status) == 0) {
            printf("ok  %s\n", test->name);
            passed++;
        } else if (exited && WEXITSTATUS(status) == HARNESS_SKIPPED) {
            skipped++;
        } else {
            failed++;
            if (!exited)
                printf("FAIL %s killed by %s\n", test->name, strsignal(WTERMSIG(status)));
            else if (WEXITSTATUS(status) != HARNESS_FAILED)
                printf("FAIL %s ended with status %d\n", test->name, WEXITSTATUS(status));
        }
    }
    printf("%d passed, %d failed", passed, failed);
    if (skipped)
        printf(", %d skipped", skipped);
    printf("\n");
    return failed > 0 || passed + skipped == 0;
}
