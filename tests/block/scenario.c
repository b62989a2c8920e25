#include "scenario.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <untorn.h>

enum { NAME = 64, VALUE = 96 };

/* ---- contents ---- */

static uint64_t mixed(uint64_t number)
{
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
}

static uint64_t chosen(const struct work *work, unsigned update, unsigned file)
{
    return mixed(work->seed * 1000003 + update * 101 + file);
}

/* Around the sizes that file systems treat differently: inline, one block, several. */
static size_t any_size(const struct work *work, unsigned update, unsigned file)
{
    static const size_t sizes[] = {60, 700, 4096, 5000, 8192, 10000, 13000};
    return sizes[chosen(work, update, file) % (sizeof sizes / sizeof sizes[0])];
}

struct blob scenario_text(const struct work *work, unsigned update, unsigned file, size_t size)
{
    char line[NAME];
    struct blob blob = {malloc(size + NAME), 0};
    if (blob.data == NULL)
        place_die("no memory", "a text");
    for (unsigned number = 0; blob.size < size; number++) {
        int length = snprintf(line, sizeof line, "seed %llu update %u file %u line %u\n",
                              (unsigned long long)work->seed, update, file, number);
        memcpy(blob.data + blob.size, line, (size_t)length);
        blob.size += (size_t)length;
    }
    blob.size = size;
    blob.data[size] = 0;
    return blob;
}

static struct blob any_text(const struct work *work, unsigned update, unsigned file)
{
    return scenario_text(work, update, file, any_size(work, update, file));
}

static struct blob nothing(void)
{
    return (struct blob){NULL, 0};
}

static struct blob copy_of(const char *text, size_t size)
{
    struct blob blob = {malloc(size + 1), size};
    if (blob.data == NULL)
        place_die("no memory", "a copy");
    memcpy(blob.data, text, size);
    blob.data[size] = 0;
    return blob;
}

/* ---- one file ---- */

static int write_with(const struct work *work, unsigned update, struct untorn_options options)
{
    struct blob blob = scenario_content(work, update, 0);
    int rc = untorn_write(work->scenario->files[0], blob.data, blob.size, &options, NULL);
    blob_free(&blob);
    return rc;
}

static int replace(const struct work *work, unsigned update)
{
    return write_with(work, update, (struct untorn_options){.keep = 0});
}

static int replace_ordered(const struct work *work, unsigned update)
{
    return write_with(work, update, (struct untorn_options){.level = UNTORN_ORDERED});
}

static int replace_without_history(const struct work *work, unsigned update)
{
    return write_with(work, update, (struct untorn_options){.keep = UNTORN_KEEP_NONE});
}

static int overwrite(const struct work *work, unsigned update)
{
    return write_with(work, update, (struct untorn_options){.keep_inode = true});
}

/* Two pieces, staged before the lock is taken. */
static int stream(const struct work *work, unsigned update)
{
    struct untorn_options options = {.keep = 4};
    struct untorn_writer *writer = NULL;
    struct blob blob = scenario_content(work, update, 0);
    size_t half = blob.size / 2;
    int rc = untorn_writer_begin(work->scenario->files[0], &options, &writer, NULL);
    if (rc == 0)
        rc = untorn_writer_write(writer, blob.data, half, NULL);
    if (rc == 0)
        rc = untorn_writer_write(writer, blob.data + half, blob.size - half, NULL);
    if (rc == 0)
        rc = untorn_writer_commit(writer, NULL);
    untorn_writer_free(writer);
    blob_free(&blob);
    return rc;
}

/* File n is made by update n. */
static int create(const struct work *work, unsigned update)
{
    struct blob blob = scenario_content(work, update, update - 1);
    struct untorn_options options = {.exclusive = true, .parents = true};
    int rc = untorn_write(work->scenario->files[update - 1], blob.data, blob.size, &options, NULL);
    blob_free(&blob);
    return rc;
}

