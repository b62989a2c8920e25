/* Edits as bytes. */
#include "harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "combine/request.h"
#include "heap.h"

static const char *const segments[] = {"a.b", "", "c"};
static const struct untorn_edit edits[] = {
    {.kind = UNTORN_SET, .key = "a.b", .value = "x\0y", .value_size = 3, .secret = true},
    {.kind = UNTORN_UNSET, .segments = segments, .segment_count = 3},
    {.kind = UNTORN_JSON_PATCH,
     .key = "",
     .value = "[]",
     .value_size = 2,
     .syntax = UNTORN_AS_JSON},
    {.kind = UNTORN_ENSURE, .key = "k", .value = "v", .value_size = 1},
};
static const struct request request = {
    .edits = edits, .count = 4, .format = UNTORN_TOML, .level = UNTORN_ORDERED, .keep = -1};

TEST(what_is_written_is_read)
{
    char bytes[1000];
    struct request read;
    size_t size = request_write(&request, bytes, sizeof bytes);
    CHECK(size > 0);
    CHECK_INT(request_read(&read, bytes, size), 0);
    memset(bytes, 'z', sizeof bytes); /* it is a copy */
    CHECK_INT(read.count, 4);
    CHECK_INT(read.format, UNTORN_TOML);
    CHECK_INT(read.level, UNTORN_ORDERED);
    CHECK_INT(read.keep, -1);
    CHECK_INT(read.edits[0].kind, UNTORN_SET);
    CHECK_TEXT(read.edits[0].key, "a.b");
    CHECK_BYTES(read.edits[0].value, read.edits[0].value_size, "x\0y", 3);
    CHECK(read.edits[0].secret && !read.edits[1].secret);
    CHECK(!read.edits[1].key);
    CHECK_INT(read.edits[1].segment_count, 3);
    for (int i = 0; i < 3; i++)
        CHECK_TEXT(read.edits[1].segments[i], segments[i]);
    CHECK_INT(read.edits[2].syntax, UNTORN_AS_JSON);
    CHECK_TEXT(read.edits[2].key, "");
    CHECK_INT(read.edits[3].kind, UNTORN_ENSURE);
    request_free(&read);
    request_free(&read);
}

TEST(what_does_not_fit_is_not_written)
{
    char bytes[1000];
    size_t size = request_write(&request, bytes, sizeof bytes);
    for (size_t room = 0; room < size; room++) {
        char *exact = malloc(room + 1);
        CHECK_INT(request_write(&request, exact, room), 0);
        free(exact);
    }
    CHECK_INT(request_write(&request, bytes, size), size);
    struct request many = {.edits = edits, .count = 5000};
    CHECK_INT(request_write(&many, bytes, sizeof bytes), 0);
    struct untorn_edit deep = {.kind = UNTORN_UNSET, .segments = segments, .segment_count = 5000};
    struct request one = {.edits = &deep, .count = 1};
    CHECK_INT(request_write(&one, bytes, sizeof bytes), 0);
}

TEST(what_was_cut_or_changed_is_refused_or_another_request)
{
    char bytes[1000];
    struct request read;
    size_t size = request_write(&request, bytes, sizeof bytes);
    for (size_t cut = 0; cut < size; cut++)
        CHECK_INT(request_read(&read, bytes, cut), -EBADMSG);
    CHECK_INT(request_read(&read, bytes, size + 1), -EBADMSG);
    for (size_t i = 0; i < size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] = (char)(bytes[i] ^ 1 << bit);
            int rc = request_read(&read, bytes, size);
            CHECK(rc == 0 || rc == -EBADMSG);
            request_free(&read);
            bytes[i] = (char)(bytes[i] ^ 1 << bit);
        }
    }
}

TEST(a_kind_that_there_is_not_is_refused)
{
    struct untorn_edit edit = {.kind = (enum untorn_edit_kind)(UNTORN_ENSURE + 1), .key = "k"};
    struct request strange = {.edits = &edit, .count = 1, .format = UNTORN_JSON}, read;
    char bytes[100];
    size_t size = request_write(&strange, bytes, sizeof bytes);
    CHECK_INT(request_read(&read, bytes, size), -EBADMSG);
}

TEST(a_long_request_has_no_more_segments_than_a_short_one)
{
    enum { VALUE = 8000 };
    static char value[VALUE], bytes[2 * VALUE];
    struct untorn_edit edit = {.kind = UNTORN_SET,
                               .segments = segments,
                               .segment_count = 3,
                               .value = value,
                               .value_size = VALUE};
    struct request large = {.edits = &edit, .count = 1}, read;
    size_t size = request_write(&large, bytes, sizeof bytes);
    CHECK_INT(request_read(&read, bytes, size), 0);
    CHECK_INT(read.edits[0].segment_count, 3);
    request_free(&read);
}

TEST(without_memory_nothing_is_read)
{
    char bytes[1000];
    struct request read;
    size_t size = request_write(&request, bytes, sizeof bytes);
    heap_needed();
    heap_fail(1);
    int rc = request_read(&read, bytes, size);
    CHECK(heap_failed());
    CHECK_INT(rc, -ENOMEM);
    request_free(&read);
}
