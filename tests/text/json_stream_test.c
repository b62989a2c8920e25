/* One scalar replaced on the fly: the same result as by the general way, wherever a piece ends. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/document.h"
#include "text/json_stream.h"

static struct untorn_error error;

struct pipe {
    const char *text;
    size_t size, at, piece;
    char *out;
    size_t out_size;
    int read_error, write_error;
};

static int64_t pull(void *context, char *data, size_t size)
{
    struct pipe *pipe = context;
    size_t n = pipe->size - pipe->at;
    if (pipe->read_error && pipe->at > 0)
        return pipe->read_error;
    n = n < pipe->piece ? n : pipe->piece;
    n = n < size ? n : size;
    memcpy(data, pipe->text + pipe->at, n);
    pipe->at += n;
    return (int64_t)n;
}

static int push(void *context, const char *data, size_t size)
{
    struct pipe *pipe = context;
    if (pipe->write_error)
        return pipe->write_error;
    memcpy(pipe->out + pipe->out_size, data, size);
    pipe->out_size += size;
    return 0;
}

static int run(struct pipe *pipe, const struct untorn_edit *edit)
{
    struct json_stream_io io = {.read = pull, .write = push, .context = pipe};
    error_begin(&error, NULL, "f");
    free(pipe->out);
    pipe->out = malloc(pipe->size + 4096);
    pipe->out_size = pipe->at = 0;
    return json_stream_set(edit, UNTORN_JSONC, &io, &error);
}

static struct untorn_edit set(const char *key, const char *value, enum untorn_syntax syntax)
{
    return (struct untorn_edit){.kind = UNTORN_SET,
                                .key = key,
                                .value = value,
                                .value_size = strlen(value),
                                .syntax = syntax};
}

/* Runs the edit in pieces of every size, and compares with the general way. */
static int both(const char *text, const char *key, const char *value, enum untorn_syntax syntax)
{
    struct untorn_edit edit = set(key, value, syntax);
    struct pipe pipe = {.text = text, .size = strlen(text)};
    char *expected;
    size_t expected_size;
    int rc = 0;
    int general =
        document_edit(text, pipe.size, UNTORN_JSONC, &edit, 1, &expected, &expected_size, &error);
    for (pipe.piece = 1; pipe.piece <= pipe.size + 1; pipe.piece++) {
        rc = run(&pipe, &edit);
        if (rc == JSON_STREAM_UNSUITED)
            break;
        CHECK_INT(general, 0);
        if (rc == JSON_STREAM_UNCHANGED) {
            CHECK_INT(expected_size, pipe.size);
            CHECK_INT(memcmp(expected, text, pipe.size), 0);
            continue;
        }
        CHECK_INT(rc, 0);
        CHECK_INT(pipe.out_size, expected_size);
        CHECK_INT(memcmp(pipe.out, expected, expected_size), 0);
    }
    free(expected);
    free(pipe.out);
    return rc;
}

static const char sample[] = "{ // first\n"
                             "  \"name\": \"a \\u00e9 \\\"b\\\"\",\n"
                             "  \"list\": [1, {\"deep\": [true, null]}, [], \"x\"],\n"
                             "  \"esc\\u0061ped\": 1.50,\n"
                             "  \"\": {\"a\": -0, \"b\": {}},\n"
                             "  \"last\": false /* end */\n"
                             "}\n";

/* [STREAM-2] */
TEST(a_scalar_is_replaced_as_the_general_way_does_it)
{
    CHECK_INT(both(sample, "name", "new", UNTORN_PLAIN), 0);
    CHECK_INT(both(sample, "list[0]", "22", UNTORN_PLAIN), 0);
    CHECK_INT(both(sample, "list[1].deep[0]", "false", UNTORN_PLAIN), 0);
    CHECK_INT(both(sample, "list[1].deep[1]", "7", UNTORN_PLAIN), 0);
    CHECK_INT(both(sample, "list[3]", "5", UNTORN_AS_JSON), 0);
    CHECK_INT(both(sample, "escaped", "1e3", UNTORN_PLAIN), 0);
    CHECK_INT(both(sample, "\"\".a", "1", UNTORN_PLAIN), 0);
    CHECK_INT(both(sample, "last", "true", UNTORN_PLAIN), 0);
    CHECK_INT(both(sample, "/list/1/deep/0", "false", UNTORN_PLAIN), 0);
    CHECK_INT(both(sample, "last", "a \"quoted\" \\ text", UNTORN_AS_STRING), 0);
    CHECK_INT(both("[1,2]", "[1]", "3", UNTORN_PLAIN), 0);
    CHECK_INT(both("\xef\xbb\xbf{\"a\":1}", "a", "2", UNTORN_PLAIN), 0);
}

