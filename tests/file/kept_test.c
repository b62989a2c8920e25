#include "harness.h"

#include "base/pathtext.h"
#include "file/interpose.h"
#include "file/kept.h"
#include "file/setting.h"

static struct setting setting;
static char entry[LIMIT_NAME + 1];

static int keep_tail(const char *name, const char *path, uint64_t offset, uint64_t size)
{
    os_fd file = OS_NONE;
    CHECK_INT(os_open(OS_NONE, path, OS_READ, 0, &file), 0);
    int rc = kept_add_tail(&setting.state, name, file, offset, size, entry);
    os_close(file);
    return rc;
}

static const char *kept_path(void)
{
    static char path[LIMIT_NAME + 64];
    snprintf(path, sizeof path, ".untorn/kept/%s", entry);
    return path;
}

TEST(a_tail_is_kept_under_its_name_and_hash)
{
    umask(0);
    put("log", "{\"a\":1}\n{\"b\":");
    setting_open(&setting, "log");
    CHECK_INT(keep_tail("log", "log", 8, 5), 0);
    CHECK_TEXT(text_of(kept_path()), "{\"b\":");
    CHECK_INT(mode_of(kept_path()), 0600);
    CHECK(strncmp(entry, "tail-log.", 9) == 0);
    char name[LIMIT_NAME + 1];
    CHECK(path_entry_name(entry + 5, name));
    CHECK_TEXT(name, "log");
    CHECK_TEXT(text_of("log"), "{\"a\":1}\n{\"b\":");
    setting_close(&setting);
}

TEST(the_same_tail_is_kept_once_and_another_beside_it)
{
    put("log", "aaabbb");
    setting_open(&setting, "log");
    for (int i = 0; i < 3; i++)
        CHECK_INT(keep_tail("log", "log", 0, 3), 0);
    CHECK_INT(count_entries(".untorn/kept", ""), 1);
    CHECK_INT(keep_tail("log", "log", 3, 3), 0);
    CHECK_INT(count_entries(".untorn/kept", ""), 2);
    setting_close(&setting);
}

TEST(a_half_written_copy_of_an_earlier_try_is_completed)
{
    put("log", "torn record");
    setting_open(&setting, "log");
    CHECK_INT(keep_tail("log", "log", 0, 11), 0);
    put(kept_path(), "torn");
    CHECK_INT(keep_tail("log", "log", 0, 11), 0);
    CHECK_TEXT(text_of(kept_path()), "torn record");
    setting_close(&setting);
}

TEST(a_tail_is_kept_durably)
{
    put("log", "torn");
    setting_open(&setting, "log");
    const struct rule *content = watch(CALL_FSYNC, "/kept/tail-log."),
                      *folder = watch(CALL_FSYNC, "/.untorn/kept"),
                      *root = watch(CALL_FSYNC, "/.untorn"), *all = watch(CALL_FSYNC, "");
    CHECK_INT(keep_tail("log", "log", 0, 4), 0);
    CHECK_INT(content->seen, 1);
    CHECK_INT(folder->seen, 2);
    CHECK_INT(root->seen, 3);
    CHECK_INT(all->seen, 4);
    setting_close(&setting);
}

TEST(a_long_name_is_kept_under_its_hash)
{
    char name[LIMIT_NAME + 1];
    memset(name, 'n', LIMIT_NAME);
    name[LIMIT_NAME] = '\0';
    put(name, "torn");
    setting_open(&setting, name);
    CHECK_INT(keep_tail(name, name, 0, 4), 0);
    CHECK(strncmp(entry, "tail-%", 6) == 0);
    CHECK_TEXT(text_of(kept_path()), "torn");
    setting_close(&setting);
}

TEST(a_tail_that_cannot_be_kept_is_told)
{
    put("log", "torn");
    setting_open(&setting, "log");
    CHECK_INT(keep_tail("log", "log", 0, 5), -ESTALE);
    fail(CALL_WRITE, "/kept/", 1, ENOSPC);
    CHECK_INT(keep_tail("log", "log", 0, 4), -ENOSPC);
    fail(CALL_FSYNC, "/kept/tail", 1, EIO);
    CHECK_INT(keep_tail("log", "log", 0, 4), -EIO);
    fail(CALL_FSYNC, "/.untorn", 2, EIO); /* the folder, after the copy itself */
    CHECK_INT(keep_tail("log", "log", 0, 4), -EIO);
    fail(CALL_FSYNC, "/.untorn", 2, EINVAL);
    CHECK_INT(keep_tail("log", "log", 0, 4), 0);
    setting_close(&setting);
}

