#include "schemes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <untorn/document.h>
#include <untorn/write.h>

#include "crowd.h"
#include "hand.h"
#include "pairs.h"

/* ---- a file of keys ---- */

static const struct {
    const char *head, *writer, *setting, *tail;
} forms[] = {
    [TEXT_JSON] = {"{\n", "  \"%s\": 0,\n", "  \"setting-%02d\": \"as it was before\",\n",
                   "  \"end\": true\n}\n"},
    [TEXT_TOML] = {"", "%s = 0\n", "setting-%02d = \"as it was before\"\n", "end = true\n"},
    [TEXT_INI] = {"[writers]\n", "%s = 0\n", "setting-%02d = as it was before\n", "end = true\n"},
};

void text_key(int number, char *key)
{
    snprintf(key, 16, "writer-%02d", number);
}

static size_t make_text(enum text_form form, char *text)
{
    char key[16];
    size_t room = CONTENT_SIZE - strlen(forms[form].tail), size;
    size = (size_t)snprintf(text, TEXT_MOST, "%s", forms[form].head);
    for (int i = 0; i < CROWD_MOST; i++) {
        text_key(i, key);
        size += (size_t)snprintf(text + size, TEXT_MOST - size, forms[form].writer, key);
    }
    for (int i = 0; size < room; i++)
        size += (size_t)snprintf(text + size, TEXT_MOST - size, forms[form].setting, i);
    return size + (size_t)snprintf(text + size, TEXT_MOST - size, "%s", forms[form].tail);
}

void text_put(const char *directory, const char *path, enum text_form form)
{
    char text[TEXT_MOST], temporary[64];
    size_t size = make_text(form, text);
    make_directory(directory);
    snprintf(temporary, sizeof temporary, "%s/new", directory);
    hand_replace(directory, temporary, path, text, size, UNTORN_DURABLE);
}

static size_t read_text(const char *path, char *text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, text, TEXT_MOST - 1) : -1;
    pairs_must(size > 0, path);
    close(fd);
    text[size] = '\0';
    return (size_t)size;
}

/* Where the value of the key begins. */
static char *find_value(char *text, int number)
{
    char key[16];
    text_key(number, key);
    char *at = strstr(text, key);
    return at ? at + strlen(key) + strspn(at + strlen(key), "\" :=") : NULL;
}

void text_read(const char *path, enum text_form form, long *values)
{
    char text[TEXT_MOST];
    size_t size = read_text(path, text), tail = strlen(forms[form].tail);
    bool is_whole = size >= CONTENT_SIZE && strcmp(text + size - tail, forms[form].tail) == 0;
    for (int i = 0; i < CROWD_MOST; i++) {
        char *value = find_value(text, i);
        pairs_must(is_whole && value, "a whole file");
        values[i] = strtol(value, NULL, 10);
    }
}

/* ---- untorn ---- */

void untorn_set(const char *path, int number, long value)
{
    char key[16], text[32];
    text_key(number, key);
    int size = snprintf(text, sizeof text, "%ld", value);
    struct untorn_edit edit = {
        .kind = UNTORN_SET, .key = key, .value = text, .value_size = (size_t)size};
    struct untorn_error error;
    int rc = untorn_edit(path, &edit, 1, NULL, NULL, &error);
    if (rc != 0)
        fprintf(stderr, "untorn_edit: %s\n", untorn_status_name(rc));
    pairs_must(rc == 0, "untorn_edit");
}

static void prepare_untorn(void)
{
    char text[TEXT_MOST];
    size_t size = make_text(TEXT_JSON, text);
    make_directory("ours");
    pairs_must(untorn_write("ours/state.json", text, size, NULL, NULL) == 0, "untorn_write");
}

static void update_untorn(int number, long value)
{
    untorn_set("ours/state.json", number, value);
}

static void read_untorn(long *values)
{
    struct untorn_document *document;
    char key[16];
    int rc = untorn_document_read("ours/state.json", NULL, 0, &document, NULL);
    pairs_must(rc == 0, "untorn_document_read");
    for (int i = 0; i < CROWD_MOST; i++) {
        int64_t value = 0;
        text_key(i, key);
        const struct untorn_node *node = untorn_document_find(document, key, NULL);
        pairs_must(node && untorn_node_integer(node, &value), key);
        values[i] = (long)value;
    }
    untorn_document_free(document);
}

const struct scheme scheme_untorn = {
    .name = "untorn",
    .peer = "untorn_edit of one key, durable",
    .quickness = 4,
    .prepare = prepare_untorn,
    .update = update_untorn,
    .read = read_untorn,
};

const struct scheme scheme_again = {
    .name = "again",
    .peer = "untorn once more, as a control",
    .quickness = 4,
    .prepare = prepare_untorn,
    .update = update_untorn,
    .read = read_untorn,
};

