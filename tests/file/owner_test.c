#include "harness.h"

#include "base/limits.h"
#include "file/interpose.h"
#include "file/owner.h"
#include "file/support.h"

static struct owner_hints take(os_fd file)
{
    struct owner_hints hints;
    owner_write(file, &hints);
    return hints;
}

static os_fd open_record(void)
{
    os_fd file = OS_NONE;
    CHECK_INT(os_open(OS_NONE, "lock", OS_READ | OS_WRITE | OS_CREATE, 0600, &file), 0);
    return file;
}

static struct untorn_holder read_record(void)
{
    struct untorn_holder holder;
    os_fd file = open_record();
    memset(&holder, 0, sizeof holder);
    owner_read(file, &holder);
    os_close(file);
    return holder;
}

static void write_record(void)
{
    os_fd file = open_record();
    (void)take(file);
    os_close(file);
}

TEST(a_record_says_who_where_since_when_and_what)
{
    char host[256] = "";
    int64_t now = os_wall_clock();
    write_record();
    struct untorn_holder holder = read_record();
    CHECK_INT(holder.pid, getpid());
    CHECK(holder.since >= now && holder.since <= now + 5);
    CHECK_INT(gethostname(host, sizeof host - 1), 0);
    CHECK_TEXT(holder.host, host);
    CHECK(strstr(holder.command, "owner"));
    CHECK(holder.alive);
}

TEST(a_record_is_lines_for_people)
{
    char start[64];
    write_record();
    snprintf(start, sizeof start, "pid %d\nstart ", getpid());
    const char *text = text_of("lock");
    CHECK(strncmp(text, start, strlen(start)) == 0);
    CHECK(strstr(text, "\nboot "));
    CHECK(strstr(text, "\nhost "));
    CHECK(strstr(text, "\nsince "));
    CHECK(strstr(text, "\ncommand "));
}

static void write_in_child(void *context)
{
    (void)context;
    write_record();
}

TEST(the_record_of_a_process_that_is_gone_says_so)
{
    in_child(write_in_child, NULL);
    struct untorn_holder holder = read_record();
    CHECK(holder.pid > 0);
    CHECK(holder.pid != getpid());
    CHECK(!holder.alive);
}

TEST(no_record_is_nobody)
{
    struct untorn_holder holder = read_record();
    CHECK_INT(holder.pid, 0);
    CHECK_INT(holder.since, 0);
    CHECK_TEXT(holder.host, "");
    CHECK_TEXT(holder.command, "");
    CHECK(!holder.alive);
}

TEST(a_shorter_record_hides_what_an_older_longer_one_left_behind)
{
    put_bytes("lock", "pid 7\nhost h\n\0command old\nsince 99\n", 36);
    struct untorn_holder holder = read_record();
    CHECK_INT(holder.pid, 7);
    CHECK_TEXT(holder.host, "h");
    CHECK_TEXT(holder.command, "");
    CHECK_INT(holder.since, 0);
}

TEST(a_record_from_anybody_is_printable_and_bounded)
{
    char text[4096], big[600];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    put("lock", "pid 5\nhost a\033[2Jb\x7f\ncommand \ttab\rreturn\n");
    struct untorn_holder holder = read_record();
    CHECK_TEXT(holder.host, "a?[2Jb?");
    CHECK_TEXT(holder.command, "?tab?return");
    snprintf(text, sizeof text, "pid 5\nhost %s\ncommand %s", big, big);
    put("lock", text);
    holder = read_record();
    CHECK_INT(strlen(holder.host), sizeof holder.host - 1);
    CHECK_INT(strlen(holder.command), sizeof holder.command - 1);
}

TEST(a_record_that_makes_no_sense_is_nobody)
{
    static const char *const records[] = {"pid",      "pid \n", "pidx 5\n",       "\n\n\n",
                                          "xpid 5\n", "pid x",  "pid 5x pid 6\n", "PID 5\n"};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        put("lock", records[i]);
        struct untorn_holder holder = read_record();
        CHECK(holder.pid == 0 || i == 6);
        CHECK(!holder.alive);
    }
}

