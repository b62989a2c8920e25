/* What somebody put where the journal of an overwrite in place lies, and into the lock file. On the
 * simulated disk: a file and its journal, then what a user does. The input: a byte for that, one
 * for what is made to fit (see FIT), the lock file's bytes up to a NUL, the journal's. No fuzzer
 * guesses a hash or an inode: what is tried is what a planted file could hold. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <untorn.h>

#include "base/cursor.h"
#include "file/journal.h"
#include "os/sim/sim.h"

#define OLD "what was there"
#define NEXT "what comes next"
enum { SOMEBODY = 7, AT_OWN = 32, AT_TARGET = 40, AT_OLD = 48, AT_NEW = 56 };
enum { AT_OLD_HASH = 64, AT_NEW_HASH = 80, AT_NAME = 96, AT_CHECK = 496, HASH = 16, NAME = 255 };

enum { FIT_HASHES = 1, FIT_INODES = 2, FIT_NAME = 4, FIT_SIZES = 8, FIT_OLD = 16, GIVEN_AWAY = 32 };

static const char file[] = "/d/a", other[] = "/e/x";
static const char journal[] = "/d/.untorn/inplace/a", lock[] = "/d/.untorn/lock/a";

static void begin(void)
{
    struct untorn_options options = {.level = UNTORN_CACHE, .keep_inode = true};
    sim_start(&(struct sim_options){.unit = 512});
    sim_make_dir("/d");
    sim_make_dir("/e");
    sim_put(other, "x");
    sim_put(file, "before");
    REQUIRE(untorn_write(file, OLD, strlen(OLD), &options, NULL) == 0);
}

/* ---- planting ---- */

static void put_hash(unsigned char *at, const void *data, size_t size)
{
    struct untorn_hash hash = untorn_hash(data, size);
    memcpy(at, hash.bytes, HASH);
}

/* The sizes that the head names, as far as the body has them. */
static void fit_sizes(unsigned char *head, size_t body)
{
    uint64_t old_size = cursor_get(head + AT_OLD, 8);
    old_size = old_size > body ? body : old_size;
    cursor_put(head + AT_OLD, old_size, 8);
    cursor_put(head + AT_NEW, body - old_size, 8);
}

static void fit(unsigned char *data, size_t size, int what)
{
    size_t body = size - JOURNAL_HEAD;
    if (what & FIT_OLD && body >= strlen(OLD)) {
        memcpy(data + JOURNAL_HEAD, OLD, strlen(OLD));
        cursor_put(data + AT_OLD, strlen(OLD), 8);
    }
    if (what & FIT_SIZES)
        fit_sizes(data, body);
    if (what & FIT_INODES) {
        cursor_put(data + AT_OWN, sim_inode(journal), 8);
        cursor_put(data + AT_TARGET, sim_inode(file), 8);
    }
    if (what & FIT_NAME) {
        memset(data + AT_NAME, 0, NAME);
        data[AT_NAME] = 'a';
    }
    uint64_t old_size = cursor_get(data + AT_OLD, 8), new_size = cursor_get(data + AT_NEW, 8);
    if (what & FIT_HASHES && old_size <= body && new_size <= body - old_size) {
        put_hash(data + AT_OLD_HASH, data + JOURNAL_HEAD, old_size);
        put_hash(data + AT_NEW_HASH, data + JOURNAL_HEAD + old_size, new_size);
        put_hash(data + AT_CHECK, data, AT_CHECK);
    }
}

static void give_away(const char *path)
{
    struct sim_attributes attributes = sim_attributes(path);
    attributes.owner = attributes.group = SOMEBODY;
    sim_set_attributes(path, &attributes);
}

/* What the journal says is to come; empty if it is none. */
static struct fuzz_text plant(struct fuzz_input *input, int what)
{
    struct fuzz_text owner = fuzz_field(input), text = fuzz_rest(input);
    unsigned char *data = (unsigned char *)text.data;
    struct fuzz_text to_come = {NULL, 0};
    struct journal head;
    sim_put_bytes(lock, owner.data, owner.size);
    if (text.size >= JOURNAL_HEAD)
        fit(data, text.size, what);
    sim_put_bytes(journal, data, text.size); /* which leaves its inode */
    if (what & GIVEN_AWAY)
        give_away(journal);
    if (text.size >= JOURNAL_HEAD && journal_decode(data, &head) &&
        text.size == JOURNAL_HEAD + head.old_size + head.new_size)
        to_come = fuzz_copy(data + JOURNAL_HEAD + head.old_size, head.new_size);
    free(owner.data);
    free(text.data);
    return to_come;
}

/* ---- what a user does ---- */

static int leave(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    (void)context, (void)old, (void)change;
    return 0;
}

static int act(int what)
{
    struct untorn_options options = {.level = UNTORN_CACHE, .keep_inode = what & 64};
    struct untorn_check check = {.repair = true};
    struct untorn_content content;
    size_t still_open;
    int rc;
    switch (what % 5) {
    case 0:
        return untorn_write(file, NEXT, strlen(NEXT), &options, NULL);
    case 1:
        return untorn_update(file, leave, NULL, &options, NULL);
    case 2:
        return untorn_check("/d", &check, NULL, &still_open, NULL);
    case 3:
        return untorn_append(file, "\n", 1, UNTORN_RECORDS_TEXT, &options, NULL);
    default:
        rc = untorn_read(file, NULL, &content, NULL);
        untorn_content_free(&content);
        return rc;
    }
}

static bool is(const char *expected, size_t size)
{
    size_t have;
    const char *now = sim_get_bytes(file, &have);
    return now && have == size && memcmp(now, expected, size) == 0;
}

/* As it was, or what this user wrote; else only what a journal says that counts: one of its owner,
 * about this file as it was. */
static bool is_explained(const struct fuzz_text *to_come, int what)
{
    if (is(OLD, strlen(OLD)) || is(NEXT, strlen(NEXT)) || is(OLD "\n\n", strlen(OLD) + 2))
        return true;
    size_t size;
    const char *now = sim_get_bytes(file, &size);
    return now && !(what & GIVEN_AWAY) && size >= to_come->size &&
           size <= to_come->size + 2 && /* perhaps a line was added to it */
           (to_come->size == 0 || memcmp(now, to_come->data, to_come->size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct untorn_content content;
    int what = fuzz_byte(&input), made_to_fit = fuzz_byte(&input);
    begin();
    struct fuzz_text to_come = plant(&input, made_to_fit);
    int rc = act(what);
    REQUIRE(rc <= 0);
    REQUIRE(is_explained(&to_come, made_to_fit));
    REQUIRE(untorn_read(file, NULL, &content, NULL) == 0);
    untorn_content_free(&content);
    /* Whatever it was, the next can save. */
    REQUIRE(untorn_write(file, NEXT, strlen(NEXT), NULL, NULL) == 0);
    REQUIRE(is(NEXT, strlen(NEXT)));
    REQUIRE(strcmp(sim_get(other), "x") == 0 && strcmp(sim_tree("/e"), "/e/x\n") == 0);
    REQUIRE(!sim_misuse() && sim_open_handles() == 0);
    free(to_come.data);
    return 0;
}
