/* Memory in large pages. */
#include "harness.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/pages.h"

static bool is_mapped(char *page)
{
    unsigned char resident;
    return mincore(page, 1, &resident) == 0;
}

static long faults(void)
{
    struct rusage usage;
    CHECK_INT(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_minflt;
}

/* Whether the kernel gives large pages to those who ask. */
static bool has_large_pages(void)
{
    char modes[64] = "";
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
    if (file && !fgets(modes, sizeof modes, file))
        modes[0] = '\0';
    if (file)
        fclose(file);
    return modes[0] && !strstr(modes, "[never]");
}

TEST(pages_are_cleared_and_begin_at_a_large_one)
{
    char *first = pages_take(PAGES_LARGE), *second = pages_take(3 * PAGES_LARGE);
    CHECK(first && second);
    CHECK_INT((uintptr_t)first % PAGES_LARGE, 0);
    CHECK_INT((uintptr_t)second % PAGES_LARGE, 0);
    for (size_t i = 0; i < 3 * PAGES_LARGE; i += 1000)
        CHECK_INT(second[i], 0);
    memset(first, 1, PAGES_LARGE);
    memset(second, 2, 3 * PAGES_LARGE);
    CHECK_INT(first[PAGES_LARGE - 1], 1);
    pages_give_back(first, PAGES_LARGE);
    pages_give_back(second, 3 * PAGES_LARGE);
}

TEST(what_is_given_back_is_the_systems)
{
    char *pages = pages_take(2 * PAGES_LARGE);
    CHECK(is_mapped(pages) && is_mapped(pages + 2 * PAGES_LARGE - 4096));
    pages_give_back(pages, 2 * PAGES_LARGE);
    CHECK(!is_mapped(pages) && !is_mapped(pages + 2 * PAGES_LARGE - 4096));
}

TEST(too_much_is_refused)
{
    CHECK(pages_take(SIZE_MAX / PAGES_LARGE * PAGES_LARGE) == NULL);
    CHECK(pages_take(SIZE_MAX / 2 / PAGES_LARGE * PAGES_LARGE) == NULL);
}

static long faults_of_touching(char *memory, size_t size)
{
    long before = faults();
    memset(memory, 1, size);
    return faults() - before;
}

/* Less than a quarter of what small pages would take; a sanitizer touches some beside them. */
TEST(large_pages_interrupt_seldom)
{
    size_t size = 8 * PAGES_LARGE;
    long few = (long)(size / 4096 / 4);
    if (!has_large_pages())
        SKIP("the kernel gives no large pages");
    char *pages = pages_take(size), *memory = pages_malloc(size);
    CHECK(faults_of_touching(pages, size) < few);
    CHECK(faults_of_touching(memory, size) < 2 * few); /* it begins and ends anywhere */
    pages_give_back(pages, size);
    free(memory);
}

TEST(memory_of_any_size_is_freed_as_usual)
{
    for (size_t size = 0; size < 5 * PAGES_LARGE; size = 2 * size + 1) {
        char *memory = pages_malloc(size);
        CHECK(memory);
        memset(memory, 1, size);
        free(memory);
    }
}
