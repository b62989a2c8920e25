#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "file/interpose.h"
#include "file/support.h"
#include "heap.h"
#include "txn/slot.h"

/* docs/format/journal.md */
enum { AT_STATE = 20, AT_BODY_SIZE = 64, AT_RECORDS_SIZE = 72, AT_BODY_HASH = 80, AT_CHECK = 496 };

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
                                                  .journal_inode = 4,
                                                  .journal_born = 5,
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
    int rc = slot_read(fd_of(file), &own, NULL, &back);
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
    CHECK_INT(slot_read(fd_of(file), &own, NULL, &back), 0);
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
    CHECK(back.directories[0].journal_inode == 4 && back.directories[0].journal_born == 5);
    CHECK_TEXT(back.directories[0].path, "/d");
    CHECK_TEXT(back.directories[0].relative, "../d");
    CHECK_TEXT(back.directories[0].state_dir, "/state");
    slot_free(&back);
    slot_free(&back);
    slot_free(&slot);
    free(data);
}

/* What version 1 had: no identity of the folder journal/ in a directory's record. */
static size_t make_older(unsigned char *data, size_t size)
{
    struct slot head;
    CHECK(slot_decode_head(data, &head));
    unsigned char *texts = memmem(data + SLOT_HEAD, size - SLOT_HEAD, "/d../d", 6);
    CHECK(texts != NULL);
    unsigned char *record = texts - 44;
    memmove(record + 16, record + 32, (size_t)(data + size - (record + 32)));
    size -= 16;
    head.older = true;
    head.body_size -= 16;
    head.records_size -= 16;
    head.body_hash = untorn_hash(data + SLOT_HEAD, size - SLOT_HEAD);
    slot_encode_head(&head, data);
    return size;
}

TEST(a_slot_of_the_version_before_is_read_and_stays_one)
{
    struct slot slot = sample(), back;
    unsigned char *data, head[SLOT_HEAD];
    char *bytes;
    size_t size;
    CHECK_INT(slot_encode(&slot, &data, &size), 0);
    CHECK_INT(data[16], 2);
    size = make_older(data, size);
    CHECK_INT(data[16], 1);
    int file = store(data, size);
    CHECK_INT(slot_read(fd_of(file), &own, NULL, &back), 0);
    CHECK(back.older && back.directories[0].journal_inode == 0);
    CHECK_INT(back.directories[0].owner, 3);
    CHECK_TEXT(back.directories[0].path, "/d");
    CHECK_TEXT(back.directories[0].state_dir, "/state");
    CHECK_INT(slot_read_bytes(fd_of(file), slot_find(&back, "a.json"), &bytes), 0);
    CHECK_TEXT(bytes, "new a");
    free(bytes);
    back.state = SLOT_DONE;
    slot_encode_head(&back, head);
    CHECK_INT(head[16], 1);
    slot_free(&back);
    slot_free(&slot);
    free(data);
    close(file);
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
    CHECK_INT(slot_read(fd_of(file), &other, NULL, &back), -EXDEV); /* [SLOT-1] */
    other = own;
    other.born++;
    CHECK_INT(slot_read(fd_of(file), &other, NULL, &back), -EXDEV);
    slot_free(&slot);
    free(data);
}

