/* untorn/write.h: one call, and streaming. */
#include "harness.h"

#include <pthread.h>

#include <untorn.h>

#include "file/acl.h"
#include "file/interpose.h"
#include "file/support.h"

static struct untorn_error error;
static struct untorn_options options;

static int save(const char *path, const char *text)
{
    return untorn_write(path, text, strlen(text), &options, &error);
}

static int stages(void)
{
    return count_entries(".untorn/stage", "");
}

TEST(a_file_is_made_and_replaced)
{
    CHECK_INT(untorn_write("f", "one", 3, NULL, &error), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_CREATED);
    CHECK_INT(error.status, UNTORN_OK);
    CHECK_TEXT(error.path, "f");
    CHECK_TEXT(text_of("f"), "one");
    ino_t inode = stat_of("f").st_ino;
    CHECK_INT(untorn_write("f", "two", 3, NULL, &error), 0);
    CHECK_INT(error.flags, 0);
    CHECK_TEXT(text_of("f"), "two");
    CHECK(stat_of("f").st_ino != inode);
    CHECK_INT(untorn_write("f", NULL, 0, NULL, NULL), 0);
    CHECK_TEXT(text_of("f"), "");
    CHECK_INT(stages(), 0);
}

TEST(the_users_directory_shows_only_the_users_files)
{
    CHECK_INT(save("f", "text"), 0);
    CHECK_INT(count_entries(".", ""), 2);
    CHECK(exists(".untorn"));
    CHECK_TEXT(text_of(".untorn/.gitignore"), "*\n");
}

TEST(content_is_written_as_it_is)
{
    static char data[700000], back[700002];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 7 + i / 251);
    CHECK_INT(untorn_write("f", data, sizeof data, NULL, &error), 0);
    CHECK_INT(get_bytes("f", back, sizeof back), sizeof data);
    CHECK_BYTES(back, sizeof data, data, sizeof data);
}

TEST(no_descriptor_is_left_open)
{
    int before = open_descriptors();
    CHECK_INT(save("f", "x"), 0);
    CHECK_INT(save("f", "x"), 0);
    CHECK_INT(save("missing/f", "x"), -UNTORN_MISSING);
    CHECK_INT(save(".", "x"), -UNTORN_NOT_A_FILE);
    options.keep_inode = true;
    CHECK_INT(save("f", "x"), 0);
    CHECK_INT(open_descriptors(), before);
}

/* ---- streaming ---- */

TEST(nobody_sees_anything_until_the_commit)
{
    struct untorn_writer *writer = NULL;
    put("f", "old");
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, &error), 0);
    for (int i = 0; i < 100; i++)
        CHECK_INT(untorn_writer_write(writer, "piece ", 6, &error), 0);
    CHECK_INT(untorn_writer_write(writer, NULL, 0, &error), 0);
    CHECK_TEXT(text_of("f"), "old");
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    CHECK_INT(stat_of("f").st_size, 600);
    untorn_writer_free(writer);
    CHECK_INT(stages(), 0);
}

TEST(a_writer_knows_the_hash_of_what_was_written)
{
    struct untorn_writer *writer = NULL;
    struct untorn_hash empty = untorn_hash("", 0), all = untorn_hash("one two", 7), hash;
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, &error), 0);
    hash = untorn_writer_hash(writer);
    CHECK(untorn_hash_equal(&hash, &empty));
    CHECK_INT(untorn_writer_write(writer, "one ", 4, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "two", 3, &error), 0);
    hash = untorn_writer_hash(writer);
    CHECK(untorn_hash_equal(&hash, &all));
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    hash = untorn_writer_hash(writer);
    CHECK(untorn_hash_equal(&hash, &all));
    untorn_writer_free(writer);
}

TEST(a_writer_takes_no_lock_until_the_commit)
{
    struct untorn_writer *writer = NULL;
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, &error), 0);
    struct untorn_holder holder;
    CHECK_INT(untorn_who("f", NULL, &holder, &error), 0);
    CHECK(!holder.held);
    CHECK_INT(save("f", "somebody"), 0);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    CHECK_INT(untorn_who("f", NULL, &holder, &error), 0);
    CHECK(!holder.held); /* although the writer lives on */
    untorn_writer_free(writer);
    CHECK_TEXT(text_of("f"), "");
}

