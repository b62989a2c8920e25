/* untorn/update.h: lock, re-read, the caller's function, replace. */
#include "harness.h"

#include <untorn.h>

#include "file/interpose.h"
#include "file/support.h"

static struct untorn_error error;
static struct untorn_options options;

/* What the function is to do, and what it saw. */
struct script {
    const char *expected; /* the old content; NULL: no file */
    const char *set;      /* NULL: nothing */
    int answer;
    int calls;
    void (*meanwhile)(struct script *script);
};

static int follow(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    struct script *script = context;
    script->calls++;
    if (script->meanwhile)
        script->meanwhile(script);
    else
        CHECK_TEXT(old ? old->data : NULL, script->expected);
    if (old) {
        struct untorn_hash hash = untorn_hash(old->data, old->size);
        CHECK(untorn_hash_equal(&hash, &old->hash));
        CHECK_INT(old->data[old->size], '\0');
    }
    if (script->set)
        CHECK_INT(untorn_change_set(change, script->set, strlen(script->set)), 0);
    return script->answer;
}

static int update(struct script *script)
{
    return untorn_update("f", follow, script, &options, &error);
}

static int stages(void)
{
    return count_entries(".untorn/stage", "");
}

TEST(the_function_sees_the_newest_version_and_gives_the_next)
{
    struct script script = {.expected = "old", .set = "new"};
    put("f", "old");
    CHECK_INT(chmod("f", 0640), 0);
    CHECK_INT(update(&script), 0);
    CHECK_INT(script.calls, 1);
    CHECK_INT(error.flags, 0);
    CHECK_TEXT(text_of("f"), "new");
    CHECK_INT(mode_of("f"), 0640);
    CHECK_INT(stages(), 0);
}

TEST(without_a_file_the_function_sees_none)
{
    struct script script = {.set = "new"};
    umask(022);
    CHECK_INT(untorn_update("f", follow, &script, NULL, NULL), 0);
    CHECK_TEXT(text_of("f"), "new");
    CHECK_INT(mode_of("f"), 0644);
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(update(&script), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_CREATED);
}

TEST(an_empty_file_is_not_a_missing_one)
{
    struct script script = {.expected = "", .set = "x"};
    put("f", "");
    CHECK_INT(update(&script), 0);
    CHECK_TEXT(text_of("f"), "x");
}

TEST(a_function_that_refuses_changes_nothing_and_its_number_comes_back)
{
    struct script script = {.expected = "old", .set = "new", .answer = 42};
    char text[UNTORN_TEXT_SIZE];
    put("f", "old");
    ino_t inode = stat_of("f").st_ino;
    CHECK_INT(update(&script), -UNTORN_REFUSED);
    CHECK_INT(error.os_error, 42);
    CHECK_INT(script.calls, 1);
    CHECK_INT(stat_of("f").st_ino, inode);
    CHECK_TEXT(text_of("f"), "old");
    script.answer = -1;
    CHECK_INT(update(&script), -UNTORN_REFUSED);
    CHECK_INT(error.os_error, -1);
    untorn_describe(&error, text, sizeof text);
    CHECK_INT(stages(), 0);
}

