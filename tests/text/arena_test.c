#include "harness.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "text/arena.h"
#include "text/heap.h"

TEST(what_is_taken_is_aligned_apart_and_stays)
{
    enum { COUNT = 3000 };
    struct arena arena = {0};
    static unsigned char *taken[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        taken[i] = arena_take(&arena, i % 97);
        CHECK(taken[i] != NULL);
        CHECK_INT((uintptr_t)taken[i] % alignof(max_align_t), 0);
        memset(taken[i], (int)(i % 251), i % 97);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < i % 97; j++)
            CHECK_INT(taken[i][j], i % 251);
    arena_free(&arena);
}

TEST(a_piece_may_be_larger_than_any_block)
{
    struct arena arena = {0};
    char *before = arena_copy(&arena, "before", 6);
    char *large = arena_take(&arena, 5 * 1024 * 1024);
    CHECK(before && large);
    memset(large, 'x', 5 * 1024 * 1024);
    char *after = arena_copy(&arena, "after", 5);
    CHECK_TEXT(before, "before");
    CHECK_TEXT(after, "after");
    CHECK_INT(large[5 * 1024 * 1024 - 1], 'x');
    arena_free(&arena);
}

TEST(nothing_is_something_too)
{
    struct arena arena = {0};
    char *first = arena_take(&arena, 0), *second = arena_take(&arena, 0);
    CHECK(first && second && first != second);
    arena_free(&arena);
}

TEST(a_copy_is_terminated_and_keeps_nul_bytes)
{
    struct arena arena = {0};
    CHECK_BYTES(arena_copy(&arena, "a\0b", 3), 4, "a\0b", 4);
    CHECK_TEXT(arena_copy(&arena, "abc", 2), "ab");
    CHECK_TEXT(arena_copy(&arena, NULL, 0), "");
    arena_free(&arena);
}

TEST(an_impossible_size_is_refused_and_the_arena_goes_on)
{
    struct arena arena = {0};
    CHECK(arena_take(&arena, SIZE_MAX) == NULL);
    CHECK(arena_take(&arena, SIZE_MAX / 2 + 1) == NULL);
    CHECK(arena_copy(&arena, "", SIZE_MAX) == NULL);
    CHECK(arena_copy(&arena, "", SIZE_MAX / 2) == NULL);
    CHECK_TEXT(arena_copy(&arena, "still here", 10), "still here");
    arena_free(&arena);
}

TEST(an_arena_can_be_freed_twice_and_used_again)
{
    struct arena arena = {0};
    arena_free(&arena);
    CHECK_TEXT(arena_copy(&arena, "one", 3), "one");
    arena_free(&arena);
    arena_free(&arena);
    CHECK(!arena.blocks && !arena.at && !arena.end);
    CHECK_TEXT(arena_copy(&arena, "two", 3), "two");
    arena_free(&arena);
}

static bool take_much(void)
{
    struct arena arena = {0};
    bool all = true;
    for (size_t size = 1; size < 100000; size *= 3)
        all &= arena_take(&arena, size) != NULL;
    for (int i = 0; i < 3000; i++)
        all &= arena_copy(&arena, "some text of a few bytes", 24) != NULL;
    arena_free(&arena);
    return all;
}

TEST(for_want_of_memory_nothing_is_taken_and_nothing_lost)
{
    int allocations = heap_walk(take_much);
    CHECK(allocations > 3 && allocations < 20);
}
