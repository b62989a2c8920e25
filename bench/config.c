/* A configuration in scopes: one key of five files, in a process that keeps it open; and one key
 * set by the command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <untorn/config.h>

#include "hand.h"
#include "pairs.h"

static const char *const files[] = {"default.toml", "global.toml", "project.toml", "local.toml",
                                    "override.toml"};
enum { FILES = sizeof files / sizeof *files, KEYS = 40 };

static struct untorn_config *config;

/* A file is trusted to be the same once its last change is some seconds ago. */
static void prepare_get(void)
{
    struct untorn_config_setup setup = {.app = "bench"};
    static const enum untorn_scope scopes[FILES] = {UNTORN_SCOPE_DEFAULT, UNTORN_SCOPE_GLOBAL,
                                                    UNTORN_SCOPE_PROJECT, UNTORN_SCOPE_LOCAL,
                                                    UNTORN_SCOPE_OVERRIDE};
    char text[KEYS * 32 + 16], fresh[64];
    for (int i = 0; i < FILES; i++) {
        size_t size = (size_t)snprintf(text, sizeof text, "[server]\n");
        for (int key = 0; key < KEYS; key++)
            size +=
                (size_t)snprintf(text + size, sizeof text - size, "key-%d-%d = %d\n", i, key, key);
        snprintf(fresh, sizeof fresh, "%s.tmp", files[i]);
        hand_replace(".", fresh, files[i], text, size, UNTORN_CACHE);
        setup.paths[scopes[i]] = files[i];
    }
    untorn_config_free(config);
    pairs_must(untorn_config_open(&setup, &config, NULL) == 0, "open");
    if (!pairs_is_quick())
        nanosleep(&(struct timespec){.tv_sec = 4}, NULL);
}

static void get(void)
{
    const struct untorn_node *node;
    pairs_must(untorn_config_get(config, "server.key-0-7", &node, NULL, NULL) == 0, "get");
}

static void look(void)
{
    struct stat status;
    for (int i = 0; i < FILES; i++)
        pairs_must(stat(files[i], &status) == 0, files[i]);
}

/* ---- the command ---- */

static unsigned long value;

static void set_command(void)
{
    const char *name = getenv("UNTORN");
    char text[32];
    snprintf(text, sizeof text, "%lu", ++value);
    const char *const arguments[] = {name ? name : "untorn",
                                     "config",
                                     "--app=bench",
                                     "--file=global=ours/app.toml",
                                     "--level=cache",
                                     "set",
                                     "--scope=global",
                                     "a.b",
                                     text,
                                     NULL};
    pairs_spawn(arguments);
}

static void git_config(void)
{
    char text[32];
    snprintf(text, sizeof text, "%lu", ++value);
    const char *const arguments[] = {"git", "config", "--file", "hand/app.conf", "a.b", text, NULL};
    pairs_spawn(arguments);
}

/* git is kept from looking for a repository and for settings: only the edit is measured. */
static void prepare_set(void)
{
    make_directory("ours");
    make_directory("hand");
    setenv("GIT_DIR", "/dev/null", 1);
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
    git_config();
    set_command();
}

static const struct pairs_row rows[] = {
    {.name = "config get in a process, five scopes",
     .peer = "stat of the five files",
     .prepare = prepare_get,
     .ours = get,
     .theirs = look,
     .unit = PAIRS_TIME,
     .target = 50,
     .batch = 20},
    {.name = "untorn config set --level cache",
     .peer = "git config --file F a.b VALUE",
     .prepare = prepare_set,
     .ours = set_command,
     .theirs = git_config,
     .target = 1,
     .command = "git"},
};

int main(int argc, char **argv)
{
    return pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
