/* What somebody put where earlier versions and the records of commits lie. On the simulated disk:
 * two files that were committed together, beside them whatever the input plants, then what a user
 * does. The input: a byte for that, then entries, each a letter, a name up to a NUL and content up
 * to a NUL:
 *
 *     n   a file of that name in history       v   the same, with a name that fits the content
 *     l   a second name of the user's file     d   a folder
 *     y   a symbolic link out of the directory r   a record; m one with members: see plant_record
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <untorn.h>

#include "file/versions.h"
#include "os/sim/sim.h"
#include "txn/record.h"

#define NEXT "a3"
enum { SOMEBODY = 7, ENTRIES_MAX = 12, KEEP = 2 };

static const char *const files[] = {"/d/a", "/d/b", "/e/x"};
enum { FILES = sizeof files / sizeof *files };

static void save(const char *a, const char *b)
{
    struct untorn_options options = {.level = UNTORN_CACHE, .keep = 4};
    struct untorn_transaction *both = NULL;
    REQUIRE(untorn_transaction_begin(&options, &both, NULL) == 0);
    REQUIRE(untorn_transaction_put(both, files[0], a, strlen(a), NULL, NULL) == 0);
    REQUIRE(untorn_transaction_put(both, files[1], b, strlen(b), NULL, NULL) == 0);
    REQUIRE(untorn_transaction_commit(both, NULL) == 0);
    untorn_transaction_free(both);
}

static void begin(void)
{
    sim_start(&(struct sim_options){.unit = 512});
    sim_make_dir("/d");
    sim_make_dir("/e");
    sim_put(files[2], "x1");
    save("a1", "b1");
    save("a2", "b2");
}

/* ---- planting ---- */

static void give_away(const char *path)
{
    struct sim_attributes attributes = sim_attributes(path);
    attributes.owner = attributes.group = SOMEBODY;
    sim_set_attributes(path, &attributes);
}

/* No newline either: sim_tree, by which the versions are counted, has a line for each. */
static bool is_single_name(const char *name)
{
    return *name && strlen(name) <= 255 && !strpbrk(name, "/\n") && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

/* A name that counts is the only one of what it says. */
static void check_name(const char *name)
{
    struct version version;
    char again[VERSION_NAME_SIZE];
    if (!version_parse(name, &version))
        return;
    version_name(&version, again);
    REQUIRE(strcmp(again, name) == 0);
}

/* The digits of `text` as far as it has any. */
static void fit_name(const char *text, const struct fuzz_text *content, char name[])
{
    struct version version = {.hash = untorn_hash(content->data, content->size)};
    version.sequence = strtoull(text, NULL, 16) % (UINT64_MAX / 2);
    const char *set = strchr(text, '.');
    if (set && strspn(set + 1, "0123456789abcdef") >= VERSION_SET)
        memcpy(version.set, set + 1, VERSION_SET);
    version_name(&version, name);
}

/* Any commit of the two, as their versions name it, or none. */
static void take_id(unsigned char id[RECORD_ID])
{
    struct version version;
    const char *tree = sim_tree("/d/.untorn/history/a"), *slash = strrchr(tree, '/');
    struct untorn_hash digits;
    char name[VERSION_NAME_SIZE] = "";
    if (slash)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(slash + 1, "\n"), slash + 1);
    if (version_parse(name, &version) && untorn_hash_parse(version.set, &digits))
        memcpy(id, digits.bytes, RECORD_ID);
}

/* A member for every three bytes: which file, whether it was and is there, what was in it. */
static void plant_record(const char *path, const struct fuzz_text *text)
{
    static const char *const texts[] = {"a1", "a2", "b1", "b2", "x1", ""};
    static const char *const folders[] = {"/d", "/e", "/"}, *const names[] = {"a", "b", "x"};
    struct record_member members[8] = {{0}};
    struct record record = {.sequence = UINT64_MAX, .time = 1700000000, .members = members};
    const unsigned char *at = (const unsigned char *)text->data;
    size_t size;
    take_id(record.id);
    for (; record.count < 8 && 3 * record.count + 2 < text->size; at += 3) {
        struct record_member *member = &members[record.count++];
        const char *before = texts[at[1] % 6], *after = texts[at[2] % 6];
        member->directory = folders[at[0] % 3];
        member->name = names[at[0] / 3 % 3];
        member->was = at[0] & 64;
        member->is = at[0] & 128;
        member->before = untorn_hash(before, strlen(before));
        member->after = untorn_hash(after, strlen(after));
    }
    unsigned char *data = record_encode(&record, "/d", &size);
    REQUIRE(data != NULL);
    sim_put_bytes(path, data, size);
    free(data);
}

