/* Standard output: collected, written in large pieces, and its failure remembered.
 *
 * Nothing is returned by the printing calls. output_finish tells at the end whether all of it
 * arrived; only then is a reading verb done.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/printf_like.h"

void output_bytes(const void *data, size_t size);
void output_text(const char *text);

/* At once, behind what was collected. False if standard output is broken: stop making more. */
bool output_now(const void *data, size_t size);

void output_format(const char *format, ...) PRINTF_LIKE(1, 2);

/* The text with control characters escaped, for lines that people read. */
void output_escaped(const char *text);

/* The text as a JSON string with its quotes. Bytes that are not UTF-8 become lone surrogates,
 * \udc80 to \udcff, as Python's os.fsdecode makes them: so every path survives the way there and
 * back. */
void output_json_text(const char *text);

/* True on a terminal, unless NO_COLOR or a dumb terminal forbid it. */
bool output_colour(void);

/* Writes what is left and closes. 0, or the first errno value met. Says nothing itself. */
int output_finish(void);

#endif