static struct blob created(const struct work *work, unsigned update, unsigned file)
{
    return update > file ? any_text(work, file + 1, file) : nothing();
}

/* The path is a link to a file in another folder. */
static void make_link(const struct work *work)
{
    (void)work;
    if (symlink("../e/f", "d/link") != 0)
        place_die("cannot link", "d/link");
}

static int replace_by_link(const struct work *work, unsigned update)
{
    struct blob blob = scenario_content(work, update, 0);
    int rc = untorn_write("d/link", blob.data, blob.size, NULL, NULL);
    blob_free(&blob);
    return rc;
}

/* Write, write, undo. */
static int undo(const struct work *work, unsigned update)
{
    struct untorn_options options = {.keep = 2};
    return update % 3 == 0 ? untorn_undo(work->scenario->files[0], NULL, NULL, &options, NULL)
                           : write_with(work, update, options);
}

static struct blob undone(const struct work *work, unsigned update, unsigned file)
{
    return any_text(work, update > 0 && update % 3 == 0 ? update - 2 : update, file);
}

/* ---- logs ---- */

/* A JSON record, or none that is one. */
static struct blob record_of(const struct work *work, unsigned update)
{
    bool json = strstr(work->scenario->files[0], ".jsonl") != NULL;
    struct blob blob = any_text(work, update, 0);
    for (size_t i = 0; i < blob.size; i++)
        if (blob.data[i] == '\n')
            blob.data[i] = ' ';
    if (json)
        blob.data[0] = blob.data[blob.size - 2] = '"';
    blob.data[blob.size - 1] = '\n';
    return blob;
}

static int append(const struct work *work, unsigned update)
{
    struct blob blob = record_of(work, update);
    int rc = untorn_append(work->scenario->files[0], blob.data, blob.size, UNTORN_RECORDS_BY_NAME,
                           NULL, NULL);
    blob_free(&blob);
    return rc;
}

static struct blob appended(const struct work *work, unsigned update, unsigned file)
{
    (void)file;
    struct blob all = copy_of("", 0);
    for (unsigned i = 0; i <= update; i++) {
        struct blob record = record_of(work, i), longer = blob_join(&all, &record);
        blob_free(&all);
        blob_free(&record);
        all = longer;
    }
    return all;
}

/* ---- several files ---- */

/* The last file is there after every other update only. */
static struct blob member(const struct work *work, unsigned update, unsigned file)
{
    bool is_last = work->scenario->files[file + 1] == NULL;
    return is_last && update % 2 == 1 ? nothing() : any_text(work, update, file);
}

static int commit_members(const struct work *work, unsigned update, const char *const *files,
                          unsigned first, struct untorn_options options)
{
    struct untorn_transaction *all = NULL;
    int rc = untorn_transaction_begin(&options, &all, NULL);
    for (unsigned i = first; rc == 0 && files[i] != NULL; i++) {
        struct blob blob = scenario_content(work, update, i);
        if (blob.data != NULL)
            rc = untorn_transaction_put(all, files[i], blob.data, blob.size, NULL, NULL);
        else
            rc = untorn_transaction_remove(all, files[i], NULL, NULL);
        blob_free(&blob);
    }
    if (rc == 0)
        rc = untorn_transaction_commit(all, NULL);
    untorn_transaction_free(all);
    return rc;
}

static int commit(const struct work *work, unsigned update)
{
    return commit_members(work, update, work->scenario->files, 0, (struct untorn_options){0});
}

static int commit_ordered(const struct work *work, unsigned update)
{
    struct untorn_options options = {.level = UNTORN_ORDERED};
    return commit_members(work, update, work->scenario->files, 0, options);
}

/* Commit, undo. */
static int undo_commit(const struct work *work, unsigned update)
{
    return update % 2 == 1 ? commit(work, update)
                           : untorn_undo(work->scenario->files[0], NULL, NULL, NULL, NULL);
}

