#include "txn/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "base/pathtext.h"

enum {
    AT_MAGIC = 0,
    AT_VERSION = 16,
    AT_COUNT = 20,
    AT_SEQUENCE = 24,
    AT_TIME = 32,
    AT_ID = 40,
    AT_BODY_SIZE = 56,
    HEAD = RECORD_HEAD,
    CHECK = 16, /* the hash of all before it, at the end */
    MEMBER_FLAGS = 0,
    MEMBER_NAME_SIZE = 1,
    MEMBER_DIRECTORY_SIZE = 2,
    MEMBER_BEFORE = 4,
    MEMBER_AFTER = 20,
    MEMBER_TEXTS = 36,
    WAS = 1,
    IS = 2,
    VERSION = 1,
};

static const char magic[16] = "untorn file set\n";
static const struct untorn_hash none;

/* ---- directories, relative to the record's own ---- */

/* How many bytes of two absolute paths are the same whole components. */
static size_t common_length(const char *a, const char *b)
{
    size_t common = 0;
    for (size_t i = 0;; i++) {
        bool end_a = a[i] == '/' || !a[i], end_b = b[i] == '/' || !b[i];
        if (end_a && end_b)
            common = i;
        if (!a[i] || a[i] != b[i])
            return common;
    }
}

/* The root as "": then every component has its slash before it. */
static const char *without_root(const char *path)
{
    return strcmp(path, "/") == 0 ? "" : path;
}

/* "" for the same, "sub", "../beside", ... */
static bool make_relative(const char *from, const char *to, char result[LIMIT_PATH])
{
    from = without_root(from);
    to = without_root(to);
    if ((*from && *from != '/') || (*to && *to != '/') || strlen(to) >= LIMIT_PATH)
        return false;
    size_t common = common_length(from, to), used = 0;
    for (const char *at = from + common; *at; at++) {
        if (*at != '/')
            continue;
        if (used + 3 >= LIMIT_PATH)
            return false;
        memcpy(result + used, "../", 3);
        used += 3;
    }
    to += common + (to[common] == '/');
    size_t rest = strlen(to);
    if (used + rest >= LIMIT_PATH)
        return false;
    memcpy(result + used, to, rest + 1);
    if (!rest && used)
        result[used - 1] = '\0'; /* "..", not "../" */
    return true;
}

/* The reverse: where `relative` leads from `from`. */
static bool make_absolute(const char *from, const char *relative, char result[LIMIT_PATH])
{
    from = without_root(from);
    size_t used = strlen(from);
    if ((*from && *from != '/') || used >= LIMIT_PATH)
        return false;
    memcpy(result, from, used + 1);
    while (strncmp(relative, "..", 2) == 0 && (relative[2] == '/' || !relative[2])) {
        char *slash = strrchr(result, '/');
        if (!slash)
            return false;
        *slash = '\0';
        relative += relative[2] ? 3 : 2;
    }
    used = strlen(result);
    if (used + strlen(relative) + 2 > LIMIT_PATH)
        return false;
    if (*relative)
        path_add(path_add(result + used, "/"), relative);
    else if (!used)
        strcpy(result, "/");
    return true;
}

static bool is_plain_component(const char *text, size_t size)
{
    return size > 0 && !(size == 1 && text[0] == '.') && !(size == 2 && memcmp(text, "..", 2) == 0);
}

/* Whether it is what make_relative makes: then two texts are one directory only if they are equal.
 */
static bool is_relative(const char *text, const char *directory)
{
    char absolute[LIMIT_PATH], again[LIMIT_PATH];
    if (!make_absolute(directory, text, absolute) || !make_relative(directory, absolute, again) ||
        strcmp(text, again) != 0)
        return false;
    for (const char *at = without_root(absolute); *at;) {
        size_t size = strcspn(++at, "/");
        if (!is_plain_component(at, size))
            return false;
        at += size;
    }
    return true;
}

/* ---- as bytes ---- */

int record_compare_members(const void *left, const void *right)
{
    const struct record_member *a = left, *b = right;
    int order = strcmp(a->directory, b->directory);
    return order ? order : strcmp(a->name, b->name);
}

static unsigned char *add_member(unsigned char *at, const struct record_member *member,
                                 const char *relative)
{
    size_t name = strlen(member->name), directory = strlen(relative);
    at[MEMBER_FLAGS] = (unsigned char)((member->was ? WAS : 0) | (member->is ? IS : 0));
    at[MEMBER_NAME_SIZE] = (unsigned char)name;
    cursor_put(at + MEMBER_DIRECTORY_SIZE, directory, 2);
    memcpy(at + MEMBER_BEFORE, member->was ? member->before.bytes : none.bytes, 16);
    memcpy(at + MEMBER_AFTER, member->is ? member->after.bytes : none.bytes, 16);
    memcpy(at + MEMBER_TEXTS, member->name, name);
    memcpy(at + MEMBER_TEXTS + name, relative, directory);
    return at + MEMBER_TEXTS + name + directory;
}

