/* What bench/python.py needs of C: rows whose sides are functions in Python, measured by pairs.h,
 * and calls of the library to compare the package with. */
#ifndef UNTORN_BENCH_PYTHON_ROWS_H
#define UNTORN_BENCH_PYTHON_ROWS_H

#include "pairs.h"

/* The strings and functions are borrowed until python_rows_run has returned. */
void python_rows_add(const char *name, const char *peer, void (*prepare)(void), void (*ours)(void),
                     void (*theirs)(void), enum pairs_unit unit, double target, double ext4_target,
                     int batch);

/* As pairs_main. */
int python_rows_run(int argc, char **argv);

/* Of "small.json": the bytes; the value of "a.b". */
void python_rows_read(void);
void python_rows_get(void);

#endif
