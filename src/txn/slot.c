#include "txn/slot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/pathtext.h"
#include "file/io.h"

enum {
    AT_MAGIC = 0,
    AT_VERSION = 16,
    AT_STATE = 20,
    AT_SEQUENCE = 24,
    AT_ID = 32,
    AT_OWN_INODE = 48,
    AT_OWN_BORN = 56,
    AT_BODY_SIZE = 64,
    AT_RECORDS_SIZE = 72,
    AT_BODY_HASH = 80,
    AT_MEMBER_COUNT = 96,
    AT_DIRECTORY_COUNT = 100,
    AT_PARTICIPANT = 104,
    AT_INDEX = 108,
    AT_KEEP = 112,
    AT_LEVEL = 116,
    AT_ROOTED = 120,
    AT_DIRECTORY_INODE = 124,
    AT_DIRECTORY_BORN = 132,
    AT_CHECK = 496,
    VERSION = 2,
    OLDER_VERSION = 1, /* is read, and its state changed; never written anew */
    MEMBER_SIZE = 88,  /* of a member's record without its texts */
    DIRECTORY_SIZE = 44,
    OLDER_DIRECTORY_SIZE = 28,
};

static const char magic[16] = "untorn set slot\n";

/* ---- the header ---- */

void slot_encode_head(const struct slot *slot, unsigned char head[SLOT_HEAD])
{
    memset(head, 0, SLOT_HEAD);
    memcpy(head + AT_MAGIC, magic, sizeof magic);
    cursor_put(head + AT_VERSION, slot->older ? OLDER_VERSION : VERSION, 4);
    cursor_put(head + AT_STATE, slot->state, 4);
    cursor_put(head + AT_SEQUENCE, slot->sequence, 8);
    memcpy(head + AT_ID, slot->id, SLOT_ID);
    cursor_put(head + AT_OWN_INODE, slot->own_inode, 8);
    cursor_put(head + AT_OWN_BORN, slot->own_born, 8);
    cursor_put(head + AT_BODY_SIZE, slot->body_size, 8);
    cursor_put(head + AT_RECORDS_SIZE, slot->records_size, 8);
    memcpy(head + AT_BODY_HASH, slot->body_hash.bytes, sizeof slot->body_hash.bytes);
    cursor_put(head + AT_MEMBER_COUNT, slot->member_count, 4);
    cursor_put(head + AT_DIRECTORY_COUNT, slot->directory_count, 4);
    cursor_put(head + AT_PARTICIPANT, slot->participant, 4);
    cursor_put(head + AT_INDEX, slot->index, 4);
    cursor_put(head + AT_KEEP, (uint32_t)slot->keep, 4);
    cursor_put(head + AT_LEVEL, slot->level, 4);
    cursor_put(head + AT_ROOTED, slot->rooted, 4);
    cursor_put(head + AT_DIRECTORY_INODE, slot->directory_inode, 8);
    cursor_put(head + AT_DIRECTORY_BORN, slot->directory_born, 8);
    struct untorn_hash check = untorn_hash(head, AT_CHECK);
    memcpy(head + AT_CHECK, check.bytes, sizeof check.bytes);
}

static bool is_sound_head(const struct slot *slot)
{
    uint64_t least =
        (uint64_t)slot->member_count * MEMBER_SIZE +
        (uint64_t)slot->directory_count * (slot->older ? OLDER_DIRECTORY_SIZE : DIRECTORY_SIZE);
    return slot->state <= SLOT_DONE && slot->body_size <= LIMIT_SLOT &&
           slot->records_size <= slot->body_size && slot->records_size >= least &&
           (!slot->participant || slot->directory_count == 1);
}

