#include "harness.h"

#include <string.h>

#include "base/nearest.h"

TEST(letters_that_are_added_dropped_changed_and_swapped_are_counted)
{
    CHECK_INT(nearest_distance("port", "port"), 0);
    CHECK_INT(nearest_distance("port", "prt"), 1);
    CHECK_INT(nearest_distance("port", "ports"), 1);
    CHECK_INT(nearest_distance("port", "part"), 1);
    CHECK_INT(nearest_distance("port", "prot"), 1);
    CHECK_INT(nearest_distance("", "abc"), 3);
    CHECK_INT(nearest_distance("abc", ""), 3);
    CHECK_INT(nearest_distance("kitten", "sitting"), 3);
}

TEST(a_slip_is_near_and_another_word_is_not)
{
    size_t distance;
    CHECK(nearest_is_near("sever.port", "server.port", &distance));
    CHECK_INT(distance, 1);
    CHECK(!nearest_is_near("port", "colour", &distance));
    CHECK(!nearest_is_near("a", "xyz", &distance));
}

TEST(a_word_without_end_is_near_to_none)
{
    char text[NEAREST_SIZE + 2];
    size_t distance;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK(!nearest_is_near(text, text, &distance));
    CHECK(!nearest_is_near("a", text, &distance));
    text[NEAREST_SIZE] = '\0';
    CHECK(nearest_is_near(text, text, &distance));
}