static void plant_raw_record(const char *path, struct fuzz_text *text)
{
    enum { CHECK = 16 };
    if (text->size > CHECK) {
        struct untorn_hash check = untorn_hash(text->data, text->size - CHECK);
        memcpy(text->data + text->size - CHECK, check.bytes, CHECK);
    }
    sim_put_bytes(path, text->data, text->size);
}

static void plant(int kind, const char *name, struct fuzz_text *content)
{
    char path[600], fitting[VERSION_NAME_SIZE];
    bool record = kind == 'r' || kind == 'm';
    if (kind == 'v') {
        fit_name(name, content, fitting);
        name = fitting;
    }
    snprintf(path, sizeof path, "/d/.untorn/%s/%s", record ? "set" : "history/a", name);
    if (sim_exists(path))
        sim_remove(path);
    if (kind == 'd')
        sim_make_dir(path);
    else if (kind == 'y')
        sim_symlink(path, files[2]);
    else if (kind == 'l')
        sim_hard_link(path, files[0]);
    else if (kind == 'r')
        plant_raw_record(path, content);
    else if (kind == 'm')
        plant_record(path, content);
    else
        sim_put_bytes(path, content->data, content->size);
    if (kind != 'y' && kind != 'l')
        give_away(path);
}

static void plant_all(struct fuzz_input *input)
{
    for (int i = 0; i < ENTRIES_MAX && input->left > 0; i++) {
        int kind = fuzz_byte(input);
        char *name = fuzz_string(input);
        struct fuzz_text content = kind == 'r' ? fuzz_rest(input) : fuzz_field(input);
        check_name(name);
        if (is_single_name(name))
            plant(kind, name, &content);
        free(content.data);
        free(name);
    }
}

/* ---- what a user does ---- */

/* What is given out as whole is what it says. */
static int look(void *context, const struct untorn_version *version)
{
    struct untorn_content content;
    unsigned *count = context;
    REQUIRE(version->number == ++*count);
    int rc = untorn_version_read(files[0], version->number, NULL, &content, NULL);
    REQUIRE(rc <= 0 && (rc == 0) == version->whole);
    if (rc == 0)
        REQUIRE(untorn_hash_equal(&content.hash, &version->hash) && content.size == version->size);
    untorn_content_free(&content);
    return 0;
}

static unsigned look_at_all(void)
{
    unsigned count = 0;
    REQUIRE(untorn_log(files[0], look, &count, NULL, NULL) <= 0);
    return count;
}

static int write_next(void)
{
    struct untorn_options options = {.level = UNTORN_CACHE, .keep = KEEP};
    int rc = untorn_write(files[0], NEXT, strlen(NEXT), &options, NULL);
    REQUIRE(rc != 0 || strcmp(sim_get(files[0]), NEXT) == 0);
    return rc;
}

static int act(int what)
{
    struct untorn_options options = {.level = UNTORN_CACHE};
    size_t still_open;
    struct untorn_check check = {.repair = what & 1, .abandon = what & 2};
    switch (what % 4) {
    case 0:
        return untorn_undo(files[what / 4 % 2], NULL, NULL, &options, NULL);
    case 1:
        return untorn_restore(files[0], (unsigned)what / 4 % 8, &options, NULL);
    case 2:
        return untorn_check("/d", &check, NULL, &still_open, NULL);
    default:
        return write_next();
    }
}

/* Folders with such a name cannot be removed as a version is. */
static unsigned count_versions(void)
{
    unsigned count = 0;
    struct version version;
    char name[300];
    for (const char *tree = sim_tree("/d/.untorn/history/a"); *tree;
         tree += strcspn(tree, "\n") + 1) {
        const char *entry = tree + strlen("/d/.untorn/history/a/");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(entry, "\n"), entry);
        count +=
            strcspn(tree, "\n") > strlen("/d/.untorn/history/a/") && version_parse(name, &version);
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    int what = fuzz_byte(&input);
    begin();
    plant_all(&input);
    look_at_all();
    (void)act(what);
    look_at_all();
    const char *now = sim_get(files[0]);
    bool differs = now && strcmp(now, NEXT) != 0; /* else nothing is kept, and nothing goes */
    if (write_next() == 0 && differs)
        REQUIRE(count_versions() <= KEEP);
    /* Nothing that is planted reaches another directory, or opens something for good. */
    REQUIRE(sim_get(files[2]) && strcmp(sim_get(files[2]), "x1") == 0);
    REQUIRE(strcmp(sim_tree("/e"), "/e/x\n") == 0 || strstr(sim_tree("/e"), "/e/.untorn"));
    REQUIRE(!sim_misuse() && sim_open_handles() == 0);
    return 0;
}