TEST(freeing_aborts)
{
    struct untorn_writer *writer = NULL;
    put("f", "old");
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "new", 3, &error), 0);
    untorn_writer_free(writer);
    untorn_writer_free(NULL);
    CHECK_TEXT(text_of("f"), "old");
    CHECK_INT(stages(), 0);
}

TEST(a_writer_commits_once_and_then_can_only_be_freed)
{
    struct untorn_writer *writer = NULL;
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, NULL), 0);
    CHECK_INT(untorn_writer_commit(writer, NULL), 0);
    CHECK_INT(untorn_writer_commit(writer, &error), -UNTORN_INVALID);
    CHECK_INT(untorn_writer_write(writer, "x", 1, &error), -UNTORN_INVALID);
    untorn_writer_free(writer);
    CHECK_TEXT(text_of("f"), "");
}

TEST(after_a_failed_write_a_writer_can_only_be_freed)
{
    struct untorn_writer *writer = NULL;
    put("f", "old");
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, &error), 0);
    fail(CALL_WRITE, "/stage/", 1, ENOSPC);
    CHECK_INT(untorn_writer_write(writer, "new", 3, &error), -UNTORN_NO_SPACE);
    CHECK_INT(untorn_writer_write(writer, "new", 3, NULL), -UNTORN_INVALID);
    CHECK_INT(untorn_writer_commit(writer, &error), -UNTORN_INVALID);
    untorn_writer_free(writer);
    CHECK_TEXT(text_of("f"), "old");
    CHECK_INT(stages(), 0);
}

TEST(a_writer_needs_nothing_of_what_it_was_given)
{
    struct untorn_writer *writer = NULL;
    char path[] = "f", state[] = "state";
    struct untorn_hash hash = untorn_hash("old", 3);
    put("f", "old");
    struct untorn_options *given = malloc(sizeof *given);
    *given = (struct untorn_options){.state_dir = state, .if_match = &hash, .mode = 0600};
    CHECK_INT(untorn_writer_begin(path, given, &writer, &error), 0);
    free(given);
    memset(path, 'x', 1);
    memset(state, 'x', 5);
    memset(&hash, 0, sizeof hash);
    CHECK_INT(untorn_writer_write(writer, "new", 3, &error), 0);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    CHECK_TEXT(error.path, "f");
    untorn_writer_free(writer);
    CHECK_TEXT(text_of("f"), "new");
    CHECK_INT(mode_of("f"), 0600);
    CHECK(!exists(".untorn"));
}

TEST(our_folder_may_be_removed_between_begin_and_commit)
{
    struct untorn_writer *writer = NULL;
    put("f", "old");
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "new", 3, &error), 0);
    remove_tree(".untorn");
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    untorn_writer_free(writer);
    CHECK_TEXT(text_of("f"), "new");
    CHECK_INT(stages(), 0);
}

TEST(a_writer_that_cannot_begin_is_none)
{
    struct untorn_writer *writer = (struct untorn_writer *)&error;
    CHECK_INT(untorn_writer_begin("missing/f", NULL, &writer, &error), -UNTORN_MISSING);
    CHECK(writer == NULL);
    fail_always(CALL_OPEN, "/stage/", ENOSPC);
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, &error), -UNTORN_NO_SPACE);
    CHECK(writer == NULL);
}

static void remove_folder(void *context)
{
    (void)context;
    remove_tree(".untorn");
}

TEST(our_folder_may_be_removed_while_a_stage_is_made)
{
    at(CALL_OPEN, "/stage/f.", 1, remove_folder, NULL);
    CHECK_INT(save("f", "text"), 0);
    CHECK_TEXT(text_of("f"), "text");
}

TEST(a_writer_begun_before_a_fork_commits_on_both_sides)
{
    struct untorn_writer *writer = NULL;
    CHECK_INT(untorn_writer_begin("f", NULL, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "text", 4, &error), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int rc = untorn_writer_commit(writer, &error);
        untorn_writer_free(writer);
        _exit(rc != 0);
    }
    CHECK_INT(end_of(child), 0);
    CHECK_TEXT(text_of("f"), "text");
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(untorn_writer_commit(writer, &error), 0);
    untorn_writer_free(writer);
    CHECK_TEXT(text_of("f"), "text");
}