TEST(a_lock_file_that_cannot_be_read_is_nobody)
{
    write_record();
    fail(CALL_READ, "/lock", 1, EIO);
    CHECK_INT(read_record().pid, 0);
}

TEST(a_full_disk_does_not_matter)
{
    fail_always(CALL_WRITE, "/lock", ENOSPC);
    write_record();
    CHECK_INT(stat_of("lock").st_size, 0);
}

TEST(a_holder_is_described_in_words)
{
    struct untorn_holder holder = {.held = true,
                                   .alive = true,
                                   .pid = 12,
                                   .since = 1763200800,
                                   .host = "box",
                                   .command = "cp a b"};
    char text[256];
    owner_describe(&holder, text, sizeof text);
    CHECK_TEXT(text, "held by pid 12 on box since 2025-11-15 10:00:00 UTC: cp a b");
    holder.alive = false;
    owner_describe(&holder, text, sizeof text);
    CHECK_TEXT(text, "held by pid 12 (gone; something it started holds on) on box since "
                     "2025-11-15 10:00:00 UTC: cp a b");
    holder.pid = 0;
    owner_describe(&holder, text, sizeof text);
    CHECK_TEXT(text, "held by a process that left no name");
}

TEST(a_description_never_leaves_its_buffer_whatever_the_numbers_are)
{
    struct untorn_holder holder = {.pid = INT64_MAX, .since = INT64_MAX};
    char text[64];
    memset(holder.host, 'h', sizeof holder.host - 1);
    memset(holder.command, 'c', sizeof holder.command - 1);
    memset(text, '#', sizeof text);
    owner_describe(&holder, text, 32);
    CHECK_INT(strlen(text), 31);
    CHECK_INT(text[32], '#');
    holder.since = -1;
    owner_describe(&holder, text, 32);
    CHECK_INT(strlen(text), 31);
}

TEST(waiters_are_noticed_once)
{
    os_fd file = open_record();
    CHECK(!owner_take_waiting(file));
    owner_announce_waiting(file);
    owner_announce_waiting(file);
    (void)take(file);
    CHECK(owner_take_waiting(file));
    CHECK(!owner_take_waiting(file));
    CHECK_INT(stat_of("lock").st_size, LIMIT_OWNER_RECORD + 2);
    os_close(file);
}

TEST(a_waiter_does_not_disturb_the_record)
{
    write_record();
    os_fd file = open_record();
    owner_announce_waiting(file);
    os_close(file);
    CHECK_INT(read_record().pid, getpid());
}

TEST(stages_are_hinted_at_until_they_are_denied)
{
    os_fd file = open_record();
    CHECK(take(file).stages); /* nothing is known of what was before */
    CHECK(take(file).stages);
    owner_note_stages(file, false);
    CHECK(!take(file).stages);
    owner_note_stages(file, true);
    owner_announce_waiting(file);
    CHECK(take(file).stages);
    CHECK(owner_take_waiting(file));
    CHECK(take(file).stages);
    owner_note_stages(file, false);
    os_close(file);
    char record[2 * LIMIT_OWNER_RECORD];
    CHECK(get_bytes("lock", record, sizeof record) > 0);
    strstr(record, "pid ")[4] ^= 1; /* another process of this run of the system */
    put_bytes("lock", record, LIMIT_OWNER_RECORD + 2);
    file = open_record();
    CHECK(!take(file).stages);
    os_close(file);
    CHECK(get_bytes("lock", record, sizeof record) > 0);
    strstr(record, "boot ")[5] ^= 1;
    put_bytes("lock", record, LIMIT_OWNER_RECORD + 2);
    file = open_record();
    CHECK(take(file).stages);
    CHECK(take(file).stages);
    os_close(file);
}
