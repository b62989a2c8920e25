#include "harness.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the harness promises to a test that goes well. That it catches the others is checked from
 * outside, by catch.sh. */

static int global;

static int entries_here(void)
{
    int count = 0;
    DIR *directory = opendir(".");
    CHECK(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

TEST(a_test_starts_in_an_empty_directory_and_may_leave_files)
{
    CHECK_INT(entries_here(), 0);
    CHECK_INT(symlink("nowhere", "left"), 0);
    global = 1;
}

TEST(the_next_test_sees_neither_files_nor_globals_of_the_one_before)
{
    CHECK_INT(entries_here(), 0);
    CHECK_INT(global, 0);
}

TEST(a_check_in_a_forked_process_ends_that_process_alone)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        CHECK(close(STDOUT_FILENO) == 0);
        CHECK(global == 2);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) != 0);
}

TEST(equal_values_pass)
{
    CHECK(1);
    CHECK_INT(-1, -1);
    CHECK_TEXT("a", "a");
    CHECK_TEXT(NULL, NULL);
    CHECK_BYTES("a\0b", 3, "a\0b", 3);
}
