/* What the system says of itself. */
#include "harness.h"

#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <time.h>

#include "file/interpose.h"
#include "file/support.h"
#include "os/os.h"

static os_fd open_dir(const char *path)
{
    os_fd dir = OS_NONE;
    CHECK_INT(os_open_dir(OS_NONE, path, false, &dir), 0);
    return dir;
}

TEST(a_known_file_system_has_its_name)
{
    struct os_capabilities capabilities;
    os_fd dir = open_dir("/dev/shm");
    CHECK_INT(os_capabilities(dir, &capabilities), 0);
    os_close(dir);
    CHECK_TEXT(capabilities.filesystem, "tmpfs");
    CHECK(!capabilities.network);
    CHECK(!capabilities.full_flush); /* memory: nothing there outlives the power */
    CHECK_INT(os_capabilities(dir, &capabilities), -EBADF);
}

TEST(an_unknown_file_system_has_its_number)
{
    struct os_capabilities capabilities;
    os_fd dir = open_dir("/proc");
    CHECK_INT(os_capabilities(dir, &capabilities), 0);
    CHECK_TEXT(capabilities.filesystem, "type-0x9fa0");
    os_close(dir);
}

TEST(the_path_of_a_directory_is_physical)
{
    char expected[4096], path[4096];
    make_dir("real", 0700);
    make_dir("real/sub", 0700);
    CHECK_INT(symlink("real", "link"), 0);
    CHECK(realpath("real/sub", expected));
    os_fd dir = open_dir("link/sub");
    CHECK_INT(os_dir_path(dir, path, sizeof path), 0);
    CHECK_TEXT(path, expected);
    CHECK_INT(os_dir_path(dir, path, 5), -ENAMETOOLONG);
    CHECK_INT(rename("real/sub", "moved"), 0);
    CHECK(realpath("moved", expected));
    CHECK_INT(os_dir_path(dir, path, sizeof path), 0);
    CHECK_TEXT(path, expected);
    os_close(dir);
    CHECK_INT(os_dir_path(dir, path, sizeof path), -ENOENT);
}

TEST(this_process_knows_itself)
{
    struct os_process self;
    char host[256] = "";
    os_self(&self);
    CHECK_INT(self.pid, getpid());
    CHECK(self.start > 0);
    CHECK_INT(os_user(), geteuid());
    CHECK_INT(strlen(self.boot), 36);
    CHECK_INT(gethostname(host, sizeof host - 1), 0);
    CHECK_TEXT(self.host, host);
    CHECK(strstr(self.command, "facts"));
    CHECK(os_is_alive(&self));
}

TEST(a_process_that_is_gone_or_another_is_not_alive)
{
    struct os_process self, other;
    os_self(&self);
    other = self;
    other.start++;
    CHECK(!os_is_alive(&other));
    other = self;
    other.boot[0] ^= 1;
    CHECK(!os_is_alive(&other));
    other = self;
    other.boot[0] = '\0';
    CHECK(!os_is_alive(&other));
    other = self;
    other.pid = 0;
    CHECK(!os_is_alive(&other));
    other.pid = -1;
    CHECK(!os_is_alive(&other));
    other.pid = INT64_MAX;
    CHECK(!os_is_alive(&other));
}

static void be_another(struct partner_context *partner)
{
    struct os_process *shared = partner->context;
    os_self(shared);
    int file = open("self", O_WRONLY | O_CREAT, 0600);
    CHECK_INT(write(file, shared, sizeof *shared), sizeof *shared);
    close(file);
    partner_ready(partner);
}

TEST(another_process_is_alive_until_it_ends)
{
    struct os_process other;
    struct partner partner = partner_start(be_another, &other);
    int file = open("self", O_RDONLY);
    CHECK_INT(read(file, &other, sizeof other), sizeof other);
    close(file);
    CHECK_INT(other.pid, partner.pid);
    CHECK(os_is_alive(&other));
    partner_end(&partner);
    CHECK(!os_is_alive(&other));
}

static void look_at_root(void *context)
{
    CHECK(os_is_alive(context));
}

TEST(a_process_of_another_user_is_alive_too)
{
    struct os_process self;
    need_root();
    os_self(&self);
    in_child_as(ALICE, ALICE, look_at_root, &self);
}

/* This program starts itself, under a name that is hard to print. */
TEST(a_command_has_no_control_characters)
{
    extern char **environ;
    char *arguments[] = {"a\tb\033[2J\x7f", "--here", "a_command_has_no_control_characters", NULL};
    struct os_process self;
    pid_t child;
    os_self(&self);
    if (self.command[0] == 'a') {
        CHECK_TEXT(self.command, "a?b?[2J? --here a_command_has_no_control_characters");
        return;
    }
    CHECK_INT(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ), 0);
    finish_child(child);
}

TEST(a_process_whose_name_holds_blanks_and_brackets_has_its_start)
{
    struct os_process before, after;
    os_self(&before);
    CHECK_INT(prctl(PR_SET_NAME, "a) b (c 1 2"), 0);
    os_self(&after);
    CHECK_INT(after.start, before.start);
}

TEST(the_clocks_run_forward)
{
    uint64_t before = os_clock_ns();
    os_sleep_ns(2000000);
    CHECK(os_clock_ns() - before >= 2000000);
    int64_t now = time(NULL);
    int64_t wall = os_wall_clock();
    CHECK(wall >= now - 2 && wall <= now + 2);
}

static void ignore(int number)
{
    (void)number;
}

TEST(a_sleep_that_a_signal_interrupts_ends)
{
    struct sigaction action = {.sa_handler = ignore};
    CHECK_INT(sigaction(SIGALRM, &action, NULL), 0);
    alarm(1);
    os_sleep_ns(30000000000u);
    alarm(0);
}

TEST(random_bytes_differ)
{
    uint64_t a = 0, b = 0;
    CHECK_INT(os_random(&a, sizeof a), 0);
    CHECK_INT(os_random(&b, sizeof b), 0);
    CHECK(a != b);
    fail(CALL_ENTROPY, "", 1, ENOSYS);
    CHECK_INT(os_random(&a, sizeof a), -ENOSYS);
}
