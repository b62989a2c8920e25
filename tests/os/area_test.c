#include "harness.h"

#include <errno.h>

#include "os/os.h"

TEST(where_there_are_no_areas_none_is_made_or_joined)
{
    struct os_area area = {.handle = OS_NONE};
    if (os_area_make(4096, &area) != -ENOSYS)
        SKIP("there are areas here");
    CHECK_INT(os_area_join(1, 3, 1, 4096, &area), -ENOENT);
    os_area_leave(&area);
    CHECK(!area.memory);
}

TEST(a_word_is_loaded_stored_and_swapped)
{
    uint32_t word = 0;
    os_store(&word, 7);
    CHECK_INT(os_load(&word), 7);
    CHECK(!os_swap(&word, 6, 8));
    CHECK(os_swap(&word, 7, 8));
    CHECK_INT(os_load(&word), 8);
}

TEST(waiting_ends_at_once_where_the_word_is_another_and_else_in_time)
{
    uint32_t word = 1;
    os_wait(&word, 0, 3600000000000);
    os_wait(&word, 1, 1000000);
    os_wake(&word);
    CHECK_INT(os_load(&word), 1);
}
