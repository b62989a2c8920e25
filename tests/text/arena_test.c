#include "harness.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "heap.h"
#include "text/arena.h"

TEST(what_is_taken_is_aligned_apart_and_stays)
{
    enum { COUNT = 3000 };
    struct arena arena = {0};
    static unsigned char *taken[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        taken[i] = arena_take(&arena, i % 97);
        CHECK(taken[i] != NULL);
        CHECK_INT((uintptr_t)taken[i] % alignof(uint64_t), 0);
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
    CHECK(!arena.blocks && !arena.kept && !arena.rooms && !arena.at && !arena.end);
    CHECK_TEXT(arena_copy(&arena, "two", 3), "two");
    arena_free(&arena);
}

TEST(what_is_given_back_is_taken_next_and_then_the_rest_of_the_block)
{
    struct arena arena = {0};
    char *outgrown = arena_take(&arena, 1000), *last = arena_take(&arena, 8);
    arena_give_back(&arena, outgrown, 1000);
    CHECK(arena_take(&arena, 600) == outgrown);
    CHECK(arena_take(&arena, 400) == outgrown + 600);
    CHECK(arena_take(&arena, 8) == last + 8);
    arena_free(&arena);
}

TEST(a_room_that_is_too_small_waits)
{
    struct arena arena = {0};
    char *outgrown = arena_take(&arena, 1000), *last = arena_take(&arena, 8);
    arena_give_back(&arena, outgrown, 1000);
    CHECK(arena_take(&arena, 1008) == last + 8);
    char *taken = arena_take(&arena, 8);
    for (int i = 0; i < 400 && taken != outgrown; i++)
        taken = arena_take(&arena, 8);
    CHECK(taken == outgrown);
    arena_free(&arena);
}

TEST(the_rest_of_a_block_is_not_lost_when_a_large_piece_needs_another)
{
    struct arena arena = {0};
    char *first = arena_take(&arena, 8), *large = arena_take(&arena, 10000);
    CHECK(large < first || large > first + 4096);
    char *behind = arena_take(&arena, 2000); /* no room behind the large one */
    CHECK(behind == first + 8);
    arena_free(&arena);
}

TEST(too_little_to_be_worth_it_is_not_kept)
{
    struct arena arena = {0};
    char *outgrown = arena_take(&arena, 100);
    arena_take(&arena, 3900);
    arena_give_back(&arena, outgrown, 100);
    CHECK(arena_take(&arena, 90) != outgrown);
    arena_free(&arena);
}

TEST(behind_a_mark_the_same_memory_is_taken_again)
{
    enum { COUNT = 40 };
    struct arena arena = {0};
    char *pieces[COUNT];
    CHECK_TEXT(arena_copy(&arena, "stays", 5), "stays");
    char *stays = arena.at - 8;
    struct arena_mark mark = arena_mark(&arena);
    for (int i = 0; i < COUNT; i++)
        pieces[i] = arena_take(&arena, 1000);
    arena_give_back(&arena, pieces[1], 1000);
    arena_rewind(&arena, mark);
    for (int i = 0; i < COUNT; i++)
        CHECK(arena_take(&arena, 1000) == pieces[i]);
    CHECK_TEXT(stays, "stays");
    arena_rewind(&arena, (struct arena_mark){0});
    CHECK(arena_take(&arena, 8) == stays);
    arena_free(&arena);
}

TEST(what_is_large_lies_in_large_pages)
{
    struct arena arena = {.grows = true};
    char *last = NULL, *taken = NULL;
    size_t pages = 0;
    for (size_t i = 0; i < 200000; i++, last = taken) {
        taken = arena_take(&arena, 96);
        CHECK(taken);
        if (i * 96 > 200 * 1024 && taken != last + 96) { /* a new block */
            CHECK_INT((uintptr_t)taken % PAGES_LARGE, 0);
            pages++;
        }
    }
    CHECK(pages > 1 && pages < 6);
    arena_free(&arena);
}

TEST(a_small_arena_takes_no_large_page)
{
    struct arena arena = {.grows = true};
    for (size_t i = 0; i < 1000; i++)
        CHECK((uintptr_t)arena_take(&arena, 96) % PAGES_LARGE != 0);
    arena_free(&arena);
}

static bool take_much(void)
{
    struct arena arena = {0};
    bool all = arena_take(&arena, 1) != NULL;
    for (size_t size = 1; size < 1000000; size *= 3)
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
