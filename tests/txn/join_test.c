/* A write, update or edit of a member by the thread that has the transaction open joins it. */
#include "txn/commits.h"

#include <pthread.h>

static struct untorn_error error;
static struct untorn_transaction *save;

static int add_star(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    char text[64];
    (void)context;
    int size = snprintf(text, sizeof text, "%s*", old ? old->data : "none");
    return untorn_change_set(change, text, (size_t)size);
}

static void begin(const char *path, const char *text)
{
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_put(save, path, text, strlen(text), NULL, &error), 0);
}

static void end(int expected)
{
    CHECK_INT(untorn_transaction_commit(save, &error), expected);
    untorn_transaction_free(save);
}

TEST(a_write_of_a_member_joins)
{
    put("x", "old");
    begin("x", "put");
    CHECK_INT(untorn_write("x", "joined", 6, NULL, &error), 0);
    CHECK_TEXT(text_of("x"), "old");
    end(0);
    CHECK_TEXT(text_of("x"), "joined");
}

static struct untorn_writer *stream(const char *path, const char *text,
                                    const struct untorn_options *options)
{
    struct untorn_writer *writer;
    CHECK_INT(untorn_writer_begin(path, options, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, text, strlen(text), &error), 0);
    return writer;
}

TEST(a_stream_into_a_member_joins_when_it_is_committed)
{
    put("x", "old");
    CHECK_INT(chmod("x", 0640), 0);
    begin("x", "put");
    struct untorn_writer *writer = stream("./x", "streamed", NULL);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    CHECK_TEXT(text_of("x"), "old");
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    CHECK_INT(untorn_writer_commit(writer, &error), -UNTORN_INVALID);
    untorn_writer_free(writer);
    untorn_writer_free(stream("x", "given up", NULL));
    end(0);
    CHECK_TEXT(text_of("x"), "streamed");
    CHECK_INT(mode_of("x"), 0640);
}

TEST(the_options_of_a_stream_become_those_of_the_member)
{
    struct untorn_options options = {.mode = 0600};
    begin("x", "put");
    struct untorn_writer *writer = stream("x", "streamed", &options);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    untorn_writer_free(writer);
    end(0);
    CHECK_INT(mode_of("x"), 0600);
}

TEST(a_stream_into_another_file_does_not_join)
{
    begin("x", "put");
    struct untorn_writer *writer = stream("y", "now", NULL);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    untorn_writer_free(writer);
    CHECK_TEXT(text_of("y"), "now");
    end(0);
}

TEST(a_member_is_known_by_the_file_not_by_the_path)
{
    put("x", "old");
    CHECK_INT(symlink("x", "link"), 0);
    begin("x", "put");
    CHECK_INT(untorn_write("./link", "joined", 6, NULL, &error), 0);
    CHECK_TEXT(text_of("x"), "old");
    end(0);
    CHECK_TEXT(text_of("x"), "joined");
}

TEST(a_write_of_another_file_does_not)
{
    begin("x", "put");
    CHECK_INT(untorn_write("y", "now", 3, NULL, &error), 0);
    CHECK_TEXT(text_of("y"), "now");
    end(0);
}

TEST(an_update_goes_on_from_what_the_member_would_become)
{
    put("x", "old");
    begin("x", "put");
    CHECK_INT(untorn_update("x", add_star, NULL, NULL, &error), 0);
    CHECK_INT(untorn_update("x", add_star, NULL, NULL, &error), 0);
    CHECK_TEXT(text_of("x"), "old");
    end(0);
    CHECK_TEXT(text_of("x"), "put**");
}

TEST(an_update_that_goes_on_from_the_file_is_on_condition_that_it_stays)
{
    for (int i = 0; i < 2; i++) {
        put("x", "old");
        CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
        CHECK_INT(untorn_transaction_change(save, "x", add_star, NULL, NULL, &error), 0);
        CHECK_INT(untorn_update("x", add_star, NULL, NULL, &error), 0);
        if (i == 1)
            put("x", "other");
        end(i == 1 ? -UNTORN_CHANGED : 0);
        CHECK_TEXT(text_of("x"), i == 1 ? "other" : "old**");
    }
}

TEST(an_update_that_goes_on_from_no_file_is_on_condition_that_there_is_none)
{
    CHECK_INT(untorn_transaction_begin(NULL, &save, &error), 0);
    CHECK_INT(untorn_transaction_change(save, "x", add_star, NULL, NULL, &error), 0);
    CHECK_INT(untorn_update("x", add_star, NULL, NULL, &error), 0);
    put("x", "other");
    end(-UNTORN_EXISTS);
    CHECK_TEXT(text_of("x"), "other");
}

TEST(the_options_of_an_update_join_with_it)
{
    struct untorn_hash other = untorn_hash("other", 5);
    struct untorn_options options = {.mode = 0600};
    put("x", "old");
    begin("x", "put");
    CHECK_INT(untorn_update("x", add_star, NULL, &options, &error), 0);
    end(0);
    CHECK_INT(mode_of("x"), 0600);
    options.if_match = &other;
    begin("x", "again");
    CHECK_INT(untorn_update("x", add_star, NULL, &options, &error), 0);
    end(-UNTORN_CHANGED);
    CHECK_TEXT(text_of("x"), "put*");
}

