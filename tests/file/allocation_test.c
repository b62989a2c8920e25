/* run: plain
 *
 * Every allocation fails in turn: the outcome agrees with what is on the disk, nothing leaks,
 * nothing crashes.
 */
#include "heap.h"

#include <sys/xattr.h>

#include <untorn.h>

#include "file/journal.h"
#include "file/support.h"

static struct untorn_error error;

/* Runs `call` with each of its allocations failing in turn, and each time `check` with the answer;
 * then once with none failing. Returns how many there were. */
static int walk(void (*prepare)(void), int (*call)(void), void (*check)(int rc))
{
    heap_needed();
    prepare();
    CHECK_INT(call(), 0); /* what is made once and kept is made now */
    for (int n = 1;; n++) {
        prepare();
        int open_before = open_descriptors();
        long live_before = heap.live;
        heap_fail(n);
        int rc = call();
        bool failed = heap_failed();
        CHECK_INT(heap.live, live_before);
        CHECK_INT(open_descriptors(), open_before);
        CHECK_INT(error.status, rc < 0 ? -rc : rc);
        if (!failed) {
            CHECK_INT(rc, 0);
            check(rc);
            return n - 1;
        }
        check(rc);
    }
}

static void begin_with_old(void)
{
    put("f", "old");
}

/* The answer says what is there: never something else, and never half. */
static void check_old_or_new(int rc)
{
    CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY);
    CHECK_TEXT(text_of("f"), rc == 0 ? "new" : "old");
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
}

static int write_new(void)
{
    return untorn_write("f", "new", 3, NULL, &error);
}

TEST(a_write_survives_every_failed_allocation)
{
    CHECK(walk(begin_with_old, write_new, check_old_or_new) >= 1);
}

static void begin_with_attributes(void)
{
    begin_with_old();
    if (setxattr("f", "user.note", "keep", 4, 0) < 0)
        SKIP("this file system has no extended attributes");
}

static void check_attributes(int rc)
{
    char value[8];
    check_old_or_new(rc);
    CHECK_INT(getxattr("f", "user.note", value, sizeof value), 4);
}

TEST(a_write_of_a_file_with_attributes_survives_every_failed_allocation)
{
    CHECK(walk(begin_with_attributes, write_new, check_attributes) >= 3);
}

static int write_with_everything(void)
{
    struct untorn_hash hash = untorn_hash("old", 3);
    struct untorn_options options = {.if_match = &hash,
                                     .if_changed = true,
                                     .mode = 0600,
                                     .state_dir = "state",
                                     .lock_file = "app.lock"};
    return untorn_write("f", "new", 3, &options, &error);
}

TEST(a_write_with_all_options_survives_every_failed_allocation)
{
    CHECK(walk(begin_with_old, write_with_everything, check_old_or_new) >= 2);
}

static int write_in_place(void)
{
    struct untorn_options options = {.keep_inode = true};
    return untorn_write("f", "new", 3, &options, &error);
}

static void check_in_place(int rc)
{
    check_old_or_new(rc);
    struct untorn_content content;
    CHECK_INT(untorn_read("f", NULL, &content, NULL), 0);
    CHECK_TEXT(content.data, rc == 0 ? "new" : "old");
    untorn_content_free(&content);
}

TEST(an_overwrite_in_place_survives_every_failed_allocation)
{
    CHECK(walk(begin_with_old, write_in_place, check_in_place) >= 2);
}

static int set_new(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    (void)context;
    CHECK_TEXT(old->data, "old");
    return untorn_change_set(change, "new", 3);
}

static int update(void)
{
    return untorn_update("f", set_new, NULL, NULL, &error);
}

static void check_update(int rc)
{
    CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY || rc == -UNTORN_REFUSED);
    CHECK_TEXT(text_of("f"), rc == 0 ? "new" : "old");
    if (rc == -UNTORN_REFUSED)
        CHECK_INT(error.os_error, -UNTORN_NO_MEMORY);
}

TEST(an_update_survives_every_failed_allocation)
{
    CHECK(walk(begin_with_old, update, check_update) >= 3);
}

static void begin_with_torn_log(void)
{
    put("f", "1\n{\"to");
}

static int append(void)
{
    return untorn_append("f", "2", 1, UNTORN_RECORDS_JSON, NULL, &error);
}

static void check_log(int rc)
{
    const char *text = text_of("f");
    CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY);
    if (rc == 0)
        CHECK_TEXT(text, "1\n2\n");
    else
        CHECK(strcmp(text, "1\n{\"to") == 0 || strcmp(text, "1\n") == 0);
    if (strcmp(text, "1\n{\"to") != 0)
        CHECK_TEXT(text_of(only_entry(".untorn/kept", "tail-f.")), "{\"to");
}

TEST(an_append_survives_every_failed_allocation)
{
    CHECK(walk(begin_with_torn_log, append, check_log) >= 4);
}

static void begin_with_document(void)
{
    put("f.toml", "# c\na = 1\n\n[t]\nb = [1]\n");
}

static int edit_document(void)
{
    static const char patch[] = "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/t/x\"}]";
    static const struct untorn_edit edits[] = {
        {.kind = UNTORN_SET, .key = "t.b[+]", .value = "2", .value_size = 1},
        {.kind = UNTORN_JSON_PATCH, .value = patch, .value_size = sizeof patch - 1},
    };
    return untorn_edit("f.toml", edits, 2, NULL, NULL, &error);
}

