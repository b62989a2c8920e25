/* What is remembered of files that were closed to others. */
#include "txn/narrow.h"

#include "txn/commits.h"

static struct untorn_error error;

/* Three directories, and records of a commit of x/a and y/b, one of x/a and x/c, one of y/b and
 * z/d. */
static void begin(void)
{
    umask(022);
    make_dir("x", 0755);
    make_dir("y", 0755);
    make_dir("z", 0755);
    const struct step far[] = {PUT("x/a", "1"), PUT("y/b", "1"), {0}};
    const struct step near[] = {PUT("x/a", "2"), PUT("x/c", "2"), {0}};
    const struct step other[] = {PUT("y/b", "2"), PUT("z/d", "2"), {0}};
    CHECK_INT(commit_steps(far, NULL, &error), 0);
    CHECK_INT(commit_steps(near, NULL, &error), 0);
    CHECK_INT(commit_steps(other, NULL, &error), 0);
}

/* How many records below `directory` have that mode. */
static int count(const char *directory, const char *mode)
{
    char command[128];
    snprintf(command, sizeof command, "exit $(find %s/.untorn/set -type f -perm %s | wc -l)",
             directory, mode);
    return WEXITSTATUS(system(command));
}

static void all_are_open(void)
{
    CHECK_INT(count("x", "644"), 2);
    CHECK_INT(count("y", "644"), 2);
    CHECK_INT(count("z", "644"), 1);
}

/* [NARROW-1] */
static void those_of_a_are(const char *mode)
{
    CHECK_INT(count("x", mode), 2);
    CHECK_INT(count("y", mode), 1);
    CHECK_INT(count("y", "644"), 1);
    CHECK_INT(count("z", "644"), 1);
}

/* [NARROW-1] */
TEST(records_are_closed_with_the_file_in_all_directories)
{
    struct untorn_options closed = {.mode = 0600};
    begin();
    all_are_open();
    CHECK_INT(untorn_write("x/a", "2", 1, &closed, &error), 0); /* the same content */
    those_of_a_are("600");
}

TEST(so_they_are_where_nothing_is_kept)
{
    struct untorn_options closed = {.mode = 0600, .keep = UNTORN_KEEP_NONE};
    begin();
    CHECK_INT(untorn_write("x/a", "3", 1, &closed, &error), 0);
    those_of_a_are("600");
}

TEST(the_next_save_closes_them_if_somebody_else_closed_the_file)
{
    begin();
    CHECK_INT(chmod("x/a", 0600), 0);
    CHECK_INT(untorn_write("x/a", "3", 1, NULL, &error), 0);
    those_of_a_are("600");
}

TEST(so_does_the_next_commit)
{
    begin();
    CHECK_INT(chmod("x/a", 0600), 0);
    const struct step steps[] = {PUT("x/a", "3"), PUT("z/d", "3"), {0}};
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_INT(count("x", "600"), 3);
    CHECK_INT(count("y", "600"), 1);
    CHECK_INT(count("z", "600"), 1);
}

TEST(a_commit_closes_those_of_directories_that_have_no_part_in_it)
{
    const struct step steps[] = {PUT_AS("x/a", "3", .mode = 0600), PUT("z/d", "3"), {0}};
    begin();
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_INT(count("x", "600"), 3);
    CHECK_INT(count("y", "600"), 1);
    CHECK_INT(count("z", "600"), 1);
}

TEST(so_does_one_that_another_process_finishes)
{
    const struct step steps[] = {PUT("z/d", "3"), PUT_AS("x/a", "3", .mode = 0600), {0}};
    begin();
    die_at(steps, CALL_RENAME, "/a", 1);
    CHECK_INT(untorn_write("z/d", "4", 1, NULL, &error), 0);
    CHECK_INT(mode_of("x/a"), 0600);
    CHECK_INT(count("x", "600"), 3);
    CHECK_INT(count("y", "600"), 1);
}

TEST(those_of_a_file_for_a_group_stay_open_to_the_directorys_group)
{
    struct untorn_options grouped = {.mode = 0640};
    begin();
    CHECK_INT(untorn_write("x/a", "3", 1, &grouped, &error), 0);
    those_of_a_are("640");
    need_root();
    CHECK_INT(chown("x/a", (uid_t)-1, CREW), 0);
    grouped.mode = 0440;
    CHECK_INT(untorn_write("x/a", "4", 1, &grouped, &error), 0);
    those_of_a_are("600");
}

static void close_it(void *context)
{
    struct untorn_options closed = {.mode = 0600};
    CHECK_INT(untorn_write(context, "3", 1, &closed, &error), 0);
}

/* [NARROW-1] */
TEST(a_record_of_another_that_cannot_be_closed_goes)
{
    need_root();
    begin();
    CHECK_INT(system("chown -R 12345:12345 x && chown 0:0 x/.untorn/set/*"), 0);
    in_child_as(ALICE, ALICE, close_it, "x/a");
    CHECK_INT(count_entries("x/.untorn/set", ""), 0);
    CHECK_INT(count("y", "644"), 2); /* out of her reach */
}

TEST(a_save_that_closes_nothing_looks_for_no_records)
{
    begin();
    CHECK_INT(chmod(only_entry("z/.untorn/set", ""), 0666), 0);
    CHECK_INT(untorn_write("z/d", "3", 1, NULL, &error), 0);
    CHECK_INT(untorn_write("z/d", "4", 1, NULL, &error), 0);
    CHECK_INT(count("z", "666"), 1);
}

static int in_slot(const char *directory, const char *text)
{
    char command[128];
    snprintf(command, sizeof command, "grep -q -a %s %s/.untorn/journal/slot", text, directory);
    return system(command) == 0;
}

/* [NARROW-2] */
TEST(the_journal_of_the_last_commit_is_emptied_when_one_of_its_files_is_closed)
{
    struct untorn_options closed = {.mode = 0600};
    const struct step steps[] = {PUT("x/a", "no-secret-yet"), PUT("x/c", "3"), {0}};
    begin();
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK(in_slot("x", "no-secret-yet"));
    CHECK_INT(untorn_write("x/a", "no-secret-yet", 13, &closed, &error), 0);
    CHECK(!in_slot("x", "no-secret-yet"));
    CHECK_INT(commit_steps(steps, NULL, &error), 0); /* it is of use again */
    CHECK_INT(untorn_undo("x/c", NULL, NULL, NULL, &error), 0);
    CHECK_TEXT(text_of("x/c"), "2");
}

/* [NARROW-2] */
TEST(that_of_a_commit_that_may_come_back_stays)
{
    struct untorn_options closed = {.mode = 0600, .level = UNTORN_CACHE};
    const struct step steps[] = {PUT("x/a", "no-secret-yet"), PUT("x/c", "3"), {0}};
    begin();
    CHECK_INT(commit_steps(steps, NULL, &error), 0);
    CHECK_INT(untorn_write("x/a", "another", 7, &closed, &error), 0);
    CHECK(in_slot("x", "no-secret-yet"));
}