static struct blob commit_undone(const struct work *work, unsigned update, unsigned file)
{
    return any_text(work, update % 2 == 1 ? update : 0, file);
}

/* ---- documents ---- */

static const char *const documents[] = {
    "{\n  \"n\": 0, // the latest\n  \"made\": {}\n}\n",
    "# settings\nn = 0   # the latest\n\n[made]\n",
};

static int edit_with(const struct work *work, unsigned update, struct untorn_document *document)
{
    char number[16], key[NAME], value[VALUE];
    snprintf(number, sizeof number, "%u", update);
    snprintf(key, sizeof key, "made.k%u", update);
    snprintf(value, sizeof value, "value %u of seed %llu", update, (unsigned long long)work->seed);
    struct untorn_edit edits[] = {
        {.kind = UNTORN_SET, .key = "n", .value = number, .value_size = strlen(number)},
        {.kind = UNTORN_SET, .key = key, .value = value, .value_size = strlen(value)},
    };
    if (document != NULL)
        return untorn_document_edit(document, edits, 2, NULL);
    const char *path = work->scenario->files[update % 2];
    return untorn_edit(path, edits, 2, NULL, NULL, NULL);
}

/* The two documents take turns. */
static int edit(const struct work *work, unsigned update)
{
    return edit_with(work, update, NULL);
}

/* The same edits, in memory. */
static struct blob edited(const struct work *work, unsigned update, unsigned file)
{
    struct untorn_document *document;
    const char *path = work->scenario->files[file];
    size_t size;
    if (untorn_document_parse(documents[file], strlen(documents[file]), untorn_format_of_path(path),
                              &document, NULL) != 0)
        place_die("does not parse", path);
    for (unsigned i = 1; i <= update; i++)
        if (i % 2 == file && edit_with(work, i, document) != 0)
            place_die("cannot be edited", path);
    const char *text = untorn_document_text(document, &size);
    struct blob blob = copy_of(text, size);
    untorn_document_free(document);
    return blob;
}

/* ---- a crowd ---- */

static void key_of(unsigned process, unsigned update, char key[NAME])
{
    snprintf(key, NAME, "p%u_%u", process, update);
}

static void value_of(const struct work *work, unsigned process, unsigned update, char value[VALUE])
{
    snprintf(value, VALUE, "made by %u as %u of seed %llu", process, update,
             (unsigned long long)work->seed);
}

static int ensure(const struct work *work, unsigned process, unsigned update)
{
    char key[NAME], value[VALUE];
    struct untorn_document *document;
    const struct untorn_node *node;
    key_of(process, update, key);
    value_of(work, process, update, value);
    struct untorn_edit wanted = {
        .key = key, .value = value, .value_size = strlen(value), .syntax = UNTORN_AS_STRING};
    int rc = untorn_ensure(work->scenario->files[0], &wanted, NULL, NULL, &document, &node, NULL);
    untorn_document_free(document);
    return rc;
}

static struct blob empty_document(const struct work *work, unsigned update, unsigned file)
{
    (void)work, (void)update, (void)file;
    return copy_of("{\"base\": true}\n", 15);
}

static bool has_key(const struct work *work, const struct untorn_node *root, unsigned process,
                    unsigned update)
{
    char key[NAME], value[VALUE];
    key_of(process, update, key);
    value_of(work, process, update, value);
    const struct untorn_node *node = untorn_node_member(root, key, strlen(key));
    return node != NULL && strcmp(untorn_node_text(node, NULL), value) == 0;
}

bool scenario_is_of_crowd(const struct work *work, const struct blob *blob,
                          unsigned ret_made[CROWD])
{
    struct untorn_document *document;
    size_t known = 1;
    if (blob->data == NULL ||
        untorn_document_parse(blob->data, blob->size, UNTORN_JSON, &document, NULL) != 0)
        return false;
    const struct untorn_node *root = untorn_document_root(document);
    for (unsigned process = 0; process < CROWD; process++) {
        ret_made[process] = 0;
        while (has_key(work, root, process, ret_made[process] + 1))
            ret_made[process]++;
        known += ret_made[process];
    }
    bool whole = untorn_node_count(root) == known && untorn_node_member(root, "base", 4) != NULL;
    untorn_document_free(document);
    return whole;
}

