/* block_work SCENARIO SEED UPDATES DIRECTORY CONTROL TYPE [--early] [--fail WORDS]
 *
 * Prepares a scenario (scenario.h) in DIRECTORY, makes that durable, then does its updates, and
 * tells the block device below (CONTROL, see block_log.c) before each that it begins, and after
 * each what came of it. TYPE is the file system's, for whoever reads the log. Then the log stops.
 *
 * --early: says of each update that it is done when it begins: a lie that must be caught.
 * --fail `write 3 5 once`: what the device is told when the preparation is over.
 * --list: prints the names of the scenarios.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scenario.h"

enum { TEXT = 256 };

static int control;
static bool early;

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
    char text[TEXT];
    va_list words;
    va_start(words, format);
    int size = vsnprintf(text, sizeof text, format, words);
    va_end(words);
    if (write(control, text, (size_t)size) != size)
        place_die("does not take", text);
}

static void work_through(const struct work *work, unsigned process)
{
    for (unsigned update = 1; update <= work->updates; update++) {
        tell("mark begin %u %u", process, update);
        if (early)
            tell("mark done %u %u", process, update);
        int rc = scenario_act(work, process, update);
        if (!early)
            tell("mark %s %u %u",
                 rc < 0    ? "failed"
                 : rc == 0 ? "done"
                           : "unsettled",
                 process, update);
    }
}

/* Its processes begin together, so that they meet. */
static void work_as_crowd(const struct work *work)
{
    int gate[2], status;
    if (pipe(gate) != 0)
        place_die("no pipe", "gate");
    for (unsigned process = 0; process < CROWD; process++) {
        pid_t child = fork();
        if (child < 0)
            place_die("cannot fork", "crowd");
        if (child == 0) {
            char byte;
            close(gate[1]);
            (void)read(gate[0], &byte, 1);
            work_through(work, process);
            exit(0);
        }
    }
    close(gate[0]);
    close(gate[1]);
    for (unsigned process = 0; process < CROWD; process++)
        if (wait(&status) < 0 || status != 0)
            place_die("one failed", "crowd");
}

static const char *option(int argc, char **argv, const char *name)
{
    for (int i = 7; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return i + 1 < argc ? argv[i + 1] : "";
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        scenario_list();
        return 0;
    }
    if (argc < 7 || scenario_find(argv[1]) == NULL) {
        fprintf(stderr, "usage: block_work SCENARIO SEED UPDATES DIRECTORY CONTROL TYPE"
                        " [--early] [--fail WORDS]\n");
        return 2;
    }
    struct work work = {.scenario = scenario_find(argv[1]),
                        .seed = strtoull(argv[2], NULL, 10),
                        .updates = (unsigned)strtoul(argv[3], NULL, 10),
                        .command = getenv("UNTORN")};
    const char *fault = option(argc, argv, "--fail");
    early = option(argc, argv, "--early") != NULL;
    control = open(argv[5], O_WRONLY | O_CLOEXEC);
    if (control < 0 || chdir(argv[4]) != 0)
        place_die("cannot be reached", argv[4]);
    scenario_prepare(&work);
    int directory = open(".", O_RDONLY | O_CLOEXEC);
    if (directory < 0 || syncfs(directory) != 0)
        place_die("cannot be flushed", argv[4]);
    close(directory);
    tell("mark start %s %llu %u %s", argv[1], (unsigned long long)work.seed, work.updates, argv[6]);
    if (fault != NULL)
        tell("fail %s", fault);
    if (work.scenario->traits & CROWDED)
        work_as_crowd(&work);
    else
        work_through(&work, 0);
    tell("stop");
    return 0;
}
