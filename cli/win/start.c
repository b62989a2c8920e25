#include <stdlib.h>

#include "start.h"
#include "win/inside.h"

/* The arguments as the system has them; those that the C library made of them are in a code page
 * that knows not every character. */
void start_up(int *argc, char ***argv)
{
    const wchar_t *wide = GetCommandLineW();
    size_t count = wcslen(wide), size = 3 * count + 8;
    char *text = malloc(size), **words = malloc((count + 2) * sizeof *words);
    if (!text || !words || win_utf8(wide, count, text, size) < 0)
        abort();
    size_t used = commandline_split(text, true, words, count + 1);
    words[used] = NULL;
    *argc = (int)used;
    *argv = words;
    interrupts_catch();
}

void start_many_files(void)
{
    /* As many as there is memory for. */
}