/* ---- the command ---- */

/* Runs it; the bytes are its standard input. As a function of untorn returns. */
static int run(const struct work *work, char *const words[], const struct blob *input)
{
    int status, fds[2];
    if (pipe(fds) != 0)
        place_die("no pipe", work->command);
    pid_t child = fork();
    if (child == 0) {
        dup2(fds[0], STDIN_FILENO);
        close(fds[1]);
        execv(work->command, words);
        _exit(125);
    }
    close(fds[0]);
    /* It is at most 13000 bytes: they fit into the pipe. */
    if (input != NULL && write(fds[1], input->data, input->size) != (ssize_t)input->size)
        place_die("cannot write to", work->command);
    close(fds[1]);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) == 125)
        place_die("did not run", work->command);
    return WEXITSTATUS(status) == 7 ? UNTORN_UNSETTLED_FLUSH : -WEXITSTATUS(status);
}

static char COMMAND_WORD[] = "untorn";

/* Write a; set n; commit a and b; undo that. */
static int use_command(const struct work *work, unsigned update)
{
    char number[16], a[] = "d/a", b[] = "e/b", both_b[] = "e/b=-";
    char document[] = "d/app.toml", n[] = "n";
    char *const write_words[] = {COMMAND_WORD, (char[]){"write"}, a, NULL};
    char *const set_words[] = {COMMAND_WORD, (char[]){"set"}, document, n, number, NULL};
    char *const commit_words[] = {COMMAND_WORD, (char[]){"commit"}, (char[]){"d/a=d/source"},
                                  both_b, NULL};
    char *const undo_words[] = {COMMAND_WORD, (char[]){"undo"}, b, NULL};
    struct blob blob = scenario_content(work, update, update % 4 == 3 ? 1 : 0);
    int rc;
    snprintf(number, sizeof number, "%u", update);
    if (update % 4 == 1)
        rc = run(work, write_words, &blob);
    else if (update % 4 == 2)
        rc = run(work, set_words, NULL);
    else if (update % 4 == 3)
        rc = run(work, commit_words, &blob);
    else
        rc = run(work, undo_words, NULL);
    blob_free(&blob);
    return rc;
}

static struct blob by_command(const struct work *work, unsigned update, unsigned file)
{
    char text[NAME];
    unsigned turn = update % 4, round = update - turn;
    if (file == 2) {
        unsigned n = update < 2 ? 0 : turn >= 2 ? round + 2 : round - 2;
        return copy_of(text, (size_t)snprintf(text, sizeof text, "# by command\nn = %u\n", n));
    }
    if (turn == 3) /* of a what lies in the source, of b its own */
        return any_text(work, file == 0 ? UPDATES : update, file);
    if (file == 1 || update == 0)
        return any_text(work, 0, file);
    return any_text(work, turn > 0 ? round + 1 : round - 3, file);
}

static void make_source(const struct work *work)
{
    struct blob blob = any_text(work, UPDATES, 0);
    blob_write(".", "d/source", &blob, 0644);
    blob_free(&blob);
}

/* ---- all of them ---- */