/* ---- by hand ---- */

/* The fastest there is: the document is not even parsed. */
static size_t edit_text(char *text, size_t size, int number, long value)
{
    char digits[32];
    char *at = find_value(text, number);
    pairs_must(at != NULL, "find a key");
    size_t old = strspn(at, "0123456789");
    size_t new = (size_t)snprintf(digits, sizeof digits, "%ld", value);
    memmove(at + new, at + old, size - (size_t)(at - text) - old);
    memcpy(at, digits, new);
    return size - old + new;
}

static void update_recipe(int number, long value)
{
    char text[TEXT_MOST + 32];
    int lock = open("hand/state.json.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    pairs_must(lock >= 0 && flock(lock, LOCK_EX) == 0, "lock a file");
    size_t size = edit_text(text, read_text("hand/state.json", text), number, value);
    hand_replace("hand", "hand/state.json.tmp", "hand/state.json", text, size, UNTORN_DURABLE);
    close(lock);
}

/* Reads, takes its time, replaces: what others wrote meanwhile is lost. */
static void update_unlocked(int number, long value)
{
    char text[TEXT_MOST + 32], temporary[64];
    snprintf(temporary, sizeof temporary, "hand/state.json.%d", number);
    size_t size = edit_text(text, read_text("hand/state.json", text), number, value);
    usleep(2000);
    hand_replace("hand", temporary, "hand/state.json", text, size, UNTORN_CACHE);
}

static void prepare_hand(void)
{
    text_put("hand", "hand/state.json", TEXT_JSON);
}

static void read_hand(long *values)
{
    text_read("hand/state.json", TEXT_JSON, values);
}

const struct scheme scheme_recipe = {
    .name = "recipe",
    .peer = "flock, read, write, fdatasync, rename, fsync of the directory",
    .prepare = prepare_hand,
    .update = update_recipe,
    .read = read_hand,
};

const struct scheme scheme_unlocked = {
    .name = "unlocked",
    .peer = "the recipe without its lock",
    .is_wrong = true,
    .prepare = prepare_hand,
    .update = update_unlocked,
    .read = read_hand,
};

/* ---- Python ---- */

static const char script[] =
    "import os, sys, time\n"
    "import filelock, tomlkit\n"
    "number, updates = int(sys.argv[1]), int(sys.argv[2])\n"
    "folder, name, key = 'python', 'python/state.toml', f'writer-{number:02}'\n"
    "lock = filelock.FileLock(name + '.lock')\n"
    "def now(): return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000\n"
    "def update(value):\n"
    "    with lock:\n"
    "        with open(name) as file: document = tomlkit.parse(file.read())\n"
    "        document[key] = value\n"
    "        with open(name + '.tmp', 'w') as file:\n"
    "            file.write(tomlkit.dumps(document))\n"
    "            file.flush()\n"
    "            os.fsync(file.fileno())\n"
    "        os.replace(name + '.tmp', name)\n"
    "        directory = os.open(folder, os.O_RDONLY)\n"
    "        os.fsync(directory)\n"
    "        os.close(directory)\n"
    "print('ready', flush=True)\n"
    "start = int(sys.stdin.readline())\n"
    "time.sleep(max(0, start - now()) / 1e6)\n"
    "ends = [now()]\n"
    "for value in range(1, updates + 1):\n"
    "    update(value)\n"
    "    ends.append(now())\n"
    "times = [after - before for before, after in zip(ends, ends[1:])]\n"
    "print(updates, ends[-1], len(times), *times, sep='\\n')\n";

static const char *const python_program[] = {"/usr/bin/python3", "-c", script, NULL};

static const char *missing_python(void)
{
    bool found = access("/usr/bin/python3", X_OK) == 0 &&
                 system("/usr/bin/python3 -c 'import filelock, tomlkit' 2>/dev/null") == 0;
    return found ? NULL : "python3-filelock or python3-tomlkit is missing";
}

static void prepare_python(void)
{
    text_put("python", "python/state.toml", TEXT_TOML);
}

static void read_python(long *values)
{
    text_read("python/state.toml", TEXT_TOML, values);
}

const struct scheme scheme_python = {
    .name = "python",
    .peer = "filelock (looks every 50 ms), tomlkit, os.replace, both flushed; 64 start too slowly",
    .most = 16,
    .slowness = 20,
    .missing = missing_python,
    .program = python_program,
    .prepare = prepare_python,
    .read = read_python,
};

const struct scheme *const schemes[] = {
    &scheme_untorn,    &scheme_again, &scheme_recipe,   &scheme_python,
    &scheme_sqlite,    &scheme_lmdb,  &scheme_unlocked, &scheme_set,
    &scheme_set_again, &scheme_git,   &scheme_crudini,  NULL,
};
