#include "state.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "place.h"

enum { ENTRIES = 256, OPEN_FOLDERS = 16, DIGITS = 16, SMALL = 1 << 16, HEAD = 512, HASH = 16 };

struct entry {
    char *path;
    struct stat about;
    uint64_t birth; /* in nanoseconds */
};

struct tree {
    size_t count;
    struct entry entries[ENTRIES];
};

static struct tree before, after;

static uint64_t mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

uint64_t state_with(uint64_t state, uint64_t number)
{
    return mix(state, number);
}

/* ---- what is there ---- */

static uint64_t birth_of(const char *path)
{
    struct statx about;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &about) != 0)
        return 0;
    return (uint64_t)about.stx_btime.tv_sec * 1000000000u + about.stx_btime.tv_nsec;
}

/* nftw hands nothing through: what its visitor fills. */
static struct tree *listed;

static int list_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)type, (void)where;
    if (listed->count == ENTRIES)
        place_die("too many files to compare", path);
    struct entry *entry = &listed->entries[listed->count++];
    *entry = (struct entry){strdup(path), *about, birth_of(path)};
    return entry->path == NULL;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static void list(const char *directory, struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        free(tree->entries[i].path);
    tree->count = 0;
    listed = tree;
    if (nftw(directory, list_one, OPEN_FOLDERS, FTW_PHYS) != 0)
        place_die("cannot list", directory);
    qsort(tree->entries, tree->count, sizeof tree->entries[0], by_path);
}

void state_begin(const char *directory)
{
    list(directory, &before);
}

/* ---- numbers that name a file ---- */

/* A bit for each number that may be one, by its last digits: most are none. */
static uint64_t maybe[SMALL / 64];

static void note_numbers(const struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        uint64_t numbers[] = {tree->entries[i].about.st_ino, tree->entries[i].birth};
        for (size_t k = 0; k < 2; k++)
            maybe[numbers[k] % SMALL / 64] |= 1ull << numbers[k] % 64;
    }
}

/* Which entry has this inode, from 2 on; 1: some came to be then, often several at once; 0: none.
 */
static uint64_t named_in(const struct tree *tree, uint64_t number)
{
    uint64_t named = 0;
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->entries[i].about.st_ino == number)
            return i + 2;
        if (tree->entries[i].birth == number)
            named = 1;
    }
    return named;
}

static uint64_t named_by(uint64_t number)
{
    if (number == 0 || (maybe[number % SMALL / 64] >> number % 64 & 1) == 0)
        return 0;
    uint64_t now = named_in(&after, number), once = named_in(&before, number);
    return now > 0 ? now : once > 1 ? once + ENTRIES : once;
}

/* ---- what it says ---- */

/* Fields that differ between any two runs (docs/format): ids, times, and hashes over those and over
 * the numbers of inodes. */
static const struct field {
    const char *folder;
    size_t from, to;
} varying[] = {
    {"/journal/", 32, 48},   {"/journal/", 80, 96}, {"/journal/", 496, 512},
    {"/inplace/", 496, 512}, {"/set/", 32, 56},
};

/* Where the varying field ends that `at` is in; `at` itself if it is in none. */
static size_t skip_varying(const char *path, size_t at, size_t size)
{
    for (size_t i = 0; i < sizeof varying / sizeof varying[0]; i++)
        if (at >= varying[i].from && at < varying[i].to && strstr(path, varying[i].folder) != NULL)
            return varying[i].to;
    bool is_last_hash = at + HASH >= size && strstr(path, "/set/") != NULL;
    return is_last_hash ? size : at;
}

/* 16 hexadecimal digits name a file, are small, or are any; true if `text` begins with such. */
static bool mix_digits(uint64_t *hash, const char *text)
{
    char digits[DIGITS + 1];
    if (strspn(text, "0123456789abcdef") < DIGITS)
        return false;
    memcpy(digits, text, DIGITS);
    digits[DIGITS] = 0;
    uint64_t number = strtoull(digits, NULL, 16), named = named_by(number);
    *hash = mix(mix(*hash, named), number < SMALL && named == 0 ? number : SMALL);
    return true;
}

