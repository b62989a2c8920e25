/* Setting one key of a document: in a large file, in a lock file, by the command. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <untorn/document.h>

#include "hand.h"
#include "pairs.h"
#include "shapes.h"

enum { LARGE = 96 * 1000 * 1000, LOCK_FILE = 160 * 1000, QUICK = 100 * 1000 };

static int version;

static void set(const char *path, const char *key)
{
    char text[16];
    snprintf(text, sizeof text, "%d", ++version);
    struct untorn_edit edit = {
        .kind = UNTORN_SET, .key = key, .value = text, .value_size = strlen(text)};
    pairs_must(untorn_edit(path, &edit, 1, NULL, NULL, NULL) == 0, path);
}

static struct shape put_shape(const char *path, struct shape shape)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    for (size_t at = 0; at < shape.size;) {
        ssize_t n = write(fd, shape.text + at, shape.size - at);
        pairs_must(n > 0, path);
        at += (size_t)n;
    }
    pairs_must(fsync(fd) == 0, path);
    close(fd);
    return shape;
}

/* ---- 96 MB ---- */

static struct shape large;

static void prepare_large(void)
{
    shape_free(&large);
    large = put_shape("large.json", shape_records(pairs_is_quick() ? QUICK : LARGE));
}

static void set_large(void)
{
    set("large.json", "end");
}

/* Behind the last of very many members. */
static void add_large(void)
{
    char key[32];
    snprintf(key, sizeof key, "packages.new-%d", version + 1);
    set("large.json", key);
}

/* Near the beginning: nearly all is copied behind the place, while it is scanned. */
static void add_first_large(void)
{
    char key[64];
    snprintf(key, sizeof key, "packages.\"node_modules/package-0\".new-%d", version + 1);
    set("large.json", key);
}

static void get_large(void)
{
    struct untorn_edit at = {.key = "end"};
    struct untorn_document *document;
    const struct untorn_node *node;
    pairs_must(untorn_get("large.json", &at, NULL, NULL, &document, &node, NULL) == 0, "get");
    untorn_document_free(document);
}

static void read_and_scan(void)
{
    static char piece[256 * 1024];
    int fd = open("large.json", O_RDONLY | O_CLOEXEC);
    ssize_t n = 1;
    while (n > 0)
        n = read(fd, piece, sizeof piece);
    pairs_must(n == 0, "large.json");
    close(fd);
    pairs_must(untorn_document_check(large.text, large.size, UNTORN_JSON, NULL) == 0, "scan");
}

static void copy_and_scan(void)
{
    const char *const arguments[] = {"cp", "--reflink=never", "large.json", "copy.json", NULL};
    pairs_spawn(arguments);
    int fd = open("copy.json", O_RDONLY | O_CLOEXEC);
    pairs_must(fd >= 0 && fsync(fd) == 0, "copy.json");
    close(fd);
    pairs_must(untorn_document_check(large.text, large.size, UNTORN_JSON, NULL) == 0, "scan");
}

static void jq_large(void)
{
    const char *const arguments[] = {"sh", "-c", "jq '.end += 1' large.json >jq.json", NULL};
    pairs_spawn(arguments);
}

/* ---- a lock file of 160 KB ---- */

static int to_python, from_python;

/* A process of its own that loads, sets and dumps for every byte it gets: its start is not
 * measured. */