TEST(a_slot_of_another_directory_is_foreign_unless_it_names_none)
{
    const struct os_stat here = {.inode = 5, .born = 7};
    struct slot slot = {.own_inode = own.inode, .own_born = own.born};
    CHECK(slot_lies_where_it_was_written(&slot, &own, &here));
    slot.directory_inode = 5;
    CHECK(!slot_lies_where_it_was_written(&slot, &own, &here)); /* [SLOT-1] */
    CHECK(slot_lies_where_it_was_written(&slot, &own, NULL));
    slot.directory_born = 7;
    CHECK(slot_lies_where_it_was_written(&slot, &own, &here));
    slot.directory_inode = 0;
    CHECK(!slot_lies_where_it_was_written(&slot, &own, &here));
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

/* ---- what was written by somebody else, with hashes that are right ---- */

static void seal(unsigned char *data, size_t size)
{
    struct untorn_hash hash = untorn_hash(data + SLOT_HEAD, size - SLOT_HEAD);
    memcpy(data + AT_BODY_HASH, hash.bytes, sizeof hash.bytes);
    hash = untorn_hash(data, AT_CHECK);
    memcpy(data + AT_CHECK, hash.bytes, sizeof hash.bytes);
}

/* Where in the record of a member its fields are. */
enum { KIND, INLINED = 2, NAME_SIZE = 4, STAGE_SIZE = 6, OLD_SIZE = 24, NEW_SIZE = 48 };

/* [SLOT-2] */
TEST(numbers_that_no_commit_writes_make_the_slot_invalid)
{
    static const struct {
        int at, bytes;
        uint64_t value;
    } wrong[] = {
        {KIND, 1, SLOT_REPLACE - 1},
        {KIND, 1, SLOT_REMOVE + 1},
        {INLINED, 1, 0}, /* then bytes are left that belong to nobody */
        {NAME_SIZE, 2, LIMIT_NAME + 1},
        {STAGE_SIZE, 2, LIMIT_NAME + 1},
        {NAME_SIZE, 2, 200}, /* with bytes of others */
        {STAGE_SIZE, 2, 0},  /* then what follows is not where it is looked for */
        {OLD_SIZE, 8, LIMIT_CONTENT + 1ull},
        {NEW_SIZE, 8, LIMIT_SLOT + 1ull},
        {NEW_SIZE, 8, 0},
    };
    struct slot slot = sample();
    unsigned char *data;
    size_t size;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_INT(slot_encode(&slot, &data, &size), 0);
        cursor_put(data + SLOT_HEAD + wrong[i].at, wrong[i].value, wrong[i].bytes);
        seal(data, size);
        CHECK_INT(read_back(data, size), -ENODATA);
        free(data);
    }
    CHECK_INT(slot_encode(&slot, &data, &size), 0);
    cursor_put(data + SLOT_HEAD + INLINED, 0, 1);
    cursor_put(data + SLOT_HEAD + NEW_SIZE, LIMIT_CONTENT + 1ull, 8);
    seal(data, size);
    CHECK_INT(read_back(data, size), -ENODATA);
    free(data);
    slot_free(&slot);
}

TEST(a_directory_without_a_full_path_makes_the_slot_invalid)
{
    struct slot slot = sample();
    unsigned char *data;
    size_t size;
    slot.directories[0].path[0] = 'd';
    CHECK_INT(slot_encode(&slot, &data, &size), 0);
    CHECK_INT(read_back(data, size), -ENODATA);
    free(data);
    slot_free(&slot);
}

static void cut(void *context)
{
    CHECK_INT(truncate("slot", *(int *)context), 0);
}

TEST(a_slot_that_is_cut_while_it_is_read_is_none)
{
    struct slot slot = sample();
    unsigned char *data;
    size_t size;
    int kept = SLOT_HEAD + 8;
    CHECK_INT(slot_encode(&slot, &data, &size), 0);
    const struct rule *reads = watch(CALL_READ, "/slot");
    CHECK_INT(read_back(data, size), 0);
    int all = reads->seen;
    forget_rules();
    at(CALL_READ, "/slot", all, cut, &kept); /* the last one is that of the records */
    CHECK_INT(read_back(data, size), -ENODATA);
    free(data);
    slot_free(&slot);
}

static bool encode_once(void)
{
    struct slot slot = sample();
    unsigned char *data;
    size_t size;
    int rc = slot_encode(&slot, &data, &size);
    CHECK(rc == 0 || rc == -ENOMEM);
    if (rc == 0)
        free(data);
    slot_free(&slot);
    return rc == 0;
}

TEST(without_memory_nothing_is_encoded)
{
    heap_needed();
    int before = 5; /* of sample() itself, which must succeed */
    heap_fail(before + 1);
    CHECK(!encode_once());
    CHECK(heap_failed());
    CHECK(encode_once());
}
