/* What a commit of several files leaves on the disk. The input: 's' and a slot, or 'r' and a set
 * record; any other byte is one of them too. No fuzzer guesses a hash, so those that must fit are
 * made to fit first: what is tried is what a planted file could hold. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/pathtext.h"
#include "txn/record.h"
#include "txn/slot.h"

enum { AT_BODY_SIZE = 64, AT_BODY_HASH = 80, AT_CHECK = 496, CHECK = 16 };

/* ---- slots ---- */

static bool is_single_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* [SLOT-2] */
static void check_members(const struct slot *slot)
{
    uint64_t end = SLOT_HEAD + slot->body_size;
    for (uint32_t i = 0; i < slot->member_count; i++) {
        const struct slot_member *member = &slot->members[i];
        REQUIRE(is_single_name(member->name) && !path_leads_into_own_folder(member->name));
        REQUIRE(!*member->stage || is_single_name(member->stage));
        REQUIRE(member->kind >= SLOT_REPLACE && member->kind <= SLOT_REMOVE);
        REQUIRE(slot_find(slot, member->name) != NULL);
        if (member->inlined)
            REQUIRE(member->offset >= SLOT_HEAD + slot->records_size && member->offset <= end &&
                    member->after.size <= end - member->offset);
    }
    for (uint32_t i = 0; i < slot->directory_count; i++)
        REQUIRE(slot->directories[i].path[0] == '/' && slot->directories[i].relative);
}

/* The records lie in a block of exactly their size. */
static bool decode(const unsigned char *data, struct slot *ret_slot)
{
    if (!slot_decode_head(data, ret_slot))
        return false;
    struct fuzz_text records = fuzz_copy(data + SLOT_HEAD, (size_t)ret_slot->records_size);
    int rc = slot_decode_records(ret_slot, (const unsigned char *)records.data);
    free(records.data);
    return rc == 0;
}

/* What was understood is written and understood the same. */
static void check_again(struct slot *slot, const unsigned char *data)
{
    struct slot again;
    unsigned char *one, *other;
    size_t one_size, other_size;
    for (uint32_t i = 0; i < slot->member_count; i++)
        slot->members[i].bytes = data + slot->members[i].offset;
    REQUIRE(slot_encode(slot, &one, &one_size) == 0);
    REQUIRE(decode(one, &again));
    for (uint32_t i = 0; i < again.member_count; i++)
        again.members[i].bytes = one + again.members[i].offset;
    REQUIRE(slot_encode(&again, &other, &other_size) == 0);
    REQUIRE(one_size == other_size && memcmp(one, other, one_size) == 0);
    slot_free(&again);
    free(one);
    free(other);
}

static void try_slot(struct fuzz_text *text)
{
    unsigned char *data = (unsigned char *)text->data;
    struct slot slot;
    if (text->size < SLOT_HEAD)
        return;
    if (slot_decode_head(data, &slot)) /* as it is */
        REQUIRE(slot.state <= SLOT_DONE);
    for (int i = 0; i < 8; i++) /* the body is what is there */
        data[AT_BODY_SIZE + i] = (unsigned char)((uint64_t)(text->size - SLOT_HEAD) >> 8 * i);
    struct untorn_hash body = untorn_hash(data + SLOT_HEAD, text->size - SLOT_HEAD);
    memcpy(data + AT_BODY_HASH, body.bytes, sizeof body.bytes);
    struct untorn_hash check = untorn_hash(data, AT_CHECK);
    memcpy(data + AT_CHECK, check.bytes, sizeof check.bytes);
    if (!decode(data, &slot))
        return;
    check_members(&slot);
    check_again(&slot, data);
    slot_free(&slot);
}

/* ---- records ---- */

static void try_record(struct fuzz_text *text)
{
    unsigned char *data = (unsigned char *)text->data;
    struct record record;
    size_t size;
    if (record_decode(data, text->size, "/d/e", &record) == 0)
        record_free(&record);
    if (text->size < CHECK)
        return;
    struct untorn_hash check = untorn_hash(data, text->size - CHECK);
    memcpy(data + text->size - CHECK, check.bytes, CHECK);
    if (record_decode(data, text->size, "/d/e", &record) != 0) {
        REQUIRE(!record.members && !record.texts);
        return;
    }
    for (size_t i = 0; i < record.count; i++)
        REQUIRE(is_single_name(record.members[i].name) && record.members[i].directory[0] == '/');
    unsigned char *again = record_encode(&record, "/d/e", &size);
    REQUIRE(again && size == text->size && memcmp(again, data, size) == 0);
    free(again);
    record_free(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    bool record = fuzz_byte(&input) % 2 == 'r' % 2;
    struct fuzz_text text = fuzz_rest(&input);
    if (record)
        try_record(&text);
    else
        try_slot(&text);
    free(text.data);
    return 0;
}
