#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "txn/operation.h"

static struct untorn_error error;

static int add(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    char text[64];
    int size = snprintf(text, sizeof text, "%s%s", old ? old->data : "-", (const char *)context);
    return untorn_change_set(change, text, (size_t)size);
}

static int leave(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    (void)context;
    return old ? untorn_change_set(change, old->data, old->size) : 0;
}

static int refuse(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    (void)context, (void)old, (void)change;
    return 7;
}

static int explain(void *context, struct untorn_error *reterr)
{
    (void)context;
    return error_fail(reterr, UNTORN_NO_KEY, NULL);
}

static int released;

static void release(void *context)
{
    (void)context;
    released++;
}

TEST(operations_go_on_from_each_other)
{
    struct operation last = {.kind = OPERATION_CHANGE, .function = add, .context = "3"};
    struct operation first = {
        .kind = OPERATION_CHANGE, .function = add, .context = "2", .next = &last};
    struct content content = {.exists = true, .as_found = true, .data = "1", .size = 1};
    CHECK_INT(operation_run(&first, &content, &error), 0);
    CHECK_TEXT(content.data, "123");
    CHECK(!content.as_found);
    free(content.made);
    content = (struct content){0};
    CHECK_INT(operation_run(&first, &content, &error), 0);
    CHECK_TEXT(content.data, "-23");
    free(content.made);
}

TEST(what_a_function_gives_back_as_it_was_is_as_found)
{
    struct operation one = {.kind = OPERATION_CHANGE, .function = leave};
    struct content content = {.exists = true, .as_found = true, .data = "1", .size = 1};
    CHECK_INT(operation_run(&one, &content, &error), 0);
    CHECK(content.as_found);
    content = (struct content){0};
    CHECK_INT(operation_run(&one, &content, &error), 0);
    CHECK(!content.exists);
}

TEST(a_removal_needs_something_to_remove)
{
    struct operation put = {.kind = OPERATION_PUT, .data = "x", .size = 1};
    struct operation gone = {.kind = OPERATION_REMOVE, .next = &put};
    struct content content = {.exists = true};
    CHECK_INT(operation_run(&gone, &content, &error), 0);
    CHECK_TEXT(content.data, "x");
    content = (struct content){0};
    CHECK_INT(operation_run(&gone, &content, &error), -UNTORN_MISSING);
}

TEST(a_refusal_says_why_if_it_can)
{
    struct operation one = {.kind = OPERATION_CHANGE, .function = refuse};
    struct content content = {0};
    CHECK_INT(operation_run(&one, &content, &error), -UNTORN_REFUSED);
    CHECK_INT(error.os_error, 7);
    one.owner.refused = explain;
    CHECK_INT(operation_run(&one, &content, &error), -UNTORN_NO_KEY);
}

TEST(what_an_owner_gave_is_released_with_the_operation)
{
    struct operation *put = operation_put("abc", 3);
    CHECK(put && put->data[3] == '\0');
    put->owner.release = release;
    put->next = operation_put("", 0);
    operation_free(put);
    operation_free(NULL);
    CHECK_INT(released, 1);
}

TEST(only_a_change_that_comes_first_needs_the_content_of_the_file)
{
    struct operation put = {.kind = OPERATION_PUT}, change = {.kind = OPERATION_CHANGE};
    CHECK(!operation_needs_content(&put));
    CHECK(operation_needs_content(&change));
    CHECK(!operation_needs_content(NULL));
}
