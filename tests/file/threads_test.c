/* Many threads and processes on one file: nothing torn, nothing lost, nothing left. */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>

#include <untorn.h>

#include "file/support.h"

enum { THREADS = 64 };

static struct untorn_options options = {.level = UNTORN_CACHE, .wait_ms = 60000};
static atomic_int done;

static void run_threads(void *(*run)(void *), int count)
{
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < count; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, run, (void *)i), 0);
    for (int i = 0; i < count; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
}

static void check_clean(void)
{
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    struct untorn_holder holder;
    CHECK_INT(untorn_who("f", NULL, &holder, NULL), 0);
    CHECK(!holder.held);
}

enum { SIZE = 20000 };

/* One letter, SIZE times. */
static bool is_whole(const char *data, size_t size)
{
    if (size != SIZE)
        return false;
    for (size_t i = 1; i < size; i++)
        if (data[i] != data[0])
            return false;
    return true;
}

static void *write_or_read(void *context)
{
    static _Thread_local char data[SIZE];
    intptr_t number = (intptr_t)context;
    memset(data, '0' + (int)number, SIZE);
    for (int i = 0; i < 10; i++) {
        if (number % 4) {
            CHECK_INT(untorn_write("f", data, SIZE, &options, NULL), 0);
            continue;
        }
        struct untorn_content content;
        CHECK_INT(untorn_read("f", NULL, &content, NULL), 0);
        CHECK(is_whole(content.data, content.size));
        untorn_content_free(&content);
    }
    return NULL;
}

TEST(sixty_four_threads_write_and_read_only_whole_versions)
{
    char first[SIZE];
    memset(first, 'x', SIZE);
    put_bytes("f", first, SIZE);
    run_threads(write_or_read, THREADS);
    check_clean();
}

TEST(sixty_four_threads_overwrite_in_place_and_readers_see_only_whole_versions)
{
    char first[SIZE];
    memset(first, 'x', SIZE);
    put_bytes("f", first, SIZE);
    options.keep_inode = true;
    ino_t inode = stat_of("f").st_ino;
    run_threads(write_or_read, THREADS);
    CHECK_INT(stat_of("f").st_ino, inode);
    check_clean();
}

static int add_one(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    char text[32];
    (void)context;
    int size = snprintf(text, sizeof text, "%d\n", old ? atoi(old->data) + 1 : 1);
    return untorn_change_set(change, text, (size_t)size);
}

static void *update(void *context)
{
    for (int i = 0; i < 10; i++)
        CHECK_INT(untorn_update("f", add_one, NULL, &options, NULL), 0);
    return context;
}

static void check_number(int number)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d\n", number);
    CHECK_TEXT(text_of("f"), expected);
    check_clean();
}

TEST(sixty_four_threads_lose_no_update)
{
    work_in_memory();
    run_threads(update, THREADS);
    check_number(640);
}

static void update_in_process(void *context)
{
    (void)context;
    run_threads(update, 4);
}

TEST(processes_with_threads_lose_no_update)
{
    pid_t children[8];
    work_in_memory();
    for (int i = 0; i < 8; i++)
        children[i] = start_child(update_in_process, NULL);
    for (int i = 0; i < 8; i++)
        finish_child(children[i]);
    check_number(8 * 4 * 10);
}

static void *remove_now_and_then(void *context)
{
    while (!done) {
        (void)nftw(".untorn", remove_one, 16, FTW_DEPTH | FTW_PHYS);
        usleep(2000);
    }
    return context;
}

static void update_forty_times(void *context)
{
    (void)context;
    for (int i = 0; i < 40; i++)
        CHECK_INT(untorn_update("f", add_one, NULL, &options, NULL), 0);
}

/* [LOCK-2] */
TEST(no_update_is_lost_while_somebody_removes_our_folder_again_and_again)
{
    pthread_t remover;
    pid_t children[6];
    work_in_memory();
    for (int i = 0; i < 6; i++)
        children[i] = start_child(update_forty_times, NULL);
    CHECK_INT(pthread_create(&remover, NULL, remove_now_and_then, NULL), 0);
    for (int i = 0; i < 6; i++)
        finish_child(children[i]);
    done = 1;
    CHECK_INT(pthread_join(remover, NULL), 0);
    char expected[32];
    snprintf(expected, sizeof expected, "%d\n", 6 * 40);
    CHECK_TEXT(text_of("f"), expected);
}

static void *compare_and_swap(void *context)
{
    struct untorn_options swap = options;
    for (int i = 0; i < 4;) {
        struct untorn_content content;
        char text[32];
        CHECK_INT(untorn_read("f", NULL, &content, NULL), 0);
        int size = snprintf(text, sizeof text, "%d\n", atoi(content.data) + 1);
        swap.if_match = &content.hash;
        int rc = untorn_write("f", text, (size_t)size, &swap, NULL);
        CHECK(rc == 0 || rc == -UNTORN_CHANGED);
        i += rc == 0;
        untorn_content_free(&content);
    }
    return context;
}

TEST(if_match_lets_exactly_one_of_many_through)
{
    work_in_memory();
    put("f", "0\n");
    run_threads(compare_and_swap, 16);
    check_number(16 * 4);
}

static atomic_int winners;

static void *create_exclusively(void *context)
{
    struct untorn_options once = options;
    once.exclusive = true;
    int rc = untorn_write("f", "mine", 4, &once, NULL);
    CHECK(rc == 0 || rc == -UNTORN_EXISTS);
    winners += rc == 0;
    return context;
}

TEST(exclusive_lets_exactly_one_of_many_create)
{
    run_threads(create_exclusively, THREADS);
    CHECK_INT(winners, 1);
    check_clean();
}

static void *append_lines(void *context)
{
    char line[64];
    for (int i = 0; i < 10; i++) {
        int size =
            snprintf(line, sizeof line, "{\"thread\":%d,\"line\":%d}\n", (int)(intptr_t)context, i);
        CHECK_INT(untorn_append("f", line, (size_t)size, UNTORN_RECORDS_JSON, &options, NULL), 0);
    }
    return NULL;
}

TEST(sixty_four_threads_append_whole_lines_and_lose_none)
{
    run_threads(append_lines, THREADS);
    static int seen[THREADS][10];
    FILE *file = fopen("f", "r");
    char line[128];
    while (fgets(line, sizeof line, file)) {
        int thread, number, used = 0;
        CHECK_INT(sscanf(line, "{\"thread\":%d,\"line\":%d}\n%n", &thread, &number, &used), 2);
        CHECK_INT(used, strlen(line));
        CHECK_INT(seen[thread][number]++, 0);
        CHECK(number == 0 || seen[thread][number - 1]);
    }
    fclose(file);
    for (int i = 0; i < THREADS; i++)
        CHECK(seen[i][9]);
    check_clean();
}