static void prepare_lock_file(void)
{
    static const char script[] = "import sys, tomlkit\n"
                                 "while sys.stdin.buffer.read(1):\n"
                                 "    d = tomlkit.parse(open('tomlkit.toml').read())\n"
                                 "    d['metadata']['end'] += 1\n"
                                 "    open('tomlkit.toml', 'w').write(tomlkit.dumps(d))\n"
                                 "    sys.stdout.write('.'); sys.stdout.flush()\n";
    int in[2], out[2];
    struct shape shape =
        put_shape("Cargo.toml", shape_packages(pairs_is_quick() ? 2000 : LOCK_FILE));
    put_shape("tomlkit.toml", shape);
    shape_free(&shape);
    pairs_must(pipe(in) == 0 && pipe(out) == 0, "a pipe");
    if (fork() == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        execl("/usr/bin/python3", "/usr/bin/python3", "-c", script, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to_python = in[1];
    from_python = out[0];
}

static void set_lock_file(void)
{
    char text[16];
    struct untorn_options cache = {.level = UNTORN_CACHE};
    snprintf(text, sizeof text, "%d", ++version);
    struct untorn_edit edit = {
        .kind = UNTORN_SET, .key = "metadata.end", .value = text, .value_size = strlen(text)};
    pairs_must(untorn_edit("Cargo.toml", &edit, 1, NULL, &cache, NULL) == 0, "Cargo.toml");
}

static void tomlkit(void)
{
    char byte;
    pairs_must(write(to_python, ".", 1) == 1 && read(from_python, &byte, 1) == 1,
               "tomlkit (the package python3-tomlkit)");
}

/* ---- the command ---- */

static void set_command(void)
{
    char text[16];
    const char *command = getenv("UNTORN");
    snprintf(text, sizeof text, "%d", ++version);
    const char *const arguments[] = {command ? command : "untorn",
                                     "set",
                                     "--level",
                                     "cache",
                                     "ours/app.toml",
                                     "a.b",
                                     text,
                                     NULL};
    pairs_spawn(arguments);
}

static void git_config(void)
{
    char text[16];
    snprintf(text, sizeof text, "%d", ++version);
    const char *const arguments[] = {"git", "config", "--file", "hand/app.conf", "a.b", text, NULL};
    pairs_spawn(arguments);
}

static void prepare_command(void)
{
    make_directory("ours");
    make_directory("hand");
    hand_replace("ours", "ours/tmp", "ours/app.toml", "[a]\nb = 1\n", 10, UNTORN_CACHE);
    setenv("GIT_DIR", "/dev/null", 1);
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
    git_config();
}

static const struct pairs_row rows[] = {
    {.name = "set in 96 MB of JSON",
     .peer = "cp, fsync, and a scan",
     .prepare = prepare_large,
     .ours = set_large,
     .theirs = copy_and_scan,
     .target = 1.1,
     .count = 9},
    {.name = "add to 96 MB of JSON, at the end",
     .peer = "cp, fsync, and a scan",
     .prepare = prepare_large,
     .ours = add_large,
     .theirs = copy_and_scan,
     .target = 1.1,
     .count = 9},
    {.name = "add to 96 MB of JSON, at the beginning",
     .peer = "cp, fsync, and a scan",
     .prepare = prepare_large,
     .ours = add_first_large,
     .theirs = copy_and_scan,
     .target = 1.1,
     .count = 9},
    {.name = "get from 96 MB of JSON",
     .peer = "read, and a scan",
     .prepare = prepare_large,
     .ours = get_large,
     .theirs = read_and_scan,
     .target = 1.1,
     .count = 9},
    {.name = "set in 96 MB of JSON, against jq",
     .peer = "jq '.end += 1' >F; flushes nothing",
     .prepare = prepare_large,
     .ours = set_large,
     .theirs = jq_large,
     .target = 0.067,
     .count = 5,
     .command = "jq"},
    {.name = "set in 160 KB of TOML, cache",
     .peer = "tomlkit: parse, set, dump, open('w')",
     .prepare = prepare_lock_file,
     .ours = set_lock_file,
     .theirs = tomlkit,
     .target = 0.001,
     .count = 9},
    {.name = "untorn set --level cache",
     .peer = "git config --file F a.b VALUE",
     .prepare = prepare_command,
     .ours = set_command,
     .theirs = git_config,
     .target = 0.8,
     .command = "git"},
};

int main(int argc, char **argv)
{
    return pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
