#include <errno.h>
#include <stdio.h>

#include "child.h"
#include "limits.h"
#include "win/inside.h"

const char *const child_editors[] = {"notepad", NULL};
const char child_no_editor[] = "notepad is not";

/* No shell: quotes are read as every program reads them. */
struct child_result child_edit(const char *editor, char *path)
{
    static char text[CLI_TEXT];
    char *words[CLI_EDITOR_WORDS + 2];
    if (snprintf(text, sizeof text, "%s", editor) >= (int)sizeof text)
        return (struct child_result){.start_error = E2BIG};
    size_t count = commandline_split(text, false, words, CLI_EDITOR_WORDS);
    if (count > CLI_EDITOR_WORDS)
        return (struct child_result){.start_error = E2BIG};
    words[count] = path;
    words[count + 1] = NULL;
    return child_run(words, NULL);
}