bool slot_decode_head(const unsigned char head[SLOT_HEAD], struct slot *ret_slot)
{
    struct untorn_hash check = untorn_hash(head, AT_CHECK);
    uint64_t version = cursor_get(head + AT_VERSION, 4);
    if (memcmp(head + AT_MAGIC, magic, sizeof magic) != 0 ||
        (version != VERSION && version != OLDER_VERSION) ||
        memcmp(head + AT_CHECK, check.bytes, sizeof check.bytes) != 0)
        return false;
    *ret_slot = (struct slot){
        .older = version == OLDER_VERSION,
        .state = (enum slot_state)cursor_get(head + AT_STATE, 4),
        .sequence = cursor_get(head + AT_SEQUENCE, 8),
        .own_inode = cursor_get(head + AT_OWN_INODE, 8),
        .own_born = cursor_get(head + AT_OWN_BORN, 8),
        .body_size = cursor_get(head + AT_BODY_SIZE, 8),
        .records_size = cursor_get(head + AT_RECORDS_SIZE, 8),
        .member_count = (uint32_t)cursor_get(head + AT_MEMBER_COUNT, 4),
        .directory_count = (uint32_t)cursor_get(head + AT_DIRECTORY_COUNT, 4),
        .participant = cursor_get(head + AT_PARTICIPANT, 4) == 1,
        .index = (uint32_t)cursor_get(head + AT_INDEX, 4),
        .keep = (int32_t)(uint32_t)cursor_get(head + AT_KEEP, 4),
        .level = (uint32_t)cursor_get(head + AT_LEVEL, 4),
        .rooted = cursor_get(head + AT_ROOTED, 4) == 1,
        .directory_inode = cursor_get(head + AT_DIRECTORY_INODE, 8),
        .directory_born = cursor_get(head + AT_DIRECTORY_BORN, 8),
    };
    memcpy(ret_slot->id, head + AT_ID, SLOT_ID);
    memcpy(ret_slot->body_hash.bytes, head + AT_BODY_HASH, sizeof ret_slot->body_hash.bytes);
    unsigned char again[SLOT_HEAD];
    slot_encode_head(ret_slot, again); /* what is left over anywhere was not written by us */
    return is_sound_head(ret_slot) && memcmp(head, again, sizeof again) == 0;
}

/* ---- the records ---- */

static size_t member_size(const struct slot_member *member)
{
    return MEMBER_SIZE + strlen(member->name) + strlen(member->stage);
}

static size_t directory_size(const struct slot *slot, const struct slot_directory *directory)
{
    return (slot->older ? OLDER_DIRECTORY_SIZE : DIRECTORY_SIZE) + strlen(directory->path) +
           strlen(directory->relative) + (directory->state_dir ? strlen(directory->state_dir) : 0);
}

static void encode_member(const struct slot_member *member, struct cursor *cursor)
{
    cursor_add(cursor, member->kind, 1);
    cursor_add(cursor, member->before.hashed, 1);
    cursor_add(cursor, member->inlined, 1);
    cursor_add(cursor, member->in_place, 1);
    cursor_add(cursor, strlen(member->name), 2);
    cursor_add(cursor, strlen(member->stage), 2);
    cursor_add(cursor, member->before.inode, 8);
    cursor_add(cursor, member->before.born, 8);
    cursor_add(cursor, member->before.size, 8);
    cursor_add_bytes(cursor, member->before.hash.bytes, sizeof member->before.hash.bytes);
    cursor_add(cursor, member->after.size, 8);
    cursor_add_bytes(cursor, member->after.hash.bytes, sizeof member->after.hash.bytes);
    cursor_add(cursor, member->after.mode, 4);
    cursor_add(cursor, member->after.owner, 4);
    cursor_add(cursor, member->after.group, 4);
    cursor_add(cursor, 0, 4);
    cursor_add_bytes(cursor, member->name, strlen(member->name));
    cursor_add_bytes(cursor, member->stage, strlen(member->stage));
}

static void encode_directory(const struct slot_directory *directory, struct cursor *cursor)
{
    size_t path = strlen(directory->path), relative = strlen(directory->relative);
    size_t state_dir = directory->state_dir ? strlen(directory->state_dir) : 0;
    cursor_add(cursor, directory->inode, 8);
    cursor_add(cursor, directory->born, 8);
    cursor_add(cursor, directory->journal_inode, 8);
    cursor_add(cursor, directory->journal_born, 8);
    cursor_add(cursor, directory->owner, 4);
    cursor_add(cursor, path, 2);
    cursor_add(cursor, relative, 2);
    cursor_add(cursor, state_dir, 2);
    cursor_add(cursor, 0, 2);
    cursor_add_bytes(cursor, directory->path, path);
    cursor_add_bytes(cursor, directory->relative, relative);
    cursor_add_bytes(cursor, directory->state_dir, state_dir);
}

uint64_t slot_measure(struct slot *slot)
{
    slot->records_size = 0;
    for (uint32_t i = 0; i < slot->member_count; i++)
        slot->records_size += member_size(&slot->members[i]);
    for (uint32_t i = 0; i < slot->directory_count; i++)
        slot->records_size += directory_size(slot, &slot->directories[i]);
    slot->body_size = slot->records_size;
    for (uint32_t i = 0; i < slot->member_count; i++) {
        struct slot_member *member = &slot->members[i];
        member->offset = member->inlined ? SLOT_HEAD + slot->body_size : 0;
        slot->body_size += member->inlined ? member->after.size : 0;
    }
    return SLOT_HEAD + slot->body_size;
}

