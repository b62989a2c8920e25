#include "harness.h"

#include "file/interpose.h"
#include "file/journal.h"
#include "file/support.h"

enum { AT_VERSION = 16, AT_ACTIVE = 20, AT_NAME = 96, AT_CHECK = 496 }; /* docs/format/inplace.md */

static struct journal sample(void)
{
    struct journal journal = {.active = true,
                              .sequence = 0x0102030405060708,
                              .own_inode = UINT64_MAX,
                              .target_inode = 12,
                              .old_size = LIMIT_CONTENT,
                              .new_size = 3,
                              .old_hash = untorn_hash("old", 3),
                              .new_hash = untorn_hash("new", 3),
                              .name = "a.json"};
    return journal;
}

/* Makes the header's own check fit what it says now. */
static void sign(unsigned char head[JOURNAL_HEAD])
{
    struct untorn_hash check = untorn_hash(head, AT_CHECK);
    memcpy(head + AT_CHECK, check.bytes, sizeof check.bytes);
}

static void check_equal(const struct journal *a, const struct journal *b)
{
    CHECK_INT(a->active, b->active);
    CHECK(a->sequence == b->sequence);
    CHECK(a->own_inode == b->own_inode);
    CHECK(a->target_inode == b->target_inode);
    CHECK(a->old_size == b->old_size);
    CHECK(a->new_size == b->new_size);
    CHECK(untorn_hash_equal(&a->old_hash, &b->old_hash));
    CHECK(untorn_hash_equal(&a->new_hash, &b->new_hash));
    CHECK_TEXT(a->name, b->name);
}

TEST(what_is_encoded_can_be_decoded)
{
    struct journal journal = sample(), back;
    unsigned char head[JOURNAL_HEAD];
    for (int i = 0; i < 2; i++, journal.active = false) {
        memset(&back, 0xff, sizeof back);
        journal_encode(&journal, head);
        CHECK(journal_decode(head, &back));
        check_equal(&back, &journal);
    }
    struct journal zero = {.name = "x"};
    journal_encode(&zero, head);
    CHECK(journal_decode(head, &back));
    check_equal(&back, &zero);
}

TEST(names_of_every_length_go_through)
{
    struct journal journal = sample(), back;
    unsigned char head[JOURNAL_HEAD];
    for (size_t size = 1; size <= LIMIT_NAME; size++) {
        memset(journal.name, 'n', size);
        journal.name[size] = '\0';
        journal_encode(&journal, head);
        CHECK(journal_decode(head, &back));
        CHECK_TEXT(back.name, journal.name);
    }
}

