/* The command: finds the verb, reads its arguments, runs it, and makes sure of standard output. */
#include <errno.h>
#include <string.h>

#include "arguments.h"
#include "help.h"
#include "message.h"
#include "nearest.h"
#include "options.h"
#include "output.h"
#include "start.h"
#include "system.h"

static int unknown_verb(const char *name)
{
    struct nearest nearest = {.word = name};
    for (const struct verb_group *group = verb_groups; group->heading; group++)
        for (const struct verb *const *verb = group->verbs; *verb; verb++)
            nearest_offer(&nearest, (*verb)->name);
    nearest_offer(&nearest, "help");
    if (nearest.best)
        message("no verb '%s' (did you mean %s?)", name, nearest.best);
    else
        message("no verb '%s' (try: untorn --help)", name);
    return 2;
}

/* untorn help [VERB] */
static int run_help(int argc, char **argv)
{
    const struct verb *verb = argc > 1 ? verb_find(argv[1]) : NULL;
    if (argc > 1 && !verb && strcmp(argv[1], "--help") != 0)
        return unknown_verb(argv[1]);
    if (verb)
        help_verb(verb);
    else
        help_all();
    return 0;
}

/* Set once a change is made whose report is still to be printed. */
static bool change_made;

static int run_verb(const struct verb *verb, int argc, char **argv)
{
    struct arguments arguments;
    int status = arguments_parse(&arguments, verb, argc, argv);
    if (status == 0 && arguments.help)
        help_verb(verb);
    else if (status == 0)
        status = verb->run(&arguments);
    arguments_free(&arguments);
    bool tells = arguments.report || verb == &verb_ensure || verb == &verb_undo;
    change_made = status == 0 && tells && (verb->options & OPTION_DRY_RUN) && !arguments.dry_run;
    return status;
}

static int run(int argc, char **argv)
{
    const char *name;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        help_all();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        output_format("untorn %s\n", untorn_version());
        return 0;
    }
    if (arguments_find_verb(&argc, argv, &name) != 0)
        return 2;
    if (!name) {
        message("VERB is missing; usage: untorn VERB [OPTION]... [OPERAND]... "
                "(try: untorn --help)");
        return 2;
    }
    if (strcmp(name, "help") == 0)
        return run_help(argc, argv);
    const struct verb *verb = verb_find(name);
    return verb ? run_verb(verb, argc, argv) : unknown_verb(name);
}

/* The exit status, now that it is known whether standard output took everything. */
static int finish(int status)
{
    int error = output_finish();
    if (error == 0)
        return status;
    /* A reader that had enough, as in `untorn read f | head`, needs no explanation. */
    if (error != EPIPE)
        message("standard output: %s", system_error(error));
    if (status != 0)
        return status;
    /* 1 would mean that the old content stays. */
    return change_made ? 7 : 1;
}

int main(int argc, char **argv)
{
    start_up(&argc, &argv);
    return finish(run(argc, argv));
}
