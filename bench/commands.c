/* The schemes in which every update starts a program, as scripts do. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pairs.h"
#include "schemes.h"

extern char **environ;

enum { GIT_IS_LOCKED = 255, TRIES = 10000 };

/* ---- untorn set ---- */

static const char *untorn_command(void)
{
    const char *name = getenv("UNTORN");
    return name ? name : "untorn";
}

static void prepare_set(void)
{
    text_put("command", "command/state.json", TEXT_JSON);
}

static void update_set(int number, long value)
{
    char key[16], text[32];
    text_key(number, key);
    snprintf(text, sizeof text, "%ld", value);
    const char *const arguments[] = {
        untorn_command(), "set", "command/state.json", key, text, NULL};
    pairs_spawn(arguments);
}

static void read_set(long *values)
{
    text_read("command/state.json", TEXT_JSON, values);
}

const struct scheme scheme_set = {
    .name = "untorn set",
    .peer = "untorn set FILE KEY VALUE, durable",
    .is_command = true,
    .prepare = prepare_set,
    .update = update_set,
    .read = read_set,
};

const struct scheme scheme_set_again = {
    .name = "set again",
    .peer = "untorn set once more, as a control",
    .is_command = true,
    .prepare = prepare_set,
    .update = update_set,
    .read = read_set,
};

/* ---- git config ---- */

static const char *missing_git(void)
{
    return pairs_is_in_path("git") ? NULL : "git is missing";
}

static void prepare_git(void)
{
    text_put("git", "git/config", TEXT_INI);
}

/* Kept from looking for a repository and for settings: only the edit is measured. */
static void open_git(void)
{
    setenv("GIT_DIR", "/dev/null", 1);
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
}

/* Its status; its complaints about a lock that is taken are not shown. */
static int run_quietly(const char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    errno = posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    pairs_must(errno == 0, arguments[0]);
    posix_spawn_file_actions_destroy(&actions);
    while (waitpid(child, &status, 0) < 0)
        pairs_must(errno == EINTR, "waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* git does not wait for its lock, so its caller does: 1 to 5 ms, not all of them the same. */
static void update_git(int number, long value)
{
    char key[32], text[32];
    snprintf(key, sizeof key, "writers.");
    text_key(number, key + 8);
    snprintf(text, sizeof text, "%ld", value);
    const char *const arguments[] = {"git", "config", "--file", "git/config", key, text, NULL};
    int status = run_quietly(arguments);
    for (int tries = 1; status == GIT_IS_LOCKED && tries < TRIES; tries++) {
        struct timespec pause = {.tv_nsec = 1000000 + rand() % 4000000};
        nanosleep(&pause, NULL);
        status = run_quietly(arguments);
    }
    pairs_must(status == 0, "git config");
}

static void read_git(long *values)
{
    text_read("git/config", TEXT_INI, values);
}

const struct scheme scheme_git = {
    .name = "git config",
    .peer = "git config --file, again after 1 to 5 ms if another holds its lock; flushes nothing",
    .is_command = true,
    .missing = missing_git,
    .prepare = prepare_git,
    .open = open_git,
    .update = update_git,
    .read = read_git,
};

/* ---- crudini ---- */

static const char *missing_crudini(void)
{
    return pairs_is_in_path("crudini") ? NULL : "crudini is missing";
}

static void prepare_crudini(void)
{
    text_put("crudini", "crudini/state.ini", TEXT_INI);
}

static void update_crudini(int number, long value)
{
    char key[16], text[32];
    text_key(number, key);
    snprintf(text, sizeof text, "%ld", value);
    const char *const arguments[] = {"crudini", "--set", "crudini/state.ini", "writers", key,
                                     text,      NULL};
    pairs_spawn(arguments);
}

static void read_crudini(long *values)
{
    text_read("crudini/state.ini", TEXT_INI, values);
}

const struct scheme scheme_crudini = {
    .name = "crudini",
    .peer = "crudini --set, which flushes the file and the directory",
    .is_command = true,
    .slowness = 10,
    .missing = missing_crudini,
    .prepare = prepare_crudini,
    .update = update_crudini,
    .read = read_crudini,
};