static bool mix_number(uint64_t *hash, const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    uint64_t named = named_by(word);
    if (named > 0)
        *hash = mix(mix(*hash, UINT64_MAX), named);
    return named > 0;
}

static uint64_t record_mixed(uint64_t hash, const char *path, const struct blob *blob)
{
    size_t at = 0;
    while (at < blob->size) {
        size_t left = blob->size - at;
        size_t next = at < HEAD || left <= HASH ? skip_varying(path, at, blob->size) : at;
        if (next > at)
            at = next;
        else if (left >= sizeof(uint64_t) && mix_number(&hash, blob->data + at))
            at += sizeof(uint64_t);
        else if (mix_digits(&hash, blob->data + at)) /* there is a NUL behind the last byte */
            at += DIGITS;
        else
            hash = mix(hash, (unsigned char)blob->data[at++]);
    }
    return mix(hash, blob->size);
}

static uint64_t text_mixed(uint64_t hash, const struct blob *blob)
{
    uint64_t word;
    size_t at = 0;
    for (; at + sizeof word <= blob->size; at += sizeof word) {
        memcpy(&word, blob->data + at, sizeof word);
        hash = mix(hash, word);
    }
    for (; at < blob->size; at++)
        hash = mix(hash, (unsigned char)blob->data[at]);
    return mix(hash, blob->size);
}

/* Who holds or held a lock, for people: without the numbers, and without the room behind it. */
static uint64_t holder_mixed(uint64_t hash, const struct blob *blob)
{
    for (size_t at = 0; at < blob->size && blob->data[at] != 0; at++) {
        size_t digits = strspn(blob->data + at, "0123456789");
        at += digits > 1 ? digits - 1 : 0;
        hash = mix(hash, digits > 0 ? '#' : (unsigned char)blob->data[at]);
    }
    return hash;
}

static uint64_t content_mixed(uint64_t hash, const char *path)
{
    struct blob blob = blob_read("/", path + 1);
    if (strstr(path, "/lock/") != NULL || strstr(path, "/inner/") != NULL)
        hash = holder_mixed(hash, &blob);
    else if (blob.size > 0 && memchr(blob.data, 0, blob.size) != NULL)
        hash = record_mixed(hash, path, &blob);
    else
        hash = text_mixed(hash, &blob);
    blob_free(&blob);
    return hash;
}

static uint64_t name_mixed(uint64_t hash, const char *name)
{
    while (*name != 0) {
        if (mix_digits(&hash, name))
            name += DIGITS;
        else
            hash = mix(hash, (unsigned char)*name++);
    }
    return hash;
}

static uint64_t entry_mixed(uint64_t hash, const struct entry *entry)
{
    char link[PATH_MAX];
    ssize_t length = S_ISLNK(entry->about.st_mode) ? readlink(entry->path, link, sizeof link) : 0;
    for (ssize_t i = 0; i < length; i++)
        hash = mix(hash, (unsigned char)link[i]);
    hash = mix(hash, entry->about.st_mode);
    hash = mix(hash, ((uint64_t)entry->about.st_uid << 32) + entry->about.st_gid);
    if (!S_ISREG(entry->about.st_mode))
        return hash;
    return content_mixed(mix(hash, entry->about.st_nlink), entry->path);
}

uint64_t state_of(const char *directory)
{
    uint64_t hash = 1;
    list(directory, &after);
    memset(maybe, 0, sizeof maybe);
    note_numbers(&before);
    note_numbers(&after);
    for (size_t i = 0; i < after.count; i++) {
        hash = name_mixed(hash, after.entries[i].path + strlen(directory));
        hash = entry_mixed(hash, &after.entries[i]);
    }
    return hash;
}

/* ---- which were seen ---- */

bool states_have(struct states *states, uint64_t state)
{
    for (size_t i = 0; i < STATES; i++) {
        uint64_t known = atomic_load(&states->known[(state + i) % STATES]);
        if (known == state || known == 0)
            return known == state;
    }
    return false;
}

void states_add(struct states *states, uint64_t state)
{
    for (size_t i = 0; i < STATES; i++) {
        uint64_t empty = 0;
        _Atomic uint64_t *place = &states->known[(state + i) % STATES];
        if (atomic_compare_exchange_strong(place, &empty, state) || empty == state)
            return;
    }
}