int slot_encode(struct slot *slot, unsigned char **ret_data, size_t *ret_size)
{
    slot->older = false;
    *ret_size = (size_t)slot_measure(slot);
    if (slot->body_size > LIMIT_SLOT)
        return -EFBIG;
    *ret_data = malloc(*ret_size);
    if (!*ret_data)
        return -ENOMEM;
    struct cursor cursor = {.at = *ret_data + SLOT_HEAD};
    for (uint32_t i = 0; i < slot->member_count; i++)
        encode_member(&slot->members[i], &cursor);
    for (uint32_t i = 0; i < slot->directory_count; i++)
        encode_directory(&slot->directories[i], &cursor);
    for (uint32_t i = 0; i < slot->member_count; i++) {
        const struct slot_member *member = &slot->members[i];
        if (member->inlined)
            cursor_add_bytes(&cursor, member->bytes, (size_t)member->after.size);
    }
    slot->body_hash = untorn_hash(*ret_data + SLOT_HEAD, (size_t)slot->body_size);
    slot_encode_head(slot, *ret_data);
    return 0;
}

/* [SLOT-2] */
static bool is_single_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static bool is_sound_member(const struct slot_member *member)
{
    return member->kind >= SLOT_REPLACE && member->kind <= SLOT_REMOVE &&
           is_single_name(member->name) && !path_leads_into_own_folder(member->name) &&
           (!*member->stage || is_single_name(member->stage)) &&
           (!member->inlined || member->after.size <= LIMIT_SLOT) &&
           member->after.size <= LIMIT_CONTENT && member->before.size <= LIMIT_CONTENT;
}

static void decode_member(struct slot_member *member, struct cursor *cursor)
{
    member->kind = (enum slot_kind)cursor_take(cursor, 1);
    member->before.hashed = cursor_take(cursor, 1) == 1;
    member->inlined = cursor_take(cursor, 1) == 1;
    member->in_place = cursor_take(cursor, 1) == 1;
    size_t name = (size_t)cursor_take(cursor, 2), stage = (size_t)cursor_take(cursor, 2);
    member->before.inode = cursor_take(cursor, 8);
    member->before.born = cursor_take(cursor, 8);
    member->before.size = cursor_take(cursor, 8);
    cursor_take_hash(cursor, &member->before.hash);
    member->after.size = cursor_take(cursor, 8);
    cursor_take_hash(cursor, &member->after.hash);
    member->after.mode = (uint32_t)cursor_take(cursor, 4);
    member->after.owner = (uint32_t)cursor_take(cursor, 4);
    member->after.group = (uint32_t)cursor_take(cursor, 4);
    (void)cursor_take(cursor, 4);
    if (name > LIMIT_NAME || stage > LIMIT_NAME) {
        cursor->bad = true;
        return;
    }
    cursor_take_text(cursor, name, member->name);
    cursor_take_text(cursor, stage, member->stage);
    cursor->bad = cursor->bad || !is_sound_member(member);
}

static void decode_directory(struct slot_directory *directory, bool older, struct cursor *cursor)
{
    directory->inode = cursor_take(cursor, 8);
    directory->born = cursor_take(cursor, 8);
    directory->journal_inode = older ? 0 : cursor_take(cursor, 8);
    directory->journal_born = older ? 0 : cursor_take(cursor, 8);
    directory->owner = (uint32_t)cursor_take(cursor, 4);
    size_t path = (size_t)cursor_take(cursor, 2), relative = (size_t)cursor_take(cursor, 2);
    size_t state_dir = (size_t)cursor_take(cursor, 2);
    (void)cursor_take(cursor, 2);
    directory->path = cursor_take_new_text(cursor, path);
    directory->relative = cursor_take_new_text(cursor, relative);
    if (state_dir > 0)
        directory->state_dir = cursor_take_new_text(cursor, state_dir);
    cursor->bad = cursor->bad || directory->path[0] != '/';
}

static int allocate_records(struct slot *slot)
{
    slot->members = calloc(slot->member_count + 1, sizeof *slot->members);
    slot->directories = calloc(slot->directory_count + 1, sizeof *slot->directories);
    return slot->members && slot->directories ? 0 : -ENOMEM;
}