TEST(no_change_leaves_the_file_and_flushes_it)
{
    struct script nothing = {.expected = "old"}, same = {.expected = "old", .set = "old"};
    put("f", "old");
    ino_t inode = stat_of("f").st_ino;
    const struct rule *flushes = watch(CALL_FSYNC, full_path("f"));
    CHECK_INT(update(&nothing), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    CHECK_INT(update(&same), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    CHECK_INT(flushes->seen, 2);
    CHECK_INT(stat_of("f").st_ino, inode);
    CHECK_INT(stages(), 0);
}

TEST(no_change_to_a_missing_file_makes_none)
{
    struct script nothing = {0};
    CHECK_INT(update(&nothing), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    CHECK(!exists("f"));
}

TEST(an_empty_change_of_a_missing_file_makes_an_empty_one)
{
    struct script empty = {.set = ""};
    CHECK_INT(update(&empty), 0);
    CHECK_TEXT(text_of("f"), "");
    CHECK_INT(error.flags, UNTORN_FLAG_CREATED);
}

/* ---- called again ---- */

static void replace_once(struct script *script)
{
    if (script->calls > 1)
        return;
    put("foreign", "foreign");
    CHECK_INT(rename("foreign", "f"), 0);
}

static void remove_once(struct script *script)
{
    if (script->calls == 1)
        CHECK_INT(unlink("f"), 0);
}

static void remove_folder_once(struct script *script)
{
    if (script->calls == 1)
        remove_tree(".untorn");
}

static void write_inside(struct script *script)
{
    if (script->calls == 1)
        CHECK_INT(untorn_write("f", "inside", 6, NULL, NULL), 0);
}

TEST(a_file_that_is_replaced_meanwhile_makes_the_function_run_again)
{
    void (*const deeds[])(struct script *) = {replace_once, remove_once, remove_folder_once,
                                              write_inside};
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        struct script script = {.set = "new", .meanwhile = deeds[i]};
        put("f", "old");
        CHECK_INT(update(&script), 0);
        CHECK_INT(script.calls, 2);
        CHECK_TEXT(text_of("f"), "new");
        CHECK_INT(stages(), 0);
    }
}

TEST(also_a_function_that_changes_nothing_runs_again)
{
    struct script script = {.meanwhile = replace_once};
    put("f", "old");
    CHECK_INT(update(&script), 0);
    CHECK_INT(script.calls, 2);
    CHECK_TEXT(text_of("f"), "foreign");
}

static void replace_always(struct script *script)
{
    (void)script;
    put("foreign", "foreign");
    CHECK_INT(rename("foreign", "f"), 0);
}

TEST(a_file_that_never_rests_is_given_up)
{
    struct script script = {.set = "new", .meanwhile = replace_always};
    put("f", "old");
    options.level = UNTORN_CACHE;
    CHECK_INT(update(&script), -UNTORN_RESTLESS);
    CHECK(script.calls > 50 && script.calls < 200);
    CHECK_TEXT(text_of("f"), "foreign");
}

static void use_other_files(struct script *script)
{
    struct untorn_content content;
    (void)script;
    CHECK_INT(untorn_write("g", "other", 5, NULL, NULL), 0);
    CHECK_INT(untorn_read("f", NULL, &content, NULL), 0);
    CHECK_TEXT(content.data, "old");
    untorn_content_free(&content);
}

TEST(the_function_may_use_untorn)
{
    struct script script = {.set = "new", .meanwhile = use_other_files};
    put("f", "old");
    CHECK_INT(update(&script), 0);
    CHECK_INT(script.calls, 1);
    CHECK_TEXT(text_of("g"), "other");
}

static void check_locked(struct script *script)
{
    struct untorn_holder holder;
    (void)script;
    CHECK_INT(untorn_who("f", NULL, &holder, NULL), 0);
    CHECK(holder.held);
    CHECK_INT(holder.pid, getpid());
}

TEST(the_function_runs_with_the_lock_held)
{
    struct script script = {.set = "new", .meanwhile = check_locked};
    CHECK_INT(update(&script), 0);
}

/* ---- giving ---- */

static int give(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    (void)old;
    CHECK_INT(untorn_change_set(change, "first", 5), 0);
    untorn_change_give(change, strdup("second"), 6);
    if (context)
        untorn_change_give(change, strdup(context), strlen(context));
    return 0;
}

TEST(the_last_content_given_counts)
{
    CHECK_INT(untorn_update("f", give, NULL, NULL, &error), 0);
    CHECK_TEXT(text_of("f"), "second");
    CHECK_INT(untorn_update("f", give, "third", NULL, &error), 0);
    CHECK_TEXT(text_of("f"), "third");
}

static int give_nothing(void *context, const struct untorn_content *old,
                        struct untorn_change *change)
{
    (void)context, (void)old;
    untorn_change_give(change, NULL, 0);
    return 0;
}

TEST(no_bytes_may_be_given_without_a_pointer)
{
    put("f", "");
    CHECK_INT(untorn_update("f", give_nothing, NULL, NULL, &error), 0);
    CHECK_INT(error.flags, UNTORN_FLAG_UNCHANGED);
    put("f", "old");
    CHECK_INT(untorn_update("f", give_nothing, NULL, NULL, &error), 0);
    CHECK_TEXT(text_of("f"), "");
}

/* ---- options ---- */

TEST(an_update_cannot_be_exclusive)
{
    struct script script = {.set = "x"};
    options.exclusive = true;
    CHECK_INT(update(&script), -UNTORN_INVALID);
    CHECK_INT(script.calls, 0);
}

TEST(if_match_is_compared_with_what_the_function_saw)
{
    struct untorn_hash old = untorn_hash("old", 3), other = untorn_hash("x", 1);
    struct script script = {.expected = "old", .set = "new"};
    put("f", "old");
    options.if_match = &other;
    CHECK_INT(update(&script), -UNTORN_CHANGED);
    CHECK_TEXT(text_of("f"), "old");
    options.if_match = &old;
    CHECK_INT(update(&script), 0);
    CHECK_TEXT(text_of("f"), "new");
}

TEST(if_match_is_compared_also_where_nothing_changes)
{
    struct untorn_hash other = untorn_hash("x", 1);
    struct script script = {.expected = "old"};
    put("f", "old");
    options.if_match = &other;
    CHECK_INT(update(&script), -UNTORN_CHANGED);
}

TEST(a_mode_is_given_also_where_nothing_changes)
{
    struct script same = {.expected = "old", .set = "old"};
    put("f", "old");
    CHECK_INT(chmod("f", 0644), 0);
    options.mode = 0600;
    CHECK_INT(update(&same), 0);
    CHECK_INT(mode_of("f"), 0600);
}

TEST(a_link_that_is_replaced_has_no_old_content)
{
    struct script script = {.expected = NULL, .set = "new"};
    put("real", "real");
    CHECK_INT(symlink("real", "f"), 0);
    options.symlink = UNTORN_REPLACE_LINK;
    CHECK_INT(update(&script), 0);
    CHECK(S_ISREG(stat_of("f").st_mode));
    CHECK_TEXT(text_of("real"), "real");
}

TEST(in_place_and_parents_and_modes_work_for_updates_too)
{
    struct script script = {.expected = "old", .set = "new"}, create = {.set = "x"};
    put("f", "old");
    ino_t inode = stat_of("f").st_ino;
    options.keep_inode = true;
    CHECK_INT(update(&script), 0);
    CHECK_INT(stat_of("f").st_ino, inode);
    options = (struct untorn_options){.parents = true, .mode = 0600};
    CHECK_INT(untorn_update("a/b", follow, &create, &options, &error), 0);
    CHECK_INT(mode_of("a/b"), 0600);
    CHECK_INT(mode_of("a"), 0700);
}

/* ---- failures ---- */

static void update_a_secret(void *context)
{
    struct script script = {.set = "x"};
    (void)context;
    CHECK_INT(untorn_update("d/secret", follow, &script, NULL, &error), -UNTORN_DENIED);
    CHECK_INT(script.calls, 0);
}

TEST(what_may_not_be_read_cannot_be_updated)
{
    need_root();
    make_dir("d", 0777);
    put("d/secret", "secret");
    CHECK_INT(chmod("d/secret", 0600), 0);
    in_child_as(ALICE, ALICE, update_a_secret, NULL);
    CHECK_TEXT(text_of("d/secret"), "secret");
}

TEST(a_failure_leaves_the_old_version)
{
    static const struct {
        enum call call;
        const char *path;
        int code;
        enum untorn_status status;
    } faults[] = {{CALL_READ, NULL, EIO, UNTORN_IO},
                  {CALL_WRITE, "/history/f/", ENOSPC, UNTORN_NO_SPACE},
                  {CALL_FSYNC, "/history/f/", EIO, UNTORN_IO},
                  {CALL_RENAME, NULL, EIO, UNTORN_IO}};
    put("f", "old");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct script script = {.expected = "old", .set = "new"};
        fail(faults[i].call, faults[i].path ? faults[i].path : full_path("f"), 1, faults[i].code);
        CHECK_INT(update(&script), -(int)faults[i].status);
        forget_rules();
        CHECK_TEXT(text_of("f"), "old");
        CHECK_INT(stages(), 0);
    }
    struct script script = {.set = "x"};
    CHECK_INT(untorn_update("missing/f", follow, &script, NULL, &error), -UNTORN_MISSING);
    CHECK_INT(script.calls, 0);
}

static void remove_folder(void *context)
{
    (void)context;
    remove_tree(".untorn");
}

TEST(our_folder_that_goes_while_the_stage_is_made_makes_the_function_run_again)
{
    struct script script = {.expected = "old", .set = "new"};
    put("f", "old");
    at(CALL_OPEN, "/stage/f.", 1, remove_folder, NULL);
    CHECK_INT(update(&script), 0);
    CHECK_INT(script.calls, 2);
    CHECK_TEXT(text_of("f"), "new");
}

static void append_to_it(void *context)
{
    int file = open("f", O_WRONLY | O_APPEND);
    CHECK_INT(write(file, context, strlen(context)), strlen(context));
    close(file);
}

static void empty_it(void *context)
{
    (void)context;
    CHECK_INT(truncate("f", 0), 0);
}

static char seen[16];

static int remember(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    snprintf(seen, sizeof seen, "%s", old->data);
    return untorn_change_set(change, context, strlen(context));
}

/* [LOCK-2] By programs that know nothing of locks. */
TEST(what_was_added_or_cut_since_the_look_is_seen_by_the_function)
{
    static const struct {
        enum call call;
        const char *path, *seen;
        void (*deed)(void *);
    } moments[] = {
        {CALL_READ, "/f", "old+", append_to_it},           /* while it is read */
        {CALL_FSYNC, "/history/f/", "old+", append_to_it}, /* while the new version is flushed */
        {CALL_READ, "/f", "", empty_it},
        {CALL_FSYNC, "/history/f/", "", empty_it},
    };
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        put("f", "old");
        at(moments[i].call, moments[i].path, 1, moments[i].deed, "+");
        CHECK_INT(untorn_update("f", remember, "new", NULL, &error), 0);
        forget_rules();
        CHECK_TEXT(seen, moments[i].seen);
        CHECK_TEXT(text_of("f"), "new");
    }
}