/* ---- options ---- */

TEST(a_new_file_has_what_the_umask_leaves)
{
    umask(022);
    CHECK_INT(save("a", ""), 0);
    CHECK_INT(mode_of("a"), 0644);
    umask(077);
    CHECK_INT(save("b", ""), 0);
    CHECK_INT(mode_of("b"), 0600);
    umask(0);
    CHECK_INT(save("c", ""), 0);
    CHECK_INT(mode_of("c"), 0666);
}

TEST(a_mode_is_exact_for_new_and_old_files)
{
    static const unsigned modes[] = {0600, 0644, 0400, 0755, 02750, 0666, 07777, 0001};
    umask(027);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        options.mode = modes[i];
        CHECK_INT(save("new", "x"), 0);
        CHECK_INT(mode_of("new"), modes[i]);
        CHECK_INT(save("old", "x"), 0);
        CHECK_INT(mode_of("old"), modes[i]);
        CHECK_INT(unlink("new"), 0);
    }
    options.mode = 010644;
    CHECK_INT(save("new", "x"), -UNTORN_INVALID);
    CHECK(strstr(error.detail, "10644"));
}

TEST(an_old_file_keeps_mode_owner_group_list_and_attributes)
{
    char value[8] = "";
    put("f", "old");
    CHECK_INT(chmod("f", 0640), 0);
    if (getuid() == 0)
        CHECK_INT(chown("f", ALICE, CREW), 0);
    set_acl("f", ACL_OF_FILE, 6, BOB, 4, 4, 4, 0);
    CHECK_INT(setxattr("f", "user.note", "keep", 4, 0), 0);
    CHECK_INT(save("f", "new"), 0);
    CHECK_INT(error.flags, 0);
    CHECK_TEXT(acl_of("f", ACL_OF_FILE), "1:6 2=12346:4 4:4 16:4 32:0");
    CHECK_INT(getxattr("f", "user.note", value, sizeof value), 4);
    CHECK_INT(mode_of("f"), 0640);
    if (getuid() == 0) {
        CHECK_INT(stat_of("f").st_uid, ALICE);
        CHECK_INT(stat_of("f").st_gid, CREW);
    }
}

TEST(a_new_file_gets_the_default_list_and_the_group_of_its_directory)
{
    make_dir("d", 0755);
    set_acl("d", ACL_OF_NEW_FILES, 7, BOB, 6, 5, 7, 0);
    put("d/theirs", "");
    CHECK_INT(save("d/ours", ""), 0);
    CHECK_TEXT(acl_of("d/ours", ACL_OF_FILE), acl_of("d/theirs", ACL_OF_FILE));
    CHECK_INT(mode_of("d/ours"), mode_of("d/theirs"));
    CHECK_TEXT(acl_of("d/ours", ACL_OF_FILE), "1:6 2=12346:6 4:5 16:6 32:0");
    if (getuid() == 0) {
        make_dir("group", 0755);
        CHECK_INT(chown("group", 0, CREW), 0);
        CHECK_INT(chmod("group", 02775), 0);
        CHECK_INT(save("group/f", ""), 0);
        CHECK_INT(stat_of("group/f").st_gid, CREW);
    }
}

TEST(a_secret_is_never_wider_for_a_moment)
{
    umask(0);
    options.mode = 0600;
    const struct rule *made = watch(CALL_OPEN, "/stage/");
    CHECK_INT(save("f", "secret"), 0);
    CHECK(made->seen > 0);
    struct untorn_writer *writer = NULL;
    CHECK_INT(untorn_writer_begin("f", &options, &writer, &error), 0);
    CHECK_INT(mode_of(only_entry(".untorn/stage", "f.")), 0600);
    untorn_writer_free(writer);
}

static unsigned mode_seen;

static void look_at_stage(void *context)
{
    (void)context;
    mode_seen = mode_of(only_entry(".untorn/stage", "f."));
}

