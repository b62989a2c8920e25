#include "harness.h"

#include <untorn/lock.h>

#include "base/limits.h"
#include "file/inherit.h"
#include "file/support.h"

static os_fd file;
static struct os_stat it;

/* An opening of "lock" with a number above the standard ones. */
static os_fd open_lock(void)
{
    os_fd opened = OS_NONE;
    CHECK_INT(os_open(OS_NONE, "lock", OS_READ | OS_WRITE | OS_CREATE, 0600, &opened), 0);
    int moved = fcntl((int)opened, F_DUPFD_CLOEXEC, 20);
    os_close(opened);
    CHECK_INT(os_stat(moved, NULL, &it), 0);
    return moved;
}

static void name_lock(os_fd fd, enum os_lock kind)
{
    char value[256] = "";
    size_t used = 0;
    CHECK(inherit_add(value, sizeof value, &used, fd, &it, kind));
    CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, value, 1), 0);
}

static bool holds(enum os_lock *ret_kind)
{
    enum os_lock kind = OS_UNLOCK;
    bool result = inherit_holds(&it, &kind);
    if (ret_kind)
        *ret_kind = kind;
    return result;
}

TEST(without_the_variable_nothing_is_held)
{
    file = open_lock();
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    unsetenv(UNTORN_LOCK_VARIABLE);
    CHECK(!holds(NULL));
    CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, "", 1), 0);
    CHECK(!holds(NULL));
    os_close(file);
}

TEST(a_lock_that_was_passed_on_is_held)
{
    enum os_lock kind;
    file = open_lock();
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    name_lock(file, OS_LOCK_EXCLUSIVE);
    CHECK(holds(&kind));
    CHECK_INT(kind, OS_LOCK_EXCLUSIVE);
    os_close(file);
}

TEST(a_shared_lock_is_passed_on_as_such)
{
    enum os_lock kind;
    file = open_lock();
    CHECK_INT(os_lock(file, OS_LOCK_SHARED), 0);
    name_lock(file, OS_LOCK_SHARED);
    CHECK(holds(&kind));
    CHECK_INT(kind, OS_LOCK_SHARED);
    os_close(file);
}

TEST(what_another_opening_holds_is_not_ours)
{
    file = open_lock();
    os_fd other = open_lock();
    CHECK_INT(os_lock(other, OS_LOCK_EXCLUSIVE), 0);
    name_lock(file, OS_LOCK_EXCLUSIVE);
    CHECK(!holds(NULL));
    os_close(other);
    os_close(file);
}

TEST(a_closed_or_other_descriptor_proves_nothing)
{
    file = open_lock();
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    name_lock(file + 1, OS_LOCK_EXCLUSIVE);
    CHECK(!holds(NULL));
    put("other", "");
    os_fd other = OS_NONE;
    CHECK_INT(os_open(OS_NONE, "other", OS_READ, 0, &other), 0);
    name_lock(other, OS_LOCK_EXCLUSIVE);
    CHECK(!holds(NULL));
    os_close(other);
    os_close(file);
}

TEST(the_standard_descriptors_are_never_locks)
{
    file = open_lock();
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    CHECK_INT(dup2((int)file, 2), 2);
    name_lock(2, OS_LOCK_EXCLUSIVE);
    CHECK(!holds(NULL));
    name_lock(-5, OS_LOCK_EXCLUSIVE);
    CHECK(!holds(NULL));
    os_close(file);
}

TEST(one_of_several_is_found)
{
    char value[512];
    enum os_lock kind;
    file = open_lock();
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    snprintf(value, sizeof value, "9:1:1:x,%d:%llu:%llu:s,8:2:2:s,%d:%llu:%llu:x", 99,
             (unsigned long long)it.device, (unsigned long long)it.inode, (int)file,
             (unsigned long long)it.device, (unsigned long long)it.inode);
    CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, value, 1), 0);
    CHECK(holds(&kind));
    CHECK_INT(kind, OS_LOCK_EXCLUSIVE);
    os_close(file);
}

