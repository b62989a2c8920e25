#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/support.h"
#include "txn/slot.h"

enum { AT_STATE = 20, AT_CHECK = 496 }; /* docs/format/journal.md */

static char *copy(const char *text)
{
    char *result = strdup(text);
    CHECK(result);
    return result;
}

static struct slot sample(void)
{
    struct slot slot = {.state = SLOT_COMMITTED,
                        .sequence = 0x0102030405060708,
                        .id = "0123456789abcde",
                        .own_inode = 7,
                        .own_born = 8,
                        .keep = -1,
                        .level = 1,
                        .rooted = true,
                        .member_count = 3,
                        .directory_count = 1};
    slot.members = calloc(3, sizeof *slot.members);
    slot.directories = calloc(1, sizeof *slot.directories);
    CHECK(slot.members && slot.directories);
    slot.members[0] = (struct slot_member){.kind = SLOT_REPLACE,
                                           .name = "a.json",
                                           .stage = "a.json.0123456789abcdef",
                                           .inlined = true,
                                           .bytes = "new a"};
    slot.members[0].before.hashed = true;
    slot.members[0].before.inode = UINT64_MAX;
    slot.members[0].before.hash = untorn_hash("old a", 5);
    slot.members[0].after.size = 5;
    slot.members[0].after.hash = untorn_hash("new a", 5);
    slot.members[0].after.mode = 0640;
    slot.members[1] = (struct slot_member){
        .kind = SLOT_CREATE, .name = "b", .inlined = true, .in_place = true, .bytes = ""};
    slot.members[1].after.hash = untorn_hash("", 0);
    slot.members[2] = (struct slot_member){.kind = SLOT_REMOVE, .name = "c"};
    slot.directories[0] = (struct slot_directory){.inode = 1,
                                                  .born = 2,
                                                  .owner = 3,
                                                  .path = copy("/d"),
                                                  .relative = copy("../d"),
                                                  .state_dir = copy("/state")};
    return slot;
}