/* The mode a stage has while it is written. */
static unsigned mode_of_stage(void)
{
    mode_seen = 0;
    at(CALL_WRITE, "/stage/f.", 1, look_at_stage, NULL);
    CHECK_INT(save("f", "new"), 0);
    forget_rules();
    return mode_seen;
}

/* [STAGE-2] */
TEST(a_stage_is_as_open_as_the_file_it_replaces_only_where_that_shows_nothing)
{
    put("f", "old");
    options.keep = UNTORN_KEEP_NONE; /* else it is made in history, in the same way */
    static const unsigned shown[] = {0644, 0600, 0755, 0400, 0666},
                          hidden[] = {0640, 0660, 0664, 02755, 04755};
    for (size_t i = 0; i < 5; i++) {
        CHECK_INT(chmod("f", shown[i]), 0);
        CHECK_INT(mode_of_stage(), shown[i] & ~022u); /* the umask narrows it for the moment */
        CHECK_INT(mode_of("f"), shown[i]);
        CHECK_INT(chmod("f", hidden[i]), 0);
        CHECK_INT(mode_of_stage(), 0600);
        CHECK_INT(mode_of("f"), hidden[i]);
    }
    CHECK_INT(chmod("f", 0644), 0);
    options.mode = 0600;
    CHECK_INT(mode_of_stage(), 0600);
    options.mode = 0;
    CHECK_INT(chmod("f", 0644), 0);
    set_acl("f", ACL_OF_FILE, 6, BOB, 0, 4, 4, 4); /* he of all people may not */
    CHECK_INT(mode_of_stage(), 0600);
    if (getuid() == 0) {
        CHECK_INT(unlink("f"), 0);
        put("f", "old");
        CHECK_INT(chown("f", ALICE, CREW), 0);
        CHECK_INT(mode_of_stage(), 0600);
    }
}

TEST(if_match_replaces_only_the_version_that_was_read)
{
    struct untorn_hash old = untorn_hash("old", 3), other = untorn_hash("other", 5);
    char text[UNTORN_HASH_TEXT_SIZE];
    put("f", "old");
    options.if_match = &other;
    CHECK_INT(save("f", "new"), -UNTORN_CHANGED);
    CHECK(strstr(error.detail, untorn_hash_format(&old, text)));
    CHECK_TEXT(text_of("f"), "old");
    options.if_match = &old;
    CHECK_INT(save("f", "new"), 0);
    CHECK_INT(save("f", "newer"), -UNTORN_CHANGED);
    CHECK_INT(save("missing", "new"), -UNTORN_CHANGED);
    CHECK(!exists("missing"));
    CHECK_TEXT(error.detail, "it does not exist");
    options.exclusive = true;
    CHECK_INT(save("f", "new"), -UNTORN_INVALID);
}

