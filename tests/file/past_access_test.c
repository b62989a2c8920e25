/* Who may list the versions of a file. [PAST-7] */
#include "harness.h"

#include <untorn.h>

#include "file/acl.h"
#include "file/past.h"
#include "file/support.h"

#define TARGET "d/target"
#define HISTORY "d/.untorn/history/target"

static struct untorn_error error;

static void save(const char *text, int keep)
{
    struct untorn_options options = {.keep = keep};
    CHECK_INT(untorn_write(TARGET, text, strlen(text), &options, &error), 0);
}

static void begin(unsigned directory, unsigned file)
{
    umask(022);
    make_dir("d", directory);
    put(TARGET, "0");
    CHECK_INT(chmod(TARGET, file), 0);
}

TEST(the_versions_of_a_public_file_are_as_open_as_its_directory)
{
    begin(0755, 0644);
    save("1", 0);
    CHECK_INT(mode_of(HISTORY), 0755);
    CHECK_INT(mode_of("d/.untorn/history"), 0755);
}

TEST(those_of_a_private_file_are_listed_by_nobody_else)
{
    begin(0755, 0600);
    save("1", 0);
    CHECK_INT(mode_of(HISTORY), 0700);
    save("2", 0);
    CHECK_INT(mode_of(HISTORY), 0700);
    CHECK_INT(count_entries(HISTORY, ""), 1);
}

TEST(they_are_closed_with_the_file_also_if_its_content_stays)
{
    struct untorn_options closed = {.mode = 0600};
    begin(0755, 0644);
    save("1", 0);
    CHECK_INT(mode_of(HISTORY), 0755);
    CHECK_INT(untorn_write(TARGET, "1", 1, &closed, &error), 0);
    CHECK_INT(mode_of(HISTORY), 0700);
    CHECK_INT(count_entries(HISTORY, ""), 1);
}

TEST(those_of_a_file_for_a_group_are_listed_by_the_group)
{
    begin(0775, 0640);
    save("1", 0);
    CHECK_INT(mode_of(HISTORY), 0770);
}

TEST(those_of_a_file_for_another_group_are_not_listed_by_the_directorys)
{
    if (getuid() != 0)
        SKIP("only root gives files to any group");
    begin(0775, 0640);
    CHECK_INT(chown(TARGET, (uid_t)-1, 4321), 0);
    save("1", 0);
    CHECK_INT(mode_of(HISTORY), 0700);
}

TEST(they_are_closed_with_the_file_and_opened_when_the_last_private_one_is_gone)
{
    begin(0755, 0644);
    save("1", 2);
    CHECK_INT(chmod(TARGET, 0600), 0);
    save("2", 2);
    CHECK_INT(mode_of(HISTORY), 0700);
    CHECK_INT(chmod(TARGET, 0644), 0);
    save("3", 2); /* what this replaces was public by then; the one before was not */
    CHECK_INT(mode_of(HISTORY), 0700);
    save("4", 2);
    save("5", 2);
    save("6", 2);
    CHECK_INT(mode_of(HISTORY), 0755);
}

TEST(a_mode_that_closes_the_file_closes_them_in_the_same_call)
{
    struct untorn_options options = {.mode = 0600};
    begin(0755, 0644);
    save("1", 0);
    CHECK_INT(untorn_write(TARGET, "2", 1, &options, &error), 0);
    CHECK_INT(mode_of(HISTORY), 0700);
}

static void save_at(const char *text, enum untorn_level level)
{
    struct untorn_options options = {.level = level};
    CHECK_INT(untorn_write(TARGET, text, strlen(text), &options, &error), 0);
}

/* [PAST-4] Whoever closed it, and though nothing is kept of what is replaced. */
TEST(a_save_that_keeps_nothing_closes_them_too_where_the_file_was_closed_before)
{
    static const struct {
        const char *text;
        enum untorn_level level;
    } saves[] = {{"2", UNTORN_CACHE}, {"1", UNTORN_DURABLE}};
    begin(0755, 0644);
    for (size_t i = 0; i < sizeof saves / sizeof *saves; i++) {
        CHECK_INT(chmod(TARGET, 0644), 0);
        put(TARGET, "0");
        save("1", 8);
        CHECK_INT(mode_of(only_entry(HISTORY, "")), 0644);
        CHECK_INT(chmod(TARGET, 0600), 0);
        save_at(saves[i].text, saves[i].level);
        CHECK_INT(mode_of(HISTORY), 0700);
        CHECK_INT(mode_of(only_entry(HISTORY, "")), 0600);
        CHECK_TEXT(text_of(only_entry(HISTORY, "")), "0");
        remove_tree("d/.untorn");
    }
}

/* [PAST-4] */
TEST(who_may_no_longer_read_the_file_by_an_acl_may_no_more_read_its_versions)
{
    char entry[4096];
    begin(0755, 0640);
    set_acl("d", ACL_OF_FILE, 7, 4321, 7, 5, 7, 5);
    set_acl(TARGET, ACL_OF_FILE, 6, 4321, 4, 4, 4, 0);
    save("1", 8);
    strcpy(entry, only_entry(HISTORY, ""));
    CHECK(*acl_of(entry, ACL_OF_FILE));
    save("2", 8);
    CHECK(*acl_of(entry, ACL_OF_FILE)); /* the file has it still */
    CHECK_INT(removexattr(TARGET, ACL_OF_FILE), 0);
    CHECK_INT(mode_of(TARGET), 0640);
    save("3", 8);
    CHECK_INT(count_entries(HISTORY, ""), 3);
    CHECK_TEXT(acl_of(entry, ACL_OF_FILE), "");
}

TEST(a_folder_that_is_not_the_file_owners_is_left_to_him)
{
    if (getuid() != 0)
        SKIP("needs another user");
    begin(0777, 0600);
    save("1", 0);
    CHECK_INT(chown(TARGET, 4321, (gid_t)-1), 0);
    CHECK_INT(chmod(HISTORY, 0777), 0);
    save("2", 0);
    CHECK_INT(mode_of(HISTORY), 0777);
}

/* [PAST-4] Its mode is that of the other name as well. */
TEST(a_version_that_has_another_name_is_left_alone)
{
    char entry[4096];
    struct untorn_options options = {.mode = 0600, .keep = 9};
    begin(0755, 0644);
    save("1", 9);
    strcpy(entry, only_entry(HISTORY, ""));
    CHECK_INT(link(entry, "elsewhere"), 0);
    save("2", 9); /* the control: this one has no other name */
    CHECK_INT(untorn_write(TARGET, "3", 1, &options, &error), 0);
    CHECK_INT(mode_of("elsewhere"), 0644);
    CHECK_TEXT(text_of(entry), "0");
    CHECK_INT(count_entries(HISTORY, ""), 3);
    CHECK_INT(unlink(entry), 0);
    CHECK_INT(system("test -z \"$(find " HISTORY " -type f -perm /077)\""), 0);
}