static void check_document(int rc)
{
    CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY);
    CHECK_TEXT(text_of("f.toml"),
               rc == 0 ? "# c\na = 1\n\n[t]\nb = [1, 2]\nx = 1\n" : "# c\na = 1\n\n[t]\nb = [1]\n");
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
}

TEST(an_edit_of_a_document_survives_every_failed_allocation)
{
    CHECK(walk(begin_with_document, edit_document, check_document) >= 10);
}

static void begin_with_damaged(void)
{
    put("f.json", "[1, 2");
    put("f.toml", "a = [1,");
    if (exists(".untorn/kept"))
        remove_tree(".untorn/kept");
}

static int replace_damaged(void)
{
    int rc = untorn_write("f.json", "{}", 2, NULL, &error);
    return rc < 0 ? rc : untorn_write("f.toml", "", 0, NULL, &error);
}

/* [QUARANTINE-1] Without the memory to judge it too. */
static void check_damaged(int rc)
{
    bool new_json = strcmp(text_of("f.json"), "{}") == 0, new_toml = *text_of("f.toml") == '\0';
    CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY);
    CHECK(new_json || strcmp(text_of("f.json"), "[1, 2") == 0);
    CHECK(!new_json || count_entries(".untorn/kept", "damaged-f.json.") == 1);
    CHECK(!new_toml || count_entries(".untorn/kept", "damaged-f.toml.") == 1);
    CHECK(rc < 0 || (new_json && new_toml));
}

TEST(damaged_content_is_kept_whatever_allocation_fails)
{
    CHECK(walk(begin_with_damaged, replace_damaged, check_damaged) >= 2);
}

static int read_it(void)
{
    struct untorn_content content;
    int rc = untorn_read("f", NULL, &content, &error);
    if (rc == 0)
        CHECK_TEXT(content.data, "old");
    else
        CHECK(content.data == NULL);
    untorn_content_free(&content);
    return rc;
}

static void check_memory(int rc)
{
    CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY);
}

TEST(a_read_survives_every_failed_allocation)
{
    CHECK(walk(begin_with_old, read_it, check_memory) >= 1);
}

static int lock_several(void)
{
    static const char *const paths[] = {"f", "g", "h"};
    struct untorn_lock *locks[3];
    int rc = untorn_lock_all(paths, 3, UNTORN_LOCK_EXCLUSIVE, NULL, locks, &error);
    for (int i = 0; i < 3; i++) {
        CHECK((locks[i] != NULL) == (rc == 0));
        untorn_unlock(locks[i]);
    }
    return rc;
}

static void check_unlocked(int rc)
{
    struct untorn_holder holder;
    check_memory(rc);
    CHECK_INT(untorn_who("f", NULL, &holder, NULL), 0);
    CHECK(!holder.held);
}

TEST(locks_survive_every_failed_allocation)
{
    CHECK(walk(begin_with_old, lock_several, check_unlocked) >= 9);
}

/* An overwrite that stopped after its first byte. */
static void begin_unfinished(void)
{
    unsigned char bytes[JOURNAL_HEAD + 6];
    if (!exists(".untorn/inplace/f")) {
        begin_with_old();
        CHECK_INT(write_in_place(), 0);
    }
    put("f", "nld");
    struct journal journal = {.active = true,
                              .sequence = 5,
                              .own_inode = stat_of(".untorn/inplace/f").st_ino,
                              .target_inode = stat_of("f").st_ino,
                              .old_size = 3,
                              .new_size = 3,
                              .old_hash = untorn_hash("old", 3),
                              .new_hash = untorn_hash("new", 3),
                              .name = "f"};
    journal_encode(&journal, bytes);
    memcpy(bytes + JOURNAL_HEAD, "oldnew", 6);
    put_bytes(".untorn/inplace/f", bytes, sizeof bytes);
    put(".untorn/stage/f.0123456789abcdef", "dead");
}

static int read_either(void)
{
    struct untorn_content content;
    int rc = untorn_read("f", NULL, &content, &error);
    if (rc == 0)
        CHECK(strcmp(content.data, "old") == 0 || strcmp(content.data, "new") == 0);
    untorn_content_free(&content);
    return rc;
}

static void ignore(void *context, const struct untorn_finding *finding)
{
    (void)context, (void)finding;
}

static int check_and_repair(void)
{
    struct untorn_check what = {.repair = true, .found = ignore};
    size_t open;
    return untorn_check(".", &what, NULL, &open, &error);
}

static void check_finished_or_not(int rc)
{
    CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY || rc == UNTORN_UNSETTLED_IN_PLACE);
    CHECK_INT(read_either(), 0);
    if (rc == 0)
        CHECK_TEXT(text_of("f"), "new");
}

TEST(a_check_survives_every_failed_allocation)
{
    CHECK(walk(begin_unfinished, check_and_repair, check_finished_or_not) >= 4);
}

TEST(a_read_of_an_unfinished_overwrite_survives_every_failed_allocation)
{
    CHECK(walk(begin_unfinished, read_either, check_memory) >= 3);
}

static int stream(void)
{
    struct untorn_writer *writer = NULL;
    int rc = untorn_writer_begin("f", NULL, &writer, &error);
    CHECK((writer != NULL) == (rc == 0));
    if (rc == 0)
        rc = untorn_writer_write(writer, "new", 3, &error);
    if (rc == 0)
        rc = untorn_writer_commit(writer, &error);
    untorn_writer_free(writer);
    return rc;
}

TEST(a_writer_survives_every_failed_allocation)
{
    CHECK(walk(begin_with_old, stream, check_old_or_new) >= 3);
}