TEST(if_changed_leaves_the_same_content_alone)
{
    static char large[100000];
    memset(large, 'x', sizeof large - 1);
    options.if_changed = true;
    put("f", large);
    ino_t inode = stat_of("f").st_ino;
    CHECK_INT(save("f", large), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    CHECK_INT(stat_of("f").st_ino, inode);
    large[60000] = 'y';
    CHECK_INT(save("f", large), 0);
    CHECK_INT(error.flags, 0);
    CHECK(stat_of("f").st_ino != inode);
    CHECK_INT(save("f", "short"), 0);
    CHECK_INT(error.flags, 0);
    options.mode = 0600;
    CHECK_INT(save("f", "short"), 0);
    CHECK_INT(error.flags, 0);
    CHECK_INT(mode_of("f"), 0600);
    CHECK_INT(save("f", "short"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
}

TEST(exclusive_makes_a_file_or_nothing)
{
    options.exclusive = true;
    CHECK_INT(save("f", "mine"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_CREATED);
    CHECK_INT(save("f", "again"), -UNTORN_EXISTS);
    CHECK_TEXT(text_of("f"), "mine");
    CHECK_INT(symlink("behind", "link"), 0);
    CHECK_INT(save("link", "x"), 0);
    CHECK_TEXT(text_of("behind"), "x");
    options.symlink = UNTORN_REPLACE_LINK;
    CHECK_INT(save("link", "x"), -UNTORN_EXISTS);
}

TEST(links_are_followed_replaced_or_refused)
{
    make_dir("d", 0700);
    put("d/real", "old");
    CHECK_INT(symlink("d/real", "link"), 0);
    CHECK_INT(symlink("link", "chain"), 0);
    CHECK_INT(save("chain", "followed"), 0);
    CHECK_TEXT(text_of("d/real"), "followed");
    CHECK(S_ISLNK(stat_of("chain").st_mode));
    CHECK(S_ISLNK(stat_of("link").st_mode));
    CHECK(!exists(".untorn"));
    CHECK(exists("d/.untorn"));
    options.symlink = UNTORN_REFUSE_LINK;
    CHECK_INT(save("link", "x"), -UNTORN_LINK_REFUSED);
    options.symlink = UNTORN_REPLACE_LINK;
    umask(022);
    CHECK_INT(save("link", "replaced"), 0);
    CHECK(S_ISREG(stat_of("link").st_mode));
    CHECK_INT(mode_of("link"), 0644);
    CHECK_TEXT(text_of("link"), "replaced");
    CHECK_TEXT(text_of("d/real"), "followed");
}

TEST(hard_links_are_two_files)
{
    put("a", "old");
    CHECK_INT(link("a", "b"), 0);
    CHECK_INT(save("a", "new"), 0);
    CHECK_TEXT(text_of("b"), "old");
}

TEST(missing_directories_are_made_when_asked_for)
{
    CHECK_INT(save("a/b/f", "x"), -UNTORN_MISSING);
    options.parents = true;
    CHECK_INT(save("a/b/f", "x"), 0);
    CHECK_TEXT(text_of("a/b/f"), "x");
}

TEST(a_foreign_lock_file_stands_in_for_ours)
{
    options.lock_file = "app.lock";
    CHECK_INT(save("f", "x"), 0);
    CHECK_TEXT(text_of("app.lock"), "");
    CHECK(!exists(".untorn/lock/f"));
}

TEST(long_names_and_names_of_odd_bytes_are_saved)
{
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    CHECK_INT(save(name, "long"), 0);
    CHECK_TEXT(text_of(name), "long");
    CHECK_INT(save(name, "longer"), 0);
    options.keep_inode = true;
    CHECK_INT(save(name, "in place"), 0);
    CHECK_TEXT(text_of(name), "in place");
    options.keep_inode = false;
    CHECK_INT(save("\xff\n\t%s*", "odd"), 0);
    CHECK_TEXT(text_of("\xff\n\t%s*"), "odd");
}

/* ---- a state directory ---- */

TEST(with_a_state_directory_nothing_of_ours_is_beside_the_file)
{
    make_dir("d", 0755);
    options.state_dir = "state";
    CHECK_INT(save("d/f", "one"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_CREATED);
    CHECK_INT(save("d/f", "two"), 0);
    CHECK_INT(error.flags, 0);
    CHECK_INT(count_entries("d", ""), 1);
    CHECK_TEXT(text_of("d/f"), "two");
}

static const char *other_file_system(void)
{
    static char path[64];
    struct stat here, there;
    snprintf(path, sizeof path, "/dev/shm/untorn-test.%d", getpid());
    CHECK_INT(stat(".", &here), 0);
    if (stat("/dev/shm", &there) < 0 || here.st_dev == there.st_dev)
        SKIP("needs two file systems");
    return path;
}

TEST(with_a_state_directory_elsewhere_files_are_made_and_overwritten_in_place)
{
    umask(022);
    options.state_dir = other_file_system();
    int first = save("f", "one");
    unsigned first_flags = error.flags;
    int second = save("f", "and two");
    unsigned second_flags = error.flags;
    options.mode = 0600;
    int third = save("g", "secret");
    options.strict = true;
    int strict = save("f", "three"), strict_new = save("h", "new");
    remove_tree(options.state_dir);
    CHECK_INT(first, 0);
    CHECK_INT(first_flags, UNTORN_FLAG_CREATED | UNTORN_FLAG_IN_PLACE);
    CHECK_INT(second, 0);
    CHECK_INT(second_flags, UNTORN_FLAG_IN_PLACE);
    CHECK_INT(third, 0);
    CHECK_INT(strict, -UNTORN_UNSUPPORTED);
    CHECK_INT(strict_new, -UNTORN_UNSUPPORTED);
    CHECK_TEXT(text_of("f"), "and two");
    CHECK_INT(mode_of("f"), 0644);
    CHECK_INT(mode_of("g"), 0600);
    CHECK(!exists("h"));
}

/* Creates "user/f" past a device boundary with one fault; nothing may stay if it failed. */
static int create_with_fault(enum call call, const char *path, int nth)
{
    make_dir("user", 0755);
    options.state_dir = other_file_system();
    CHECK_INT(save("user/first", "x"), 0);
    fail(call, path, nth, EIO);
    int rc = save("user/f", "content");
    forget_rules();
    remove_tree(options.state_dir);
    return rc;
}

TEST(a_creation_past_a_device_boundary_that_fails_leaves_no_empty_file)
{
    CHECK(create_with_fault(CALL_WRITE, "/user/f", 1) < 0);
    CHECK(!exists("user/f"));
}

TEST(a_creation_past_a_device_boundary_is_not_called_visible_while_it_is_empty)
{
    int rc = create_with_fault(CALL_FSYNC, "/user", 1);
    if (rc < 0)
        CHECK(!exists("user/f"));
    else
        CHECK_TEXT(text_of("user/f"), "content");
}

static void replace_meanwhile(void *context)
{
    put("foreign", context);
    CHECK_INT(rename("foreign", "user/f"), 0);
}

static void write_meanwhile(void *context)
{
    put("user/f", context);
}

/* The empty file that stands for a moment may become somebody else's: that is not ours to remove.
 */
static void check_others_are_spared(void (*deed)(void *))
{
    make_dir("user", 0755);
    options.state_dir = other_file_system();
    options.exclusive = true;
    CHECK_INT(save("user/first", "x"), 0);
    at(CALL_FSYNC, "/inplace/f", 1, deed, "theirs");
    int rc = save("user/f", "content");
    forget_rules();
    remove_tree(options.state_dir);
    CHECK_INT(rc, -UNTORN_EXISTS);
    CHECK_TEXT(text_of("user/f"), "theirs");
}

TEST(a_file_replaced_while_it_is_made_past_a_device_boundary_is_not_removed)
{
    check_others_are_spared(replace_meanwhile);
}

TEST(a_file_written_while_it_is_made_past_a_device_boundary_is_not_removed)
{
    check_others_are_spared(write_meanwhile);
}

static void make_meanwhile(void *context)
{
    if (!exists("user/f"))
        put("user/f", context);
}

TEST(a_file_made_by_somebody_else_past_a_device_boundary_is_seen)
{
    make_dir("user", 0755);
    options.state_dir = other_file_system();
    options.exclusive = true;
    CHECK_INT(save("user/first", "x"), 0);
    at(CALL_RENAME, "/user/f", 1, make_meanwhile, "theirs");
    fail(CALL_RENAME, "/user/f", 1, EXDEV);
    int rc = save("user/f", "content");
    forget_rules();
    remove_tree(options.state_dir);
    CHECK_INT(rc, -UNTORN_EXISTS);
    CHECK_TEXT(text_of("user/f"), "theirs");
}

TEST(a_creation_past_a_device_boundary_that_cannot_be_taken_back_is_not_settled)
{
    make_dir("user", 0755);
    options.state_dir = other_file_system();
    CHECK_INT(save("user/first", "x"), 0);
    fail(CALL_WRITE, "/user/f", 1, EIO);
    fail(CALL_UNLINK, "/user/f", 1, EIO);
    int rc = save("user/f", "content");
    forget_rules();
    remove_tree(options.state_dir);
    CHECK_INT(rc, UNTORN_UNSETTLED_IN_PLACE);
}

TEST(at_level_cache_a_creation_past_a_device_boundary_flushes_nothing)
{
    make_dir("user", 0755);
    options.state_dir = other_file_system();
    options.level = UNTORN_CACHE;
    CHECK_INT(save("user/first", "x"), 0);
    const struct rule *flushes = watch(CALL_FSYNC, "");
    int rc = save("user/f", "content");
    fail(CALL_WRITE, "/user/g", 1, EIO);
    int failed = save("user/g", "content");
    int seen = flushes->seen;
    forget_rules();
    remove_tree(options.state_dir);
    CHECK_INT(rc, 0);
    CHECK_INT(failed, -UNTORN_IO);
    CHECK(!exists("user/g"));
    CHECK_INT(seen, 0);
}

static void save_where_i_may_not(void *context)
{
    (void)context;
    CHECK_INT(save("d/f", "new"), -UNTORN_NO_STATE);
    options.state_dir = "state";
    CHECK_INT(save("d/f", "new"), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_IN_PLACE);
    CHECK_INT(save("d/g", "new"), -UNTORN_DENIED);
}

TEST(with_a_state_directory_a_file_in_a_closed_directory_is_overwritten_in_place)
{
    need_root();
    make_dir("d", 0755);
    put("d/f", "old");
    CHECK_INT(chmod("d/f", 0666), 0);
    make_dir("state", 0777);
    in_child_as(ALICE, ALICE, save_where_i_may_not, NULL);
    CHECK_TEXT(text_of("d/f"), "new");
    CHECK(!exists("d/g"));
}

/* ---- all options together ---- */

enum kind_of_path { REGULAR, NOTHING, LINK, DANGLING, KINDS };

static void set_scene(enum kind_of_path kind)
{
    make_dir("scene", 0700);
    if (kind == REGULAR)
        put("scene/path", "old");
    if (kind == LINK || kind == DANGLING)
        CHECK_INT(symlink("real", "scene/path"), 0);
    if (kind == LINK)
        put("scene/real", "old");
}

/* What the documentation says must come of it. */
static int expected_answer(enum kind_of_path kind, bool match)
{
    bool link = kind == LINK || kind == DANGLING;
    if (options.exclusive && options.if_match)
        return -UNTORN_INVALID;
    if (link && options.symlink == UNTORN_REFUSE_LINK)
        return -UNTORN_LINK_REFUSED;
    bool itself = link && options.symlink == UNTORN_REPLACE_LINK;
    bool there = kind == REGULAR || kind == LINK || itself;
    if (options.exclusive && there)
        return -UNTORN_EXISTS;
    if (options.if_match && (!there || itself || !match))
        return -UNTORN_CHANGED;
    return 0;
}

static void check_combination(enum kind_of_path kind, unsigned bits, const char *text)
{
    struct untorn_hash old = untorn_hash("old", 3), wrong = untorn_hash("x", 1);
    options = (struct untorn_options){.level = UNTORN_CACHE,
                                      .exclusive = bits & 1,
                                      .if_changed = bits & 2,
                                      .keep_inode = bits & 4,
                                      .parents = bits & 8,
                                      .strict = bits & 8,
                                      .mode = bits & 16 ? 0600 : 0};
    bool match = bits & 32;
    if (bits & 64)
        options.if_match = match ? &old : &wrong;
    options.symlink = (enum untorn_symlink)(bits >> 7);
    set_scene(kind);
    int expected = expected_answer(kind, match);
    CHECK_INT(save("scene/path", text), expected);
    struct untorn_content content;
    int rc = untorn_read("scene/path", NULL, &content, NULL);
    if (expected == 0) {
        CHECK_INT(rc, 0);
        CHECK_TEXT(content.data, text);
        if (options.mode && !(options.keep_inode && kind != NOTHING))
            CHECK_INT(stat_of("scene/path").st_mode & 077,
                      S_ISLNK(stat_of("scene/path").st_mode) ? 077 : 0);
    } else {
        CHECK_INT(rc, kind == REGULAR || kind == LINK ? 0 : -UNTORN_MISSING);
        if (rc == 0)
            CHECK_TEXT(content.data, "old");
    }
    CHECK_INT(count_entries("scene/.untorn/stage", ""), 0);
    untorn_content_free(&content);
    remove_tree("scene");
}

TEST(all_options_together_do_what_each_says)
{
    work_in_memory();
    for (int kind = KINDS; kind-- > 0;) /* links first: without them there is no use in the rest */
        for (unsigned bits = 0; bits < 3 << 7; bits++)
            check_combination((enum kind_of_path)kind, bits, bits % 3 ? "new" : "old");
}
