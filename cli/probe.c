/* untorn probe: what a directory's file system gives, and what follows from that. */
#include <string.h>

#include "options.h"
#include "outcome.h"
#include "output.h"

struct fact {
    const char *word; /* of the report line */
    const char *text; /* of the table */
    const char *meaning;
    size_t field;
    bool tried;          /* known only where files can be made */
    bool wanted;         /* the value with which every promise can be kept */
    const char *follows; /* what follows if it is the other; NULL: nothing to worry about */
};

#define FACT(field, text, meaning, tried, wanted, follows)                                         \
    {                                                                                              \
#field, text, meaning, offsetof(struct untorn_probe, field), tried, wanted, follows        \
    }

static const struct fact facts[] = {
    FACT(writable, "writable", "files can be made here", false, true,
         "Files here can only be saved with --state-dir (or UNTORN_STATE_DIR), the same\n"
         "one for every program; they are then overwritten in place.\n"),
    FACT(lock, "lock", "a second holder is kept out", true, true,
         "Locks do not work here: untorn refuses to save.\n"),
    FACT(network, "network mount", "other hosts may reach these files", false, false,
         "Locks may hold only between processes of one host: let one host write\n"
         "(--strict refuses to save here).\n"),
    FACT(replace, "replace", "a rename over an existing file", true, true,
         "A file cannot be replaced in one step: it is overwritten in place through a\n"
         "journal, and only readers through untorn never see a mixture.\n"),
    FACT(create_no_replace, "create only", "a rename that never replaces", true, true, NULL),
    FACT(exchange, "exchange", "two names swap in one step", true, true, NULL),
    FACT(hard_link, "hard links", "one file under two names", true, true, NULL),
    FACT(directory_flush, "directory flush", "a rename survives power loss", true, true,
         "Durable cannot be promised: after a power loss the old version may be back,\n"
         "whole (--strict refuses to save here).\n"),
    FACT(full_flush, "full flush", "a flush outlives the power", false, true,
         "Durable cannot be promised: a flush ends in memory or in the drive's cache.\n"),
    FACT(extended_attributes, "attributes", "extended attributes can be kept", true, true, NULL),
    FACT(acl, "ACL", "access control lists can be kept", true, true, NULL),
    FACT(case_insensitive, "ignores case", "A and a are one name", true, false, NULL),
};
enum { FACTS = sizeof facts / sizeof *facts };

static bool value_of(const struct untorn_probe *probe, const struct fact *fact)
{
    return *(const bool *)((const char *)probe + fact->field);
}

static bool is_known(const struct untorn_probe *probe, const struct fact *fact)
{
    return probe->writable || !fact->tried;
}

static bool breaks_promise(const struct untorn_probe *probe, const struct fact *fact)
{
    return fact->follows && is_known(probe, fact) && value_of(probe, fact) != fact->wanted;
}

static bool keeps_promises(const struct untorn_probe *probe)
{
    for (int i = 0; i < FACTS; i++)
        if (breaks_promise(probe, &facts[i]))
            return false;
    return true;
}

static void print_table(const struct untorn_probe *probe)
{
    bool colour = output_colour();
    output_format("%-16s ", "file system");
    output_escaped(probe->filesystem);
    output_text("\n");
    for (int i = 0; i < FACTS; i++) {
        bool worry = colour && breaks_promise(probe, &facts[i]);
        bool known = is_known(probe, &facts[i]);
        const char *word = !known ? "?" : value_of(probe, &facts[i]) ? "yes" : "no";
        output_format("%-16s %s%-3s%s  %s\n", facts[i].text, worry ? "\033[31m" : "", word,
                      worry ? "\033[m" : "", facts[i].meaning);
    }
    output_text("\n");
    for (int i = 0; i < FACTS; i++)
        if (breaks_promise(probe, &facts[i]))
            output_text(facts[i].follows);
    if (keeps_promises(probe))
        output_text("Every promise of untorn holds here.\n");
}

static void print_report(const char *path, const struct untorn_probe *probe)
{
    output_text("{\"verb\":\"probe\",\"path\":");
    output_json_text(path);
    output_text(",\"filesystem\":");
    output_json_text(probe->filesystem);
    for (int i = 0; i < FACTS; i++) {
        bool known = is_known(probe, &facts[i]);
        output_format(",\"%s\":%s", facts[i].word,
                      !known                       ? "null"
                      : value_of(probe, &facts[i]) ? "true"
                                                   : "false");
    }
    output_format(",\"promises\":%s}\n", keeps_promises(probe) ? "true" : "false");
}

static int run_probe(struct arguments *arguments)
{
    const char *path = arguments->operand_count > 0 ? arguments->operands[0] : ".";
    struct outcome outcome = outcome_begin(arguments, path);
    struct untorn_probe probe;
    struct untorn_error error;
    if (untorn_probe(path, &probe, &error) != 0) {
        outcome_library(&outcome, &error);
        return outcome_finish(&outcome);
    }
    if (arguments->report)
        print_report(path, &probe);
    else
        print_table(&probe);
    return arguments->options.strict && !keeps_promises(&probe) ? 1 : 0;
}

const struct verb verb_probe = {
    .name = "probe",
    .operands = "[DIR]",
    .summary = "try out what the file system of DIR really gives",
    .explanation =
        "Tries out in DIR (the current directory if none is named) what untorn builds\n"
        "on, and says what follows for files there. Makes a few files in a folder of its\n"
        "own and removes them again.",
    .examples = "  untorn probe\n"
                "  untorn probe --strict . || echo not every promise holds here\n",
    .exits = "  0  tried out\n"
             "  1  failed; with --strict: not every promise can be kept there\n"
             "  2  usage\n"
             "  3  no such directory\n",
    .options = OPTION_STRICT | OPTION_REPORT,
    .fewest = 0,
    .most = 1,
    .run = run_probe,
};
