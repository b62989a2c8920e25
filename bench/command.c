/* The command, as a program that a script starts; against what scripts use today. */
#include <stdio.h>
#include <stdlib.h>

#include "hand.h"
#include "pairs.h"

static const char *command(void)
{
    const char *name = getenv("UNTORN");
    return name ? name : "untorn";
}

/* ---- write, against git config ---- */

static void write_command(void)
{
    const char *const arguments[] = {command(),       "write",  "--level", "cache",
                                     "ours/app.conf", "source", NULL};
    pairs_spawn(arguments);
}

static void git_config(void)
{
    static unsigned long value;
    char text[32];
    snprintf(text, sizeof text, "%lu", ++value);
    const char *const arguments[] = {"git", "config", "--file", "hand/app.conf", "a.b", text, NULL};
    pairs_spawn(arguments);
}

static void prepare_write(void)
{
    make_directory("ours");
    make_directory("hand");
    hand_replace(".", "source.tmp", "source", "[a]\n\tb = 1\n", 11, UNTORN_CACHE);
    /* Kept from looking for a repository and for settings: only the edit is measured. */
    setenv("GIT_DIR", "/dev/null", 1);
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
    git_config();
}

/* ---- update, against the recipe ---- */

static void in_shell(const char *script)
{
    const char *const arguments[] = {"sh", "-c", script, NULL};
    pairs_spawn(arguments);
}

static void update_cache(void)
{
    in_shell("\"$UNTORN\" update --level cache ours/n.json -- jq '.n += 1'");
}

static void update_durable(void)
{
    in_shell("\"$UNTORN\" update ours/n.json -- jq '.n += 1'");
}

static void shell_recipe(void)
{
    in_shell("set -e; exec 9>>hand/n.lock; flock 9; new=$(mktemp hand/n.json.XXXXXX); "
             "jq '.n += 1' hand/n.json >\"$new\"; mv \"$new\" hand/n.json");
}

static void prepare_update(void)
{
    make_directory("ours");
    make_directory("hand");
    setenv("UNTORN", command(), 1);
    hand_replace("ours", "ours/n.json.tmp", "ours/n.json", "{\"n\":0}\n", 8, UNTORN_CACHE);
    hand_replace("hand", "hand/n.json.tmp", "hand/n.json", "{\"n\":0}\n", 8, UNTORN_CACHE);
}

static const struct pairs_row rows[] = {
    {.name = "untorn write --level cache",
     .peer = "git config --file F a.b VALUE",
     .prepare = prepare_write,
     .ours = write_command,
     .theirs = git_config,
     .target = 0.8,
     .command = "git"},
    {.name = "untorn update --level cache -- jq",
     .peer = "sh: flock, mktemp, jq, mv; flushes nothing",
     .prepare = prepare_update,
     .ours = update_cache,
     .theirs = shell_recipe,
     .count = 204,
     .command = "jq"},
    {.name = "untorn update -- jq",
     .peer = "sh: flock, mktemp, jq, mv; flushes nothing",
     .prepare = prepare_update,
     .ours = update_durable,
     .theirs = shell_recipe,
     .count = 204,
     .command = "jq"},
};

int main(int argc, char **argv)
{
    return pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
