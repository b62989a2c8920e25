/* Telling in words how a state came about. */
#include "os/sim/explore.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AGAIN_MAX = 1024 }; /* kept for the last line, however long the story is */

#define WORD(name, word) word,
const char *const sim_profile_names[SIM_PROFILES] = {SIM_PROFILE_LIST(WORD)};
const char *const sim_verb_names[SIM_VERBS] = {SIM_VERB_LIST(WORD)};
#undef WORD

struct teller {
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void say(struct teller *teller, const char *format,
                                                      ...)
{
    va_list arguments;
    size_t left = teller->size - teller->used;
    va_start(arguments, format);
    int n = vsnprintf(teller->text + teller->used, left, format, arguments);
    va_end(arguments);
    if (n > 0)
        teller->used += (size_t)n < left ? (size_t)n : left - 1;
}

static void say_place(struct teller *teller, const char *path, const char *name)
{
    say(teller, " %s%s%s", path ? path : "", path && name && *path ? "/" : "", name ? name : "");
}

static void say_call(struct teller *teller, const struct sim_call *call, int number)
{
    say(teller, "  %4d ", number);
    if (call->process)
        say(teller, "[process %d] ", call->process);
    say(teller, "%s", sim_verb_names[call->verb]);
    say_place(teller, call->path, call->name);
    if (call->to_name) {
        say(teller, " ->");
        say_place(teller, call->to_path, call->to_name);
    }
    if (call->how)
        say(teller, ", %s", call->how);
    if (call->verb == SIM_READ_AT || call->verb == SIM_WRITE_AT)
        say(teller, ", %llu bytes at %llu", (unsigned long long)call->size,
            (unsigned long long)call->offset);
    if (call->verb == SIM_RESIZE)
        say(teller, ", to %llu", (unsigned long long)call->size);
    if (call->result < 0)
        say(teller, " = %s", strerror((int)-call->result));
    if (call->faulty)
        say(teller, " (injected)");
}

static void say_step(struct teller *teller, const struct sim_level *level, int index)
{
    const struct sim_step *step = &level->log.steps[index];
    enum sim_standing standing =
        sim_model_standing(&level->log, level->profile, level->call, index);
    if (step->kind == SIM_EFFECT_GARBAGE && standing == SIM_NOT_YET)
        return;
    const char *fate = step->lost < level->call  ? "was taken back"
                       : standing == SIM_DURABLE ? "durable"
                       : level->kept[index]      ? "survived"
                                                 : "LOST";
    switch (step->kind) {
    case SIM_EFFECT_BLOCK:
        say(teller, "; block %d %s", step->index, fate);
        break;
    case SIM_EFFECT_GARBAGE:
        say(teller, "; garbage in block %d %s", step->index, fate);
        break;
    case SIM_EFFECT_SIZE:
        say(teller, "; size %llu %s", (unsigned long long)step->size, fate);
        break;
    case SIM_EFFECT_META:
        say(teller, "; mode %o and owner %u %s", (unsigned)step->meta->mode,
            (unsigned)step->meta->owner, fate);
        break;
    case SIM_EFFECT_NAME:
        if (sim_model_group(&level->log, level->profile, index) != index)
            break;
        if (index + 1 < level->log.step_count && level->log.steps[index + 1].group == index)
            say(teller, "; the rename %s", fate);
        else
            say(teller, "; %s %s", step->inode == SIM_NO_INODE ? "the removal" : "the name", fate);
        break;
    }
    if (step->poisoned < level->call)
        say(teller, " (its flush had failed)");
}

/* Reading calls say little; those before a crash are left out. */
static bool is_dull(const struct sim_call *call)
{
    bool reads = call->verb == SIM_STAT || call->verb == SIM_READ_AT || call->verb == SIM_CLOSE ||
                 call->verb == SIM_READ_LINK || call->verb == SIM_INHERIT ||
                 call->verb == SIM_RANDOM || call->verb == SIM_CAPABILITIES ||
                 call->verb == SIM_OPEN_DIR || call->verb == SIM_LIST;
    return reads && call->result >= 0 && !call->faulty;
}

static void say_log(struct teller *teller, const struct sim_level *level)
{
    const struct sim_log *log = &level->log;
    int step = 0;
    for (int i = 0; i <= log->call_count; i++) {
        for (int a = 0; a < log->ack_count; a++) {
            if (log->acks[a].calls == i && log->acks[a].id < 0)
                say(teller, "       note: %s\n", log->acks[a].words);
            else if (log->acks[a].calls == i && i <= level->call)
                say(teller, "       acknowledged: %d\n", log->acks[a].id);
        }
        if (i == log->call_count || i > level->call)
            break;
        if (i == level->begin && i > 0)
            say(teller, "  here it was killed, and recovery ran:\n");
        const struct sim_call *call = &log->calls[i];
        if (is_dull(call) && i != level->call)
            continue;
        say_call(teller, call, i + 1);
        while (step < log->step_count && log->steps[step].call < i)
            step++;
        for (; step < log->step_count && log->steps[step].call == i; step++)
            say_step(teller, level, step);
        say(teller, "%s\n", i == level->call ? "   <- the crash came while this ran" : "");
    }
    if (level->call == log->call_count)
        say(teller, "       the crash came after all this\n");
}

static void say_levels(struct teller *teller, const struct sim_level *level)
{
    if (level->outer && level->begin == 0) {
        say_levels(teller, level->outer);
        say(teller, "  then recovery ran on what was left:\n");
    }
    say_log(teller, level);
}

/* What the running machine has done, where no crash decides what became of it. */
static void say_calls(struct teller *teller)
{
    for (int i = 0; i < sim->log.call_count; i++) {
        if (is_dull(&sim->log.calls[i]))
            continue;
        say_call(teller, &sim->log.calls[i], i + 1);
        say(teller, "\n");
    }
}

static void say_notes(struct teller *teller, int calls)
{
    for (int a = 0; a < sim->log.ack_count; a++) {
        const struct sim_ack_record *ack = &sim->log.acks[a];
        if (ack->calls == calls && ack->id < 0)
            say(teller, "       %s\n", ack->words);
        else if (ack->calls == calls)
            say(teller, "       acknowledged: %d\n", ack->id);
    }
}

static void say_file(struct teller *teller, const struct sim_disk *disk, int id)
{
    const struct sim_inode *inode = &disk->inodes[id];
    unsigned char head[48];
    size_t shown = inode->size < sizeof head ? (size_t)inode->size : sizeof head;
    sim_disk_read(disk, id, head, shown, 0);
    say(teller, " %o %llu bytes \"", (unsigned)inode->meta.mode, (unsigned long long)inode->size);
    for (size_t i = 0; i < shown; i++)
        say(teller, isprint(head[i]) ? "%c" : "\\%03o", head[i]);
    say(teller, "%s\"", shown < inode->size ? "..." : "");
}

static void say_tree(struct teller *teller, const struct sim_disk *disk, int dir, const char *path)
{
    const struct sim_inode *inode = &disk->inodes[dir];
    for (int i = 0; i < inode->entry_count; i++) {
        char below[1024];
        int child = inode->entries[i].inode;
        snprintf(below, sizeof below, "%s/%s", path, inode->entries[i].name);
        say(teller, "    %s", below);
        if (disk->inodes[child].kind == OS_SYMLINK)
            say(teller, " -> %s", disk->inodes[child].link);
        if (disk->inodes[child].kind == OS_REGULAR)
            say_file(teller, disk, child);
        say(teller, "\n");
        if (disk->inodes[child].mounted != SIM_NO_INODE)
            child = disk->inodes[child].mounted;
        if (disk->inodes[child].kind == OS_DIRECTORY)
            say_tree(teller, disk, child, below);
    }
}

void sim_tell_machine(char *text, size_t size)
{
    struct teller teller = {text, size, 0};
    int process = -1;
    for (int i = 0; i <= sim->log.call_count; i++) {
        say_notes(&teller, i);
        if (i == sim->log.call_count)
            break;
        struct sim_call call = sim->log.calls[i];
        if (call.process != process)
            say(&teller, "  process %d:\n", call.process);
        process = call.process;
        call.process = 0;
        say_call(&teller, &call, i + 1);
        say(&teller, "\n");
    }
    say(&teller, "  what is on the disk:\n");
    say_tree(&teller, &sim->now, SIM_ROOT, "");
}

void sim_tell_again(char *text, size_t size, const char *setting)
{
    const char *test = getenv("HARNESS_AGAIN"), *is_long = getenv("UNTORN_LONG");
    snprintf(text, size, "  again:\n    %s%s%s%s%s\n", is_long ? "UNTORN_LONG=" : "",
             is_long ? is_long : "", is_long ? " " : "", setting,
             test ? test : "(the program, with the name of the test as its argument)");
}

void sim_tell(struct sim_explorer *explorer, const struct sim_level *level,
              const struct sim_disk *disk, uint64_t hash, const char *verdict)
{
    struct sim_report *report = explorer->report;
    const struct sim_scenario *scenario = explorer->scenario;
    struct teller teller = {report->story, sizeof report->story - AGAIN_MAX, 0};
    char setting[40] = "";
    say(&teller, "BAD: %s\n  in \"%s\", %s, unit %u, seed %llu%s%s\n", verdict, scenario->name,
        level ? sim_profile_names[level->profile] : "no crash",
        scenario->options.unit ? scenario->options.unit : 4096,
        (unsigned long long)scenario->options.seed, explorer->circumstances ? ", " : "",
        explorer->circumstances ? explorer->circumstances : "");
    if (level)
        say_levels(&teller, level);
    else
        say_calls(&teller);
    say(&teller, level ? "  what the crash left:\n" : "  what is on the disk:\n");
    say_tree(&teller, disk, SIM_ROOT, "");
    if (explorer->tell_recovery) {
        say(&teller, "  then recovery and verification ran:\n");
        say_calls(&teller);
    }
    if (hash)
        snprintf(setting, sizeof setting, "UNTORN_STATE=%016llx ", (unsigned long long)hash);
    sim_tell_again(report->story + teller.used, sizeof report->story - teller.used, setting);
}

void sim_stop_here(void)
{
}
