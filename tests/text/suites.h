/* Suites of others, which are not part of the project: files in the folder that UNTORN_SUITES
 * names, else in ../shared/suites beside the project. */
#ifndef UNTORN_TESTS_TEXT_SUITES_H
#define UNTORN_TESTS_TEXT_SUITES_H

#include <stddef.h>

/* Where that file or folder of a suite would be. Borrowed, until the next call. */
const char *suite_path(const char *file);

/* A whole file, with a NUL behind it. New; NULL if it is not there. */
char *suite_read_path(const char *path, size_t *ret_size);
char *suite_read(const char *file, size_t *ret_size);

/* Skips the test, for want of the suite. */
_Noreturn void suite_missing(const char *suite);

#endif