static const struct scenario scenarios[] = {
    {"replace", {"d/f"}, REPEATABLE | KEEPS, replace, any_text, NULL},
    {"replace-ordered", {"d/f"}, ORDERED, replace_ordered, any_text, NULL},
    {"replace-keep-none", {"d/f"}, HISTORY_OFF, replace_without_history, any_text, NULL},
    {"stream", {"d/f"}, REPEATABLE | KEEPS, stream, any_text, NULL},
    {"create", {"d/a", "d/b", "e/c", "d/new/f", "d/g"}, 0, create, created, NULL},
    {"in-place", {"d/f"}, IN_PLACE | REPEATABLE, overwrite, any_text, NULL},
    {"link", {"e/f"}, REPEATABLE | KEEPS, replace_by_link, any_text, make_link},
    {"undo", {"d/f"}, KEEPS, undo, undone, NULL},
    {"append", {"d/log.jsonl"}, APPENDS, append, appended, NULL},
    {"append-text", {"d/log"}, APPENDS, append, appended, NULL},
    {"set", {"d/a", "d/b", "d/c", "d/x"}, REPEATABLE, commit, any_text, NULL},
    {"set-two-folders", {"d/a", "e/b", "d/c", "e/x"}, REPEATABLE, commit, any_text, NULL},
    {"set-removing", {"d/a", "e/b", "d/x"}, 0, commit, member, NULL},
    {"set-ordered", {"d/a", "e/b"}, ORDERED, commit_ordered, any_text, NULL},
    {"undo-set", {"d/a", "e/b"}, 0, undo_commit, commit_undone, NULL},
    {"edit", {"d/app.jsonc", "e/app.toml"}, 0, edit, edited, NULL},
    {"ensure", {"d/map.json"}, CROWDED, NULL, empty_document, NULL},
    {"command", {"d/a", "e/b", "d/app.toml"}, BY_COMMAND, use_command, by_command, make_source},
};

enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0], BROKEN = 5 };

static const struct scenario *const broken[BROKEN] = {
    &scenario_no_flush,  &scenario_no_directory_flush, &scenario_no_stage_flush,
    &scenario_overwrite, &scenario_two_replaces,
};

static const struct scenario *scenario_at(unsigned index)
{
    return index < SCENARIOS ? &scenarios[index] : broken[index - SCENARIOS];
}

const struct scenario *scenario_find(const char *name)
{
    for (unsigned i = 0; i < SCENARIOS + BROKEN; i++)
        if (strcmp(scenario_at(i)->name, name) == 0)
            return scenario_at(i);
    return NULL;
}

void scenario_list(void)
{
    for (unsigned i = 0; i < SCENARIOS + BROKEN; i++)
        printf("%s%s\n", scenario_at(i)->name, i < SCENARIOS ? "" : " (broken)");
}

unsigned scenario_file_count(const struct scenario *scenario)
{
    unsigned count = 0;
    while (scenario->files[count] != NULL)
        count++;
    return count;
}

struct blob scenario_content(const struct work *work, unsigned update, unsigned file)
{
    return work->scenario->content(work, update, file);
}

const struct blob *scenario_known(const struct work *work, unsigned update, unsigned file)
{
    static struct {
        bool known;
        struct blob blob;
    } table[UPDATES][FILES];
    static const struct scenario *scenario;
    static uint64_t seed;
    if (scenario != work->scenario || seed != work->seed) {
        for (unsigned i = 0; i < UPDATES * FILES; i++)
            blob_free(&table[i / FILES][i % FILES].blob);
        memset(table, 0, sizeof table);
    }
    scenario = work->scenario;
    seed = work->seed;
    if (!table[update][file].known)
        table[update][file].blob = scenario_content(work, update, file);
    table[update][file].known = true;
    return &table[update][file].blob;
}

void scenario_prepare(const struct work *work)
{
    const struct scenario *scenario = work->scenario;
    place_make("d");
    place_make("e");
    for (unsigned i = 0; i < scenario_file_count(scenario); i++) {
        struct blob blob = scenario_content(work, 0, i);
        if (blob.data != NULL)
            blob_write(".", scenario->files[i], &blob, 0644);
        blob_free(&blob);
    }
    if (scenario->prepare != NULL)
        scenario->prepare(work);
}

int scenario_act(const struct work *work, unsigned process, unsigned update)
{
    if (work->scenario->traits & CROWDED)
        return ensure(work, process, update);
    return work->scenario->act(work, update);
}