int slot_decode_records(struct slot *slot, const unsigned char *records)
{
    struct cursor cursor = {.from = records, .left = (size_t)slot->records_size};
    int rc = allocate_records(slot);
    if (rc < 0) {
        slot_free(slot);
        return rc;
    }
    for (uint32_t i = 0; i < slot->member_count && !cursor.bad; i++)
        decode_member(&slot->members[i], &cursor);
    for (uint32_t i = 0; i < slot->directory_count && !cursor.bad; i++)
        decode_directory(&slot->directories[i], slot->older, &cursor);
    bool fits = !cursor.bad && cursor.left == 0;
    if (fits) {
        struct slot measured = *slot;
        slot_measure(&measured);
        fits = measured.body_size == slot->body_size;
    }
    if (!fits) {
        slot_free(slot);
        return cursor.starved ? -ENOMEM : -ENODATA;
    }
    return 0;
}

void slot_free(struct slot *slot)
{
    for (uint32_t i = 0; slot->directories && i < slot->directory_count; i++) {
        free(slot->directories[i].path);
        free(slot->directories[i].relative);
        free(slot->directories[i].state_dir);
    }
    free(slot->directories);
    free(slot->members);
    slot->directories = NULL;
    slot->members = NULL;
}

/* ---- reading ---- */

int slot_read_head(os_fd file, struct slot *ret_slot)
{
    unsigned char head[SLOT_HEAD];
    int64_t n = io_read(file, head, sizeof head, 0);
    if (n < 0)
        return (int)n;
    return n == SLOT_HEAD && slot_decode_head(head, ret_slot) ? 0 : -ENODATA;
}

static int read_records(os_fd file, struct slot *slot)
{
    unsigned char *records = malloc((size_t)slot->records_size + 1);
    if (!records)
        return -ENOMEM;
    int64_t n = io_read(file, records, (size_t)slot->records_size, SLOT_HEAD);
    int rc = n < 0                              ? (int)n
             : (uint64_t)n < slot->records_size ? -ENODATA
                                                : slot_decode_records(slot, records);
    free(records);
    return rc;
}

bool slot_lies_where_it_was_written(const struct slot *slot, const struct os_stat *own,
                                    const struct os_stat *directory)
{
    bool anywhere = !directory || (slot->directory_inode == 0 && slot->directory_born == 0);
    return slot->own_inode == own->inode && slot->own_born == own->born &&
           (anywhere ||
            (slot->directory_inode == directory->inode && slot->directory_born == directory->born));
}

/* [SLOT-1] */
int slot_read(os_fd file, const struct os_stat *own, const struct os_stat *directory,
              struct slot *ret_slot)
{
    struct untorn_hash hash;
    struct slot slot = {0};
    int rc = slot_read_head(file, &slot);
    if (rc == 0)
        rc = io_hash(file, SLOT_HEAD, slot.body_size, &hash);
    if (rc == -ESTALE || (rc == 0 && !untorn_hash_equal(&hash, &slot.body_hash)))
        rc = -ENODATA;
    if (rc == 0)
        rc = read_records(file, &slot);
    if (rc == 0 && !slot_lies_where_it_was_written(&slot, own, directory)) {
        slot_free(&slot);
        rc = -EXDEV;
    }
    *ret_slot = rc == 0 ? slot : (struct slot){0};
    return rc;
}

int slot_read_bytes(os_fd file, const struct slot_member *member, char **ret_data)
{
    size_t size = (size_t)member->after.size;
    char *data = malloc(size + 1);
    if (!data)
        return -ENOMEM;
    int64_t n = io_read(file, data, size, member->offset);
    int rc = n < 0 ? (int)n : (size_t)n < size ? -ESTALE : 0;
    if (rc == 0) {
        struct untorn_hash hash = untorn_hash(data, size);
        rc = untorn_hash_equal(&hash, &member->after.hash) ? 0 : -ESTALE;
    }
    if (rc < 0) {
        free(data);
        return rc;
    }
    data[size] = '\0';
    *ret_data = data;
    return 0;
}

/* ---- asking ---- */

const struct slot_member *slot_find(const struct slot *slot, const char *name)
{
    for (uint32_t i = 0; i < slot->member_count; i++)
        if (strcmp(slot->members[i].name, name) == 0)
            return &slot->members[i];
    return NULL;
}

bool slot_is_active(const struct slot *slot)
{
    return slot->state == SLOT_PREPARED || slot->state == SLOT_COMMITTED;
}

bool slot_same_id(const struct slot *a, const struct slot *b)
{
    return memcmp(a->id, b->id, SLOT_ID) == 0;
}

void slot_id_text(const unsigned char id[SLOT_ID], char text[SLOT_ID_TEXT])
{
    struct untorn_hash number;
    memcpy(number.bytes, id, SLOT_ID);
    untorn_hash_format(&number, text);
}
