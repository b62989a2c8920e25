#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "heap.h"
#include "text/parsed.h"
#include "text/write.h"

/* The text with all objects sorted, on one line. */
static const char *sorted(const char *json)
{
    static struct buffer buffer;
    struct parsed parsed;
    struct flaw flaw;
    struct arena arena = {0};
    CHECK_INT(parse_json(json, strlen(json), UNTORN_JSON, &parsed, &flaw), 0);
    struct untorn_node *copy = sorted_copy(&arena, parsed.root);
    CHECK(copy != NULL);
    buffer_free(&buffer);
    write_json(&buffer, copy, &(struct untorn_style){.compact = true, .tight = true}, 0);
    arena_free(&arena);
    parsed_free(&parsed);
    return buffer.data;
}

TEST(members_are_in_the_order_of_their_code_points)
{
    CHECK_TEXT(sorted("{\"b\":1,\"a\":2,\"c\":3}"), "{\"a\":2,\"b\":1,\"c\":3}");
    CHECK_TEXT(sorted("{\"ab\":1,\"b\":2,\"a\":3,\"\":4,\"B\":5}"),
               "{\"\":4,\"B\":5,\"a\":3,\"ab\":1,\"b\":2}");
    /* U+FF5E comes before U+1F600, though not in UTF-16 */
    CHECK_TEXT(sorted("{\"\xf0\x9f\x98\x80\":1,\"\xef\xbd\x9e\":2,\"\xc3\xa9\":3,\"z\":4}"),
               "{\"z\":4,\"\xc3\xa9\":3,\"\xef\xbd\x9e\":2,\"\xf0\x9f\x98\x80\":1}");
}

TEST(elements_stay_where_they_are_and_what_they_hold_is_sorted)
{
    CHECK_TEXT(sorted("[3,1,2]"), "[3,1,2]");
    CHECK_TEXT(sorted("[{\"b\":{\"d\":1,\"c\":2},\"a\":[{\"y\":1,\"x\":2}]},1]"),
               "[{\"a\":[{\"x\":2,\"y\":1}],\"b\":{\"c\":2,\"d\":1}},1]");
    CHECK_TEXT(sorted("1"), "1");
    CHECK_TEXT(sorted("{}"), "{}");
}

TEST(members_of_one_key_keep_their_order)
{
    CHECK_TEXT(sorted("{\"b\":1,\"a\":1,\"b\":2,\"a\":2,\"b\":3,\"a\":3}"),
               "{\"a\":1,\"a\":2,\"a\":3,\"b\":1,\"b\":2,\"b\":3}");
}

static struct untorn_node *shuffled(struct arena *arena, int count)
{
    struct untorn_node *root = node_add(arena, NULL, NULL, 0, UNTORN_OBJECT);
    for (int i = 0; i < count && root; i++) {
        char key[16];
        snprintf(key, sizeof key, "%07d", (int)((long long)i * 7919 % count));
        const char *copy = arena_copy(arena, key, 7);
        if (!copy || !node_add(arena, root, copy, 7, UNTORN_NULL))
            return NULL;
    }
    return root;
}

TEST(any_number_of_members_is_sorted_and_linked_both_ways)
{
    for (int count = 0; count < 100000; count = 2 * count + 1) {
        struct arena arena = {0};
        struct untorn_node *root = shuffled(&arena, count), *copy = sorted_copy(&arena, root);
        CHECK(root && copy);
        int position = 0;
        const struct untorn_node *previous = NULL;
        for (const struct untorn_node *child = copy->first; child; child = child->next) {
            char key[16];
            snprintf(key, sizeof key, "%07d", position++);
            CHECK_TEXT(child->key, key);
            CHECK(child->previous == previous && child->parent == copy);
            previous = child;
        }
        CHECK_INT(position, count);
        CHECK(copy->last == previous);
        CHECK(node_equal(copy, root));
        arena_free(&arena);
    }
}

TEST(the_original_stays_as_it_is)
{
    struct arena arena = {0};
    struct untorn_node *root = shuffled(&arena, 10);
    const struct untorn_node *second = root->first->next;
    CHECK(sorted_copy(&arena, root) != NULL);
    CHECK_TEXT(root->first->next->key, "0000009");
    CHECK(root->first->next == second);
    arena_free(&arena);
}

static bool sort_some(void)
{
    struct arena arena = {0};
    struct untorn_node *root = shuffled(&arena, 300);
    bool done = root && sorted_copy(&arena, root);
    arena_free(&arena);
    return done;
}

TEST(for_want_of_memory_there_is_no_copy)
{
    CHECK(heap_walk(sort_some) > 2);
}