static int store(const unsigned char *data, size_t size)
{
    int file = open("slot", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK_INT(write(file, data, size), size);
    return file;
}

static const struct os_stat own = {.inode = 7, .born = 8};

static int read_back(const unsigned char *data, size_t size)
{
    struct slot back;
    int file = store(data, size);
    int rc = slot_read(fd_of(file), &own, &back);
    if (rc == 0)
        slot_free(&back);
    close(file);
    return rc;
}

TEST(what_is_encoded_can_be_read)
{
    struct slot slot = sample(), back;
    unsigned char *data;
    char *bytes;
    size_t size;
    CHECK_INT(slot_encode(&slot, &data, &size), 0);
    int file = store(data, size);
    CHECK_INT(slot_read(fd_of(file), &own, &back), 0);
    CHECK_INT(back.state, SLOT_COMMITTED);
    CHECK(back.sequence == slot.sequence && slot_same_id(&back, &slot));
    CHECK_INT(back.keep, -1);
    CHECK_INT(back.member_count, 3);
    const struct slot_member *a = slot_find(&back, "a.json");
    CHECK(a && a->inlined && a->before.hashed && a->before.inode == UINT64_MAX);
    CHECK_TEXT(a->stage, "a.json.0123456789abcdef");
    CHECK_INT(a->after.mode, 0640);
    CHECK_INT(slot_read_bytes(fd_of(file), a, &bytes), 0);
    CHECK_TEXT(bytes, "new a");
    free(bytes);
    CHECK(slot_find(&back, "b")->in_place);
    CHECK_INT(slot_find(&back, "c")->kind, SLOT_REMOVE);
    CHECK(!slot_find(&back, "d"));
    CHECK_TEXT(back.directories[0].path, "/d");
    CHECK_TEXT(back.directories[0].relative, "../d");
    CHECK_TEXT(back.directories[0].state_dir, "/state");
    slot_free(&back);
    slot_free(&back);
    slot_free(&slot);
    free(data);
}

TEST(every_byte_counts)
{
    struct slot slot = sample();
    unsigned char *data;
    size_t size;
    CHECK_INT(slot_encode(&slot, &data, &size), 0);
    for (size_t i = 0; i < size; i++) { /* [SLOT-1] */
        data[i] ^= 1;
        CHECK_INT(read_back(data, size), -ENODATA);
        data[i] ^= 1;
    }
    for (size_t i = 0; i < size; i += 7)
        CHECK_INT(read_back(data, i), -ENODATA);
    CHECK_INT(read_back(data, size), 0);
    slot_free(&slot);
    free(data);
}

TEST(a_slot_under_another_inode_or_birth_is_foreign)
{
    struct slot slot = sample(), back;
    struct os_stat other = own;
    unsigned char *data;
    size_t size;
    CHECK_INT(slot_encode(&slot, &data, &size), 0);
    int file = store(data, size);
    other.inode++;
    CHECK_INT(slot_read(fd_of(file), &other, &back), -EXDEV); /* [SLOT-1] */
    other = own;
    other.born++;
    CHECK_INT(slot_read(fd_of(file), &other, &back), -EXDEV);
    slot_free(&slot);
    free(data);
}

TEST(a_name_that_leads_elsewhere_makes_the_slot_invalid)
{
    static const char *const names[] = {"",     ".",       "..",           "a/b", "/etc/passwd",
                                        "../x", ".untorn", ".untorn-1000", NULL};
    for (int i = 0; names[i]; i++) { /* [SLOT-2] */
        struct slot slot = sample();
        unsigned char *data;
        size_t size;
        strcpy(slot.members[1].name, names[i]);
        CHECK_INT(slot_encode(&slot, &data, &size), 0);
        CHECK_INT(read_back(data, size), -ENODATA);
        free(data);
        slot_free(&slot);
    }
}

TEST(a_stage_that_lies_elsewhere_makes_the_slot_invalid)
{
    struct slot slot = sample();
    unsigned char *data;
    size_t size;
    strcpy(slot.members[1].stage, "../../x");
    CHECK_INT(slot_encode(&slot, &data, &size), 0);
    CHECK_INT(read_back(data, size), -ENODATA);
    free(data);
    slot_free(&slot);
}

TEST(a_state_is_changed_by_the_header_alone)
{
    struct slot slot = sample(), back;
    unsigned char *data, head[SLOT_HEAD];
    size_t size;
    CHECK_INT(slot_encode(&slot, &data, &size), 0);
    slot.state = SLOT_DONE;
    slot_encode_head(&slot, head);
    memcpy(data, head, sizeof head);
    CHECK_INT(read_back(data, size), 0);
    CHECK(slot_decode_head(head, &back));
    CHECK_INT(back.state, SLOT_DONE);
    CHECK(!slot_is_active(&back));
    head[AT_STATE] = 9;
    struct untorn_hash check = untorn_hash(head, AT_CHECK);
    memcpy(head + AT_CHECK, check.bytes, sizeof check.bytes);
    CHECK(!slot_decode_head(head, &back));
    slot_free(&slot);
    free(data);
}

TEST(bytes_that_do_not_have_their_hash_are_not_given)
{
    struct slot slot = sample();
    unsigned char *data;
    char *bytes;
    size_t size;
    CHECK_INT(slot_encode(&slot, &data, &size), 0);
    data[slot.members[0].offset] ^= 1;
    int file = store(data, size);
    CHECK_INT(slot_read_bytes(fd_of(file), &slot.members[0], &bytes), -ESTALE);
    CHECK_INT(ftruncate(file, 600), 0);
    CHECK_INT(slot_read_bytes(fd_of(file), &slot.members[0], &bytes), -ESTALE);
    slot_free(&slot);
    free(data);
}

TEST(a_slot_that_would_be_too_large_is_refused)
{
    struct slot slot = sample();
    unsigned char *data;
    size_t size;
    slot.members[0].after.size = LIMIT_SLOT;
    CHECK_INT(slot_encode(&slot, &data, &size), -EFBIG);
    slot_free(&slot);
}