static size_t most_size(const struct record *record, const char *directory)
{
    size_t size = HEAD + CHECK, up = 3 * strlen(directory);
    for (size_t i = 0; i < record->count; i++)
        size += MEMBER_TEXTS + strlen(record->members[i].name) +
                strlen(record->members[i].directory) + up;
    return size;
}

unsigned char *record_encode(struct record *record, const char *directory, size_t *ret_size)
{
    char relative[LIMIT_PATH];
    unsigned char *data = malloc(most_size(record, directory));
    if (!data)
        return NULL;
    unsigned char *at = data + HEAD;
    qsort(record->members, record->count, sizeof *record->members, record_compare_members);
    for (size_t i = 0; i < record->count; i++) {
        const struct record_member *member = &record->members[i];
        if (!make_relative(directory, member->directory, relative) ||
            strlen(member->name) > LIMIT_NAME) {
            free(data);
            return NULL;
        }
        at = add_member(at, member, relative);
    }
    memcpy(data + AT_MAGIC, magic, sizeof magic);
    cursor_put(data + AT_VERSION, VERSION, 4);
    cursor_put(data + AT_COUNT, record->count, 4);
    cursor_put(data + AT_SEQUENCE, record->sequence, 8);
    cursor_put(data + AT_TIME, (uint64_t)record->time, 8);
    memcpy(data + AT_ID, record->id, RECORD_ID);
    cursor_put(data + AT_BODY_SIZE, (uint64_t)(at - data - HEAD), 8);
    struct untorn_hash check = untorn_hash(data, (size_t)(at - data));
    memcpy(at, check.bytes, CHECK);
    *ret_size = (size_t)(at - data) + CHECK;
    return data;
}

/* The bytes of the members, being taken apart. */
struct body {
    const unsigned char *at;
    size_t left;
    const char *directory; /* of the record */
    char *texts;           /* where the next text goes */
};

static bool take_text(struct body *body, size_t size, char *result)
{
    if (size > body->left || memchr(body->at, '\0', size))
        return false;
    memcpy(result, body->at, size);
    result[size] = '\0';
    body->at += size;
    body->left -= size;
    return true;
}

static bool is_single_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static bool take_member(struct body *body, struct record_member *ret_member)
{
    char relative[LIMIT_PATH];
    if (body->left < MEMBER_TEXTS)
        return false;
    const unsigned char *head = body->at;
    size_t directory = (size_t)cursor_get(head + MEMBER_DIRECTORY_SIZE, 2);
    body->at += MEMBER_TEXTS;
    body->left -= MEMBER_TEXTS;
    ret_member->was = head[MEMBER_FLAGS] & WAS;
    ret_member->is = head[MEMBER_FLAGS] & IS;
    memcpy(ret_member->before.bytes, head + MEMBER_BEFORE, 16);
    memcpy(ret_member->after.bytes, head + MEMBER_AFTER, 16);
    ret_member->name = body->texts;
    if (head[MEMBER_FLAGS] > (WAS | IS) || directory >= LIMIT_PATH ||
        (!ret_member->was && !untorn_hash_equal(&ret_member->before, &none)) ||
        (!ret_member->is && !untorn_hash_equal(&ret_member->after, &none)) ||
        !take_text(body, head[MEMBER_NAME_SIZE], body->texts) || !is_single_name(body->texts) ||
        !take_text(body, directory, relative) || !is_relative(relative, body->directory))
        return false;
    body->texts += strlen(body->texts) + 1;
    ret_member->directory = body->texts;
    if (!make_absolute(body->directory, relative, body->texts))
        return false;
    body->texts += strlen(body->texts) + 1;
    return true;
}

static bool has_head(const unsigned char *data, size_t size)
{
    if (size < HEAD + CHECK || memcmp(data + AT_MAGIC, magic, sizeof magic) != 0 ||
        cursor_get(data + AT_VERSION, 4) != VERSION ||
        cursor_get(data + AT_BODY_SIZE, 8) != size - HEAD - CHECK ||
        cursor_get(data + AT_COUNT, 4) > (size - HEAD - CHECK) / MEMBER_TEXTS ||
        cursor_get(data + AT_COUNT, 4) > LIMIT_MEMBERS)
        return false;
    struct untorn_hash check = untorn_hash(data, size - CHECK);
    return memcmp(data + size - CHECK, check.bytes, CHECK) == 0;
}