TEST(our_folder_that_was_removed_meanwhile_is_told)
{
    put("log", "torn");
    setting_open(&setting, "log");
    remove_tree(".untorn");
    CHECK_INT(keep_tail("log", "log", 0, 4), -ENOENT);
    CHECK_INT(kept_move(&setting.state, "conflict", "log", FOLDER_INPLACE, "log", entry), -ENOENT);
    setting_close(&setting);
}

static void plant_open(void *context)
{
    (void)context;
    CHECK_INT(unlink(kept_path()), 0);
    put(kept_path(), "");
    CHECK_INT(chmod(kept_path(), 0666), 0);
}

/* Whoever knows the hash knows the name. */
TEST(what_is_kept_is_not_written_into_a_file_of_another_user)
{
    char planted[LIMIT_NAME + 64];
    need_root();
    umask(0);
    make_dir("open", 0777);
    put("log", "torn");
    setting_open(&setting, "open/f");
    CHECK_INT(chdir("open"), 0);
    CHECK_INT(keep_tail("log", "../log", 0, 4), 0);
    in_child_as(ALICE, CREW, plant_open, NULL);
    strcpy(planted, kept_path());
    CHECK_INT(keep_tail("log", "../log", 0, 4), 0);
    CHECK_TEXT(text_of(planted), "");
    CHECK_TEXT(text_of(kept_path()), "torn");
    CHECK_INT(mode_of(kept_path()), 0600);
    setting_close(&setting);
}

static void move_secret(void *context)
{
    (void)context;
    CHECK_INT(unlink(kept_path()), 0);
    CHECK_INT(rename("secret", kept_path()), 0);
}

TEST(a_note_opens_nothing_else_to_others)
{
    char planted[LIMIT_NAME + 64];
    need_root();
    umask(0);
    make_dir("open", 0777);
    put("open/secret", "a secret");
    CHECK_INT(chmod("open/secret", 0600), 0);
    setting_open(&setting, "open/f");
    CHECK_INT(chdir("open"), 0);
    for (int i = 0; i < 2; i++)
        CHECK_INT(kept_note(&setting.state, "lost", "f", "note", entry), 0);
    CHECK_INT(count_entries(".untorn/kept", ""), 1);
    in_child_as(ALICE, CREW, move_secret, NULL);
    strcpy(planted, kept_path());
    CHECK_INT(kept_note(&setting.state, "lost", "f", "note", entry), 0);
    CHECK_INT(mode_of(planted), 0600);
    CHECK_TEXT(text_of(planted), "a secret");
    CHECK_TEXT(text_of(kept_path()), "note");
    setting_close(&setting);
}

TEST(a_file_that_somebody_planted_under_the_name_is_not_written_into)
{
    put("log", "torn");
    put("somebodys", "content");
    setting_open(&setting, "log");
    CHECK_INT(keep_tail("log", "log", 0, 4), 0);
    CHECK_INT(unlink(kept_path()), 0);
    CHECK_INT(link("somebodys", kept_path()), 0);
    CHECK_INT(keep_tail("log", "log", 0, 4), -EMLINK);
    CHECK_INT(unlink(kept_path()), 0);
    CHECK_INT(symlink("../../somebodys", kept_path()), 0);
    CHECK_INT(keep_tail("log", "log", 0, 4), -EMLINK);
    CHECK_TEXT(text_of("somebodys"), "content");
    setting_close(&setting);
}

static int move_journal(void)
{
    return kept_move(&setting.state, "conflict", "f", FOLDER_INPLACE, "f", entry);
}

TEST(a_journal_is_moved_aside_as_it_is)
{
    os_fd folder;
    setting_open(&setting, "f");
    CHECK_INT(state_folder(&setting.state, FOLDER_INPLACE, true, &folder), 0);
    put(".untorn/inplace/f", "journal");
    ino_t inode = stat_of(".untorn/inplace/f").st_ino;
    CHECK_INT(move_journal(), 0);
    CHECK(strncmp(entry, "conflict-f.", 11) == 0);
    CHECK_INT(stat_of(kept_path()).st_ino, inode);
    CHECK(!exists(".untorn/inplace/f"));
    CHECK_INT(move_journal(), -ENOENT);
    setting_close(&setting);
}

TEST(a_journal_that_cannot_be_moved_stays)
{
    os_fd folder;
    setting_open(&setting, "f");
    CHECK_INT(state_folder(&setting.state, FOLDER_INPLACE, true, &folder), 0);
    put(".untorn/inplace/f", "journal");
    fail(CALL_ENTROPY, "", 1, EIO);
    CHECK_INT(move_journal(), -EIO);
    fail(CALL_MKDIR, "/kept", 1, ENOSPC);
    CHECK_INT(move_journal(), -ENOSPC);
    fail(CALL_RENAME, "/kept/", 1, EIO);
    CHECK_INT(move_journal(), -EIO);
    CHECK_TEXT(text_of(".untorn/inplace/f"), "journal");
    setting_close(&setting);
}