TEST(an_edit_joins_too)
{
    struct untorn_edit edit = {.kind = UNTORN_SET, .key = "b", .value = "2", .value_size = 1};
    put("x.json", "{\"a\": 1}\n");
    begin("x.json", "{\"c\": 3}\n");
    CHECK_INT(untorn_edit("x.json", &edit, 1, NULL, NULL, &error), 0);
    CHECK_TEXT(text_of("x.json"), "{\"a\": 1}\n");
    end(0);
    CHECK(strstr(text_of("x.json"), "\"b\": 2") && strstr(text_of("x.json"), "\"c\": 3"));
}

static void *write_from_another_thread(void *context)
{
    (void)context;
    CHECK_INT(untorn_write("x", "thread", 6, NULL, NULL), 0);
    return NULL;
}

TEST(another_thread_is_not_part_of_it)
{
    pthread_t thread;
    begin("x", "put");
    CHECK_INT(pthread_create(&thread, NULL, write_from_another_thread, NULL), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    CHECK_TEXT(text_of("x"), "thread");
    end(0);
    CHECK_TEXT(text_of("x"), "put");
}

TEST(after_the_end_of_the_transaction_a_write_stands_for_itself)
{
    begin("x", "put");
    end(0);
    CHECK_INT(untorn_write("x", "alone", 5, NULL, &error), 0);
    CHECK_TEXT(text_of("x"), "alone");
    begin("x", "put");
    untorn_transaction_free(save);
    CHECK_INT(untorn_write("x", "again", 5, NULL, &error), 0);
    CHECK_TEXT(text_of("x"), "again");
}

struct nested {
    const char *path;
    int calls, rc;
};

static int write_within(void *context, const struct untorn_content *old,
                        struct untorn_change *change)
{
    struct nested *nested = context;
    nested->calls++;
    nested->rc = untorn_write(nested->path, "within", 6, NULL, &error);
    return add_star(NULL, old, change);
}

static int update_within(void *context, const struct untorn_content *old,
                         struct untorn_change *change)
{
    struct nested *nested = context;
    nested->calls++;
    nested->rc = untorn_update(nested->path, add_star, NULL, NULL, &error);
    return add_star(NULL, old, change);
}

TEST(what_a_function_of_the_commit_writes_of_a_member_is_refused)
{
    untorn_change_function *const functions[] = {write_within, update_within};
    static const char *const members[] = {"y", "./y", "x"};
    for (int i = 0; i < 6; i++) {
        struct nested nested = {.path = members[i / 2]};
        struct untorn_error outer;
        put("x", "old");
        put("y", "old");
        begin("y", "new");
        CHECK_INT(untorn_transaction_change(save, "x", functions[i % 2], &nested, NULL, &error), 0);
        CHECK_INT(untorn_transaction_commit(save, &outer), 0);
        untorn_transaction_free(save);
        CHECK_INT(nested.rc, -UNTORN_INVALID);
        CHECK_INT(nested.calls, 1);
        CHECK_TEXT(text_of("x"), "old*");
        CHECK_TEXT(text_of("y"), "new");
    }
}

TEST(what_a_function_of_the_commit_writes_of_another_file_is_written)
{
    struct nested nested = {.path = "z"};
    put("x", "old");
    begin("y", "new");
    CHECK_INT(untorn_transaction_change(save, "x", write_within, &nested, NULL, &error), 0);
    end(0);
    CHECK_INT(nested.rc, 0);
    CHECK_TEXT(text_of("z"), "within");
    CHECK_INT(untorn_write("y", "later", 5, NULL, &error), 0); /* it is over */
    CHECK_TEXT(text_of("y"), "later");
}

/* Its commit would take back what they do, and nobody would see that. */
TEST(what_cannot_join_is_refused_and_changes_nothing)
{
    put("x", "older");
    CHECK_INT(untorn_write("x", "old", 3, NULL, &error), 0);
    begin("y", "new");
    CHECK_INT(untorn_transaction_put(save, "x", "new", 3, NULL, &error), 0);
    CHECK_INT(untorn_append("./x", "line", 4, UNTORN_RECORDS_TEXT, NULL, &error), -UNTORN_INVALID);
    CHECK_INT(untorn_restore("x", 1, NULL, &error), -UNTORN_INVALID);
    CHECK_INT(untorn_undo("x", NULL, NULL, NULL, &error), -UNTORN_INVALID);
    CHECK_TEXT(text_of("x"), "old");
    CHECK_INT(untorn_append("z", "line", 4, UNTORN_RECORDS_TEXT, NULL, &error), 0);
    end(0);
    CHECK_TEXT(text_of("x"), "new");
    CHECK_INT(untorn_undo("x", NULL, NULL, NULL, &error), 0);
    CHECK_TEXT(text_of("x"), "old");
}