TEST(every_flipped_bit_is_noticed)
{
    struct journal journal = sample(), back;
    unsigned char head[JOURNAL_HEAD];
    journal_encode(&journal, head);
    for (int bit = 0; bit < JOURNAL_HEAD * 8; bit++) {
        head[bit / 8] ^= (unsigned char)(1u << bit % 8);
        CHECK(!journal_decode(head, &back));
        head[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    CHECK(journal_decode(head, &back));
}

TEST(every_truncation_is_noticed)
{
    struct journal journal = sample(), back;
    unsigned char head[JOURNAL_HEAD];
    os_fd file = OS_NONE;
    journal_encode(&journal, head);
    put("j", "");
    CHECK_INT(os_open(OS_NONE, "j", OS_READ | OS_WRITE, 0, &file), 0);
    for (int size = 0; size < JOURNAL_HEAD; size++) {
        CHECK_INT(journal_read(file, &back), -ENODATA);
        CHECK_INT(os_write_at(file, head + size, 1, (uint64_t)size), 1);
    }
    CHECK_INT(journal_read(file, &back), 0);
    check_equal(&back, &journal);
    os_close(file);
}

TEST(a_header_torn_between_two_versions_is_noticed)
{
    struct journal before = sample(), after = sample(), back;
    unsigned char a[JOURNAL_HEAD], b[JOURNAL_HEAD], torn[JOURNAL_HEAD];
    after.sequence++;
    after.active = false;
    after.target_inode = 99;
    journal_encode(&before, a);
    journal_encode(&after, b);
    for (int cut = 0; cut <= JOURNAL_HEAD; cut++) {
        memcpy(torn, b, (size_t)cut);
        memcpy(torn + cut, a + cut, (size_t)(JOURNAL_HEAD - cut));
        bool whole = memcmp(torn, a, sizeof torn) == 0 || memcmp(torn, b, sizeof torn) == 0;
        CHECK_INT(journal_decode(torn, &back), whole);
    }
}

TEST(a_journal_names_a_single_name)
{
    static const char *const names[] = {"", ".", "..", "../x", "a/b", "/x", "/", "x/", "./x"};
    struct journal journal = sample(), back;
    unsigned char head[JOURNAL_HEAD];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        strcpy(journal.name, names[i]);
        journal_encode(&journal, head);
        CHECK(!journal_decode(head, &back));
    }
}

TEST(another_version_is_not_read)
{
    struct journal journal = sample(), back;
    unsigned char head[JOURNAL_HEAD];
    journal_encode(&journal, head);
    head[AT_VERSION] = 2;
    sign(head);
    CHECK(!journal_decode(head, &back));
    head[AT_VERSION] = 0;
    sign(head);
    CHECK(!journal_decode(head, &back));
}

TEST(what_encoding_could_not_have_made_is_refused_however_well_signed)
{
    struct journal journal = sample(), back;
    unsigned char head[JOURNAL_HEAD];
    journal_encode(&journal, head);
    head[AT_ACTIVE] = 2;
    sign(head);
    CHECK(!journal_decode(head, &back));
    journal_encode(&journal, head);
    head[AT_CHECK - 1] = 1;
    sign(head);
    CHECK(!journal_decode(head, &back));
    memset(journal.name, 'n', LIMIT_NAME);
    journal_encode(&journal, head);
    head[AT_NAME + LIMIT_NAME] = 'n';
    sign(head);
    CHECK(!journal_decode(head, &back));
}

TEST(sizes_beyond_all_limits_are_refused)
{
    struct journal journal = sample(), back;
    unsigned char head[JOURNAL_HEAD];
    journal.old_size = LIMIT_CONTENT + 1;
    journal_encode(&journal, head);
    CHECK(!journal_decode(head, &back));
    journal.old_size = 0;
    journal.new_size = UINT64_MAX;
    journal_encode(&journal, head);
    CHECK(!journal_decode(head, &back));
}

TEST(a_journal_that_cannot_be_read_is_not_an_empty_one)
{
    struct journal back;
    os_fd file = OS_NONE;
    put("j", "");
    CHECK_INT(os_open(OS_NONE, "j", OS_READ, 0, &file), 0);
    fail(CALL_READ, "/j", 1, EIO);
    CHECK_INT(journal_read(file, &back), -EIO);
    os_close(file);
}

/* A header and `old`, `new` behind it, whatever the header says. */
static int check_body(const struct journal *journal, const char *old, const char *new)
{
    unsigned char head[JOURNAL_HEAD];
    char bytes[JOURNAL_HEAD + 64];
    size_t size = JOURNAL_HEAD;
    os_fd file = OS_NONE;
    journal_encode(journal, head);
    memcpy(bytes, head, JOURNAL_HEAD);
    size += (size_t)sprintf(bytes + size, "%s%s", old, new);
    put_bytes("j", bytes, size);
    CHECK_INT(os_open(OS_NONE, "j", OS_READ, 0, &file), 0);
    int rc = journal_check_body(file, journal);
    os_close(file);
    return rc;
}

TEST(a_body_is_whole_when_sizes_and_hashes_fit)
{
    struct journal journal = sample();
    journal.old_size = journal.new_size = 3;
    CHECK_INT(check_body(&journal, "old", "new"), 0);
    CHECK_INT(check_body(&journal, "old", "ne"), -ENODATA);
    CHECK_INT(check_body(&journal, "old", "new "), -ENODATA);
    CHECK_INT(check_body(&journal, "olD", "new"), -ENODATA);
    CHECK_INT(check_body(&journal, "old", "neW"), -ENODATA);
    CHECK_INT(check_body(&journal, "", ""), -ENODATA);
    journal.old_size = journal.new_size = 0;
    CHECK_INT(check_body(&journal, "", ""), -ENODATA);
    journal.old_hash = journal.new_hash = untorn_hash("", 0);
    CHECK_INT(check_body(&journal, "", ""), 0);
}

TEST(a_body_that_cannot_be_read_is_not_a_torn_one)
{
    struct journal journal = sample();
    journal.old_size = journal.new_size = 3;
    fail(CALL_READ, "/j", 1, EIO);
    CHECK_INT(check_body(&journal, "old", "new"), -EIO);
    fail(CALL_READ, "/j", 2, EIO);
    CHECK_INT(check_body(&journal, "old", "new"), -EIO);
    fail(CALL_STAT, "/j", 1, EIO);
    CHECK_INT(check_body(&journal, "old", "new"), -EIO);
}