TEST(a_value_that_is_there_already_changes_nothing)
{
    CHECK_INT(both(sample, "list[0]", "1", UNTORN_PLAIN), JSON_STREAM_UNCHANGED);
    CHECK_INT(both(sample, "escaped", "1.5", UNTORN_PLAIN), JSON_STREAM_UNCHANGED);
    CHECK_INT(both(sample, "last", "false", UNTORN_PLAIN), JSON_STREAM_UNCHANGED);
}

/* [STREAM-1] */
TEST(what_is_no_plain_case_is_left_to_the_general_way)
{
    static const struct {
        const char *text, *key, *value;
        enum untorn_syntax syntax;
    } cases[] = {
        {sample, "missing", "1", UNTORN_PLAIN},
        {sample, "list", "1", UNTORN_AS_JSON},
        {sample, "last", "[1]", UNTORN_AS_JSON},
        {sample, "last", "12", UNTORN_PLAIN},
        {sample, "list[9]", "1", UNTORN_PLAIN},
        {sample, "list[-1]", "1", UNTORN_PLAIN},
        {sample, "list[+]", "1", UNTORN_PLAIN},
        {sample, "list.a", "1", UNTORN_PLAIN},
        {sample, "name[0]", "1", UNTORN_PLAIN},
        {sample, "a..b", "1", UNTORN_PLAIN},
        {"{\"a\": 1, \"a\": 2}", "a", "3", UNTORN_PLAIN},
        {"{\"a\": {\"b\": 1}, \"a.b\": 2}", "a.b", "3", UNTORN_PLAIN},
        {"{\"a.b\": 2, \"a\": {\"b\": 1}}", "a.b", "3", UNTORN_PLAIN},
        {"{\"a\": 1", "a", "3", UNTORN_PLAIN},
        {"{\"a\": 1} x", "a", "3", UNTORN_PLAIN},
        {"{\"a\": 1, \"b\": 01}", "a", "3", UNTORN_PLAIN},
        {"", "a", "3", UNTORN_PLAIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(both(cases[i].text, cases[i].key, cases[i].value, cases[i].syntax),
                  JSON_STREAM_UNSUITED);
}

TEST(a_failure_of_reading_or_writing_is_told)
{
    struct untorn_edit edit = set("name", "new", UNTORN_PLAIN);
    struct pipe pipe = {.text = sample, .size = strlen(sample), .piece = 8, .read_error = -EIO};
    CHECK_INT(run(&pipe, &edit), -UNTORN_IO);
    pipe.read_error = 0;
    pipe.write_error = -ENOSPC;
    CHECK_INT(run(&pipe, &edit), -UNTORN_NO_SPACE);
    CHECK_INT(error.status, UNTORN_NO_SPACE);
    pipe.write_error = 0;
    CHECK_INT(run(&pipe, &edit), 0);
    free(pipe.out);
}

/* Larger than the buffer; the value at the end, and strings that alone are larger. */
TEST(a_text_larger_than_the_buffer_goes_through)
{
    enum { SIZE = 2000000 };
    char *text = malloc(SIZE + 64);
    size_t at = 0, elements = 0;
    text[at++] = '[';
    for (; at < SIZE / 2; elements++)
        at += (size_t)sprintf(text + at, "{\"a\": [1, 2, %zu]},\n", at);
    text[at++] = '"';
    memset(text + at, 's', SIZE - at - 1);
    at = SIZE - 1;
    strcpy(text + at, "\", {\"k\": 1}]");
    struct pipe pipe = {.text = text, .size = strlen(text), .piece = 100000};
    char key[64];
    snprintf(key, sizeof key, "[%zu].k", elements + 1);
    struct untorn_edit edit = set(key, "2", UNTORN_PLAIN);
    CHECK_INT(run(&pipe, &edit), 0);
    CHECK_INT(pipe.out_size, pipe.size);
    CHECK_INT(memcmp(pipe.out, text, pipe.size - 3), 0);
    CHECK_INT(pipe.out[pipe.size - 3], '2');
    free(pipe.out);
    free(text);
}