TEST(garbage_is_no_lock)
{
    static const char *const values[] = {
        ",",
        "x",
        "1",
        "1:",
        "1:2",
        "1:2:3",
        "1:2:3:",
        ":::",
        "a:b:c:x",
        "1;2;3;x",
        "1:2:3:xx",
        "99999999999999999999:1:1:x",
        "-1:-1:-1:x",
        "%s%n",
        "3:18446744073709551616:1:x",
        " 3:1:1:x",
        "3:1:1:x,,3:1:1:x",
        "3:1:1:x,",
    };
    file = open_lock();
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, values[i], 1), 0);
        CHECK(!holds(NULL));
    }
    os_close(file);
}

TEST(a_list_without_end_is_read_only_so_far)
{
    static char value[LIMIT_INHERITED * 64 + 512];
    size_t used = 0;
    struct os_stat other = {.device = 1, .inode = 1};
    file = open_lock();
    CHECK_INT(os_lock(file, OS_LOCK_EXCLUSIVE), 0);
    for (int i = 0; i < LIMIT_INHERITED; i++)
        CHECK(inherit_add(value, sizeof value, &used, 9, &other, OS_LOCK_EXCLUSIVE));
    CHECK(inherit_add(value, sizeof value, &used, file, &it, OS_LOCK_EXCLUSIVE));
    CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, value, 1), 0);
    CHECK(!holds(NULL));
    CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, strchr(value, ',') + 1, 1), 0);
    CHECK(holds(NULL));
    os_close(file);
}

/* What inherit_copy makes of the variable with this value. */
static const char *copied(const char *inherited, size_t size, size_t *ret_entries)
{
    static char value[256];
    size_t used = 99;
    if (inherited)
        CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, inherited, 1), 0);
    else
        unsetenv(UNTORN_LOCK_VARIABLE);
    memset(value, '#', sizeof value);
    if (!inherit_copy(value, size, &used, ret_entries))
        return NULL;
    CHECK_INT(used, strlen(value));
    return value;
}

TEST(what_was_inherited_is_copied_as_far_as_it_makes_sense)
{
    size_t entries;
    CHECK_TEXT(copied(NULL, 100, &entries), "");
    CHECK_INT(entries, 0);
    CHECK_TEXT(copied("", 100, &entries), "");
    CHECK_TEXT(copied("garbage", 100, &entries), "");
    CHECK_INT(entries, 0);
    CHECK_TEXT(copied("3:1:2:x", 100, &entries), "3:1:2:x");
    CHECK_INT(entries, 1);
    CHECK_TEXT(copied("3:1:2:x,", 100, &entries), "3:1:2:x");
    CHECK_TEXT(copied("3:1:2:x,4:5:6:s,garbage", 100, &entries), "3:1:2:x,4:5:6:s");
    CHECK_INT(entries, 2);
    CHECK_TEXT(copied("3:1:2:x", 8, &entries), "3:1:2:x");
    CHECK_TEXT(copied("3:1:2:x", 7, &entries), NULL);
    CHECK_TEXT(copied(NULL, 0, &entries), NULL);
}

TEST(a_value_grows_by_commas_and_never_over_its_end)
{
    struct os_stat stat = {.device = 12, .inode = 345};
    char value[32];
    size_t used = 0;
    memset(value, '#', sizeof value);
    CHECK(inherit_add(value, 24, &used, 6, &stat, OS_LOCK_EXCLUSIVE));
    CHECK_TEXT(value, "6:12:345:x");
    CHECK(inherit_add(value, 24, &used, 7, &stat, OS_LOCK_SHARED));
    CHECK_TEXT(value, "6:12:345:x,7:12:345:s");
    CHECK_INT(used, strlen(value));
    CHECK(!inherit_add(value, 24, &used, 8, &stat, OS_LOCK_SHARED));
    CHECK_INT(used, 21);
    CHECK_INT(value[24], '#');
}
