#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "limits.h"

const char *const child_editors[] = {"vi", "nano", NULL};
const char child_no_editor[] = "neither vi nor nano is";

/* What only a shell understands: quotes, variables, several commands. */
static bool needs_shell(const char *editor)
{
    return editor[strcspn(editor, "|&;<>()$`\\\"'*?[#~=%{}!")] != '\0';
}

/* It may be several words: "code --wait". Without need no shell stands between it and us: signals
 * go to the editor, and how it ended is known. */
struct child_result child_edit(const char *editor, char *path)
{
    static char text[CLI_TEXT];
    char *shell[] = {"sh", "-c", text, "untorn edit", path, NULL}, *words[CLI_EDITOR_WORDS + 2];
    bool by_shell = needs_shell(editor);
    size_t count = 0;
    int length = snprintf(text, sizeof text, by_shell ? "%s \"$@\"" : "%s", editor);
    if (length >= (int)sizeof text)
        return (struct child_result){.start_error = E2BIG};
    if (by_shell)
        return child_run(shell, NULL);
    for (char *word = strtok(text, " \t\n"); word; word = strtok(NULL, " \t\n")) {
        if (count == CLI_EDITOR_WORDS)
            return (struct child_result){.start_error = E2BIG};
        words[count++] = word;
    }
    words[count] = path;
    words[count + 1] = NULL;
    return child_run(words, NULL);
}
