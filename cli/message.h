/* What the command says on standard error: one line each, `untorn: ` in front.
 *
 * Control characters are escaped, so that a file name or another process's command line can
 * neither move the cursor nor pretend to be a second message; all other bytes pass as they are.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stddef.h>

#include "base/printf_like.h"

void message(const char *format, ...) PRINTF_LIKE(1, 2);

/* The lines below a message that show a place in a text; nothing if it is empty. */
void message_excerpt(const char *excerpt);

/* Writes `text` with its control characters escaped (\n, \t, \x1b; C1 controls in UTF-8 too).
 * Always terminated; what does not fit is left out. Returns the length. */
size_t escape_controls(const char *text, char *escaped, size_t size);

#endif