/* As record_changes. */
static bool is_change(const unsigned char *at)
{
    unsigned there = at[MEMBER_FLAGS];
    return (there != 0 && there != (WAS | IS)) ||
           memcmp(at + MEMBER_BEFORE, at + MEMBER_AFTER, 16) != 0;
}

static size_t texts_of(const unsigned char *at)
{
    return at[MEMBER_NAME_SIZE] + (size_t)cursor_get(at + MEMBER_DIRECTORY_SIZE, 2);
}

/* The names of those that changed, or of those that did not. */
static size_t hash_names(struct hash_stream *stream, const unsigned char *data, bool changed)
{
    size_t count = (size_t)cursor_get(data + AT_COUNT, 4), hashed = 0;
    const unsigned char *at = data + HEAD;
    for (size_t i = 0; i < count; i++) {
        if (is_change(at) == changed) {
            hash_add(stream, at + MEMBER_NAME_SIZE, 3); /* where each text ends */
            hash_add(stream, at + MEMBER_TEXTS, texts_of(at));
            hashed++;
        }
        at += MEMBER_TEXTS + texts_of(at);
    }
    return hashed;
}

struct untorn_hash record_list_hash(const unsigned char *data)
{
    struct hash_stream stream;
    hash_begin(&stream);
    if (hash_names(&stream, data, true) == 0) {
        hash_add(&stream, none.bytes, 1); /* no name is so short: a list of another kind */
        hash_names(&stream, data, false);
    }
    return hash_end(&stream);
}

uint64_t record_sequence(const unsigned char head[RECORD_HEAD])
{
    return memcmp(head, magic, sizeof magic) == 0 ? cursor_get(head + AT_SEQUENCE, 8) : 0;
}

int record_decode(const unsigned char *data, size_t size, const char *directory,
                  struct record *ret_record)
{
    memset(ret_record, 0, sizeof *ret_record);
    if (!has_head(data, size) || *directory != '/')
        return -ENODATA;
    size_t count = (size_t)cursor_get(data + AT_COUNT, 4);
    struct record record = {
        .sequence = cursor_get(data + AT_SEQUENCE, 8),
        .time = (int64_t)cursor_get(data + AT_TIME, 8),
        .count = count,
        .members = calloc(count + 1, sizeof *record.members),
        .texts = malloc(size + count * (strlen(directory) + 4) + 1),
    };
    memcpy(record.id, data + AT_ID, RECORD_ID);
    struct body body = {data + HEAD, size - HEAD - CHECK, directory, record.texts};
    if (!record.members || !record.texts) {
        record_free(&record);
        return -ENOMEM;
    }
    bool valid = true;
    for (size_t i = 0; valid && i < count; i++) {
        valid = take_member(&body, &record.members[i]);
        if (valid && i > 0)
            valid = record_compare_members(&record.members[i - 1], &record.members[i]) < 0;
    }
    if (!valid || body.left > 0) {
        record_free(&record);
        return -ENODATA;
    }
    record.list = record_list_hash(data);
    *ret_record = record;
    return 0;
}

void record_free(struct record *record)
{
    free(record->members);
    free(record->texts);
    memset(record, 0, sizeof *record);
}

void record_entry(const struct record *record, char entry[LIMIT_NAME + 1])
{
    untorn_hash_format(&record->list, entry);
}

bool record_changes(const struct record_member *member)
{
    return member->was != member->is ||
           (member->is && !untorn_hash_equal(&member->before, &member->after));
}

enum record_match record_match(const struct record_member *member, const struct untorn_hash *hash)
{
    bool before = hash ? member->was && untorn_hash_equal(hash, &member->before) : !member->was;
    bool after = hash ? member->is && untorn_hash_equal(hash, &member->after) : !member->is;
    return before && after ? RECORD_SAME
           : before        ? RECORD_BEFORE
           : after         ? RECORD_AFTER
                           : RECORD_NEITHER;
}

enum { HALF = RECORD_ID / 2 };

void record_mark_undo(unsigned char id[RECORD_ID])
{
    struct untorn_hash mark = untorn_hash(id, HALF);
    memcpy(id + HALF, mark.bytes, HALF);
}

bool record_is_undo(const unsigned char id[RECORD_ID])
{
    struct untorn_hash mark = untorn_hash(id, HALF);
    return memcmp(id + HALF, mark.bytes, HALF) == 0;
}
