#include "help.h"

#include <stdio.h>
#include <string.h>

#include "limits.h"
#include "options.h"
#include "output.h"

enum { TEXT_COLUMN = 33 }; /* behind the longest option */

void help_all(void)
{
    output_text("untorn: save plain files so that nothing is lost. No daemon, no database.\n"
                "  untorn set app.toml server.port 8080       one key; comments stay\n"
                "  date | untorn write stamp.txt              whole or not at all; on the disk\n"
                "  untorn update s.json -- jq '.n += 1'       instead of flock + jq + mktemp + mv\n"
                "usage: untorn VERB [OPTION]... [OPERAND]...\n");
    for (const struct verb_group *group = verb_groups; group->heading; group++)
        for (const struct verb *const *verb = group->verbs; *verb; verb++)
            output_format("%-8s %-7s %s\n", verb == group->verbs ? group->heading : "",
                          (*verb)->name, (*verb)->summary);
    output_text("\n"
                "Exit status: 0 done, 1 failed and the old content stays, 2 usage, 3 no such\n"
                "file or key, 4 the file is not what it should be, 5 changed since or exists,\n"
                "6 lock not obtained in time, 7 not settled: visible, not confirmed on the disk.\n"
                "Read on: untorn VERB --help, man untorn, man untorn-VERB; for C: man 3 untorn.\n");
}

/* A text of several lines goes below each other in its column. */
static void print_option(const struct option *option, const struct verb *verb)
{
    char name[CLI_NAME + 64];
    const char *argument = option_argument(option, verb), *text = option_text(option, verb);
    int used = option->letter ? snprintf(name, sizeof name, "  -%c, ", option->letter)
                              : snprintf(name, sizeof name, "  ");
    snprintf(name + used, sizeof name - (size_t)used, "--%s%s%s", option->name, argument ? " " : "",
             argument ? argument : "");
    const char *line = text;
    while (line) {
        size_t length = strcspn(line, "\n");
        output_format("%-*s %.*s\n", TEXT_COLUMN, line == text ? name : "", (int)length, line);
        line = line[length] ? line + length + 1 : NULL;
    }
}

void help_verb(const struct verb *verb)
{
    output_format("usage: untorn %s [OPTION]... %s\n\n%s\n\nOptions, anywhere before `--`:\n",
                  verb->name, verb->operands, verb->explanation);
    for (const struct option *option = option_table; option->name; option++)
        if (option->bit & (verb->options | OPTION_HELP))
            print_option(option, verb);
    output_format("\nExamples:\n%s\nExit status:\n%s\nRead on: man untorn-%s\n", verb->examples,
                  verb->exits, verb->name);
}
