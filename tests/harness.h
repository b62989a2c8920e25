/* The harness of the C tests.
 *
 *     #include "harness.h"
 *
 *     TEST(an_empty_name_is_refused)
 *     {
 *         CHECK_INT(thing_open(""), -EINVAL);
 *     }
 *
 * That is all: a test registers itself, and the harness supplies main. Each test runs in a process
 * of its own, in an empty working directory of its own that is removed afterwards; so a test may
 * crash, fork, chdir, and leave files, locks and globals behind.
 *
 * PROGRAM [TEXT] runs all tests, or those whose name contains TEXT. It prints `ok  NAME`,
 * `FAIL NAME file:line what` or `skip NAME: reason` for each, then `N passed, N failed` and
 * `, N skipped` if any; the status is 1 if any failed or none ran. PROGRAM --here NAME runs that
 * one test in the program itself and where you stand, for a debugger. HARNESS_AGAIN in the
 * environment of a test is the line `PROGRAM NAME`.
 *
 * A check that fails ends its test, from any function or thread. In a process that the test
 * forked it ends that process, with HARNESS_FAILED as its status.
 */
#ifndef UNTORN_TESTS_HARNESS_H
#define UNTORN_TESTS_HARNESS_H

#include <stddef.h>
#include <stdint.h>

#define HARNESS_FAILED 70
#define HARNESS_SKIPPED 77

struct harness_test {
    const char *name;
    void (*run)(void);
    struct harness_test *next;
};

void harness_register(struct harness_test *test);

#define TEST(name_)                                                                                \
    static void test_##name_(void);                                                                \
    __attribute__((constructor)) static void register_##name_(void)                                \
    {                                                                                              \
        static struct harness_test test = {#name_, test_##name_, NULL};                            \
        harness_register(&test);                                                                   \
    }                                                                                              \
    static void test_##name_(void)

#define CHECK(condition) ((condition) ? (void)0 : harness_fail(__FILE__, __LINE__, #condition))
#define CHECK_INT(actual, expected)                                                                \
    harness_check_int(__FILE__, __LINE__, #actual, (intmax_t)(actual), (intmax_t)(expected))
#define CHECK_TEXT(actual, expected)                                                               \
    harness_check_text(__FILE__, __LINE__, #actual, actual, expected)
#define CHECK_BYTES(actual, actual_size, expected, expected_size)                                  \
    harness_check_bytes(__FILE__, __LINE__, #actual, actual, actual_size, expected, expected_size)
#define SKIP(reason) harness_skip(reason)

_Noreturn void harness_fail(const char *file, int line, const char *condition);
_Noreturn void harness_skip(const char *reason);
void harness_check_int(const char *file, int line, const char *what, intmax_t actual,
                       intmax_t expected);
void harness_check_text(const char *file, int line, const char *what, const char *actual,
                        const char *expected);
void harness_check_bytes(const char *file, int line, const char *what, const void *actual,
                         size_t actual_size, const void *expected, size_t expected_size);

#endif
