/* Shared by the files of this folder. */
#ifndef CLI_WIN_INSIDE_H
#define CLI_WIN_INSIDE_H

#include <stdbool.h>

#include "bytes.h"
#include "os/win/win.h"

/* How Windows passes words to a program: as one text, which the program takes apart again. Both
 * follow the rules of Microsoft's C library, which almost all programs use.
 *
 *   - Blanks and tabs separate words, unless they stand in double quotes.
 *   - \" is a quote. Backslashes before a quote stand for half as many; elsewhere for themselves.
 *   - Inside quotes two quotes are one.
 */

/* Takes the text apart, in place. Of the name of a program, which comes first in a text that the
 * system gave, a backslash is always itself. At most `most` words; returns how many, or `most` + 1.
 */
size_t commandline_split(char *text, bool program_first, char **words, size_t most);

/* Adds a word, behind a blank unless it is the first. False: no memory. */
bool commandline_add(struct bytes *line, const char *word);

/* The file that a command is and the text to start it with; that is new. Looked for in the folders
 * of PATH, with the endings .com, .exe, .bat and .cmd; a path is taken as it is. A batch file is
 * run by cmd.exe, with each word in quotes: -EINVAL for a word with a quote, a percent sign or a
 * line break, which would mean something there. */
int program_find(char *const *command, wchar_t path[WIN_PATH], wchar_t **ret_line);

/* From now on Ctrl-C, Ctrl-Break and the end of the session end untorn with 128 and the number of
 * the signal they are elsewhere; while a command runs they are left to that, and noted. */
void interrupts_catch(void);

#endif
