#ifndef UNTORN_TESTS_POSIX_MATH_H
#define UNTORN_TESTS_POSIX_MATH_H
#include_next <math.h>
#undef isnan /* of mingw both convert to float too, and compilers warn */
#undef isfinite
#define isnan(value) __builtin_isnan(value)
#define isfinite(value) __builtin_isfinite(value)
#endif
