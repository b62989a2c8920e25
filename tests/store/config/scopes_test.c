/* Which file each scope has. */
#include "harness.h"

#include <unistd.h>

#include "file/support.h"
#include "store/config/scopes.h"

static struct untorn_error error;
static struct scopes scopes;

static const char *find(struct untorn_config_setup setup, enum untorn_scope scope)
{
    static const char *const no_environment[] = {NULL};
    scopes_free(&scopes);
    setup.app = setup.app ? setup.app : "app";
    setup.environment = setup.environment ? setup.environment : no_environment;
    CHECK_INT(scopes_find(&scopes, &setup, &error), 0);
    return scopes.paths[scope];
}
#define FIND(scope, ...) find((struct untorn_config_setup){__VA_ARGS__}, UNTORN_SCOPE_##scope)

#define ENVIRONMENT(...)                                                                           \
    .environment = (const char *const[])                                                           \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

TEST(the_global_file_is_where_xdg_says)
{
    CHECK_TEXT(FIND(GLOBAL, ENVIRONMENT("XDG_CONFIG_HOME=/x", "HOME=/h")), "/x/app/config.toml");
    CHECK_TEXT(FIND(GLOBAL, ENVIRONMENT("HOME=/h")), "/h/.config/app/config.toml");
    CHECK_TEXT(scopes.home, "/h");
    CHECK_TEXT(FIND(GLOBAL, ENVIRONMENT("XDG_CONFIG_HOME=", "HOME=/h")),
               "/h/.config/app/config.toml");
    CHECK_TEXT(FIND(GLOBAL, ENVIRONMENT("XDG_CONFIG_HOME=rel", "HOME=/h")),
               "/h/.config/app/config.toml");
    CHECK_TEXT(FIND(GLOBAL, ENVIRONMENT("HOME=/h"), .format = UNTORN_JSON),
               "/h/.config/app/config.json");
}

TEST(without_a_home_there_is_no_global_file_and_that_is_said)
{
    CHECK(!FIND(GLOBAL, .app = "app"));
    CHECK(scopes.missing[UNTORN_SCOPE_GLOBAL]);
    CHECK(!FIND(GLOBAL, ENVIRONMENT("HOME=", "XDG_CONFIG_HOME=")));
    CHECK(!FIND(GLOBAL, ENVIRONMENT("HOME=relative")));
}

TEST(a_given_path_is_taken)
{
    CHECK_TEXT(FIND(PROJECT, .paths = {[UNTORN_SCOPE_PROJECT] = "some/p.json"}), "some/p.json");
    CHECK_TEXT(scopes.paths[UNTORN_SCOPE_LOCAL], "some/p.local.json");
    CHECK_TEXT(FIND(LOCAL, .paths = {[UNTORN_SCOPE_PROJECT] = "a.b/rc"}), "a.b/rc.local");
    CHECK_TEXT(FIND(GLOBAL, .paths = {[UNTORN_SCOPE_GLOBAL] = "g.toml"}), "g.toml");
}

TEST(the_project_is_the_nearest_folder_or_file_upward)
{
    char wanted[4096];
    make_dir("a", 0755);
    make_dir("a/b", 0755);
    CHECK(!FIND(PROJECT, .directory = "a/b"));
    CHECK(strstr(scopes.missing[UNTORN_SCOPE_PROJECT], "mkdir .app"));
    CHECK(!scopes.paths[UNTORN_SCOPE_LOCAL]);
    put("app.toml", "");
    strcpy(wanted, full_path("app.toml"));
    CHECK_TEXT(FIND(PROJECT, .directory = "a/b"), wanted);
    CHECK_TEXT(scopes.paths[UNTORN_SCOPE_LOCAL], full_path("app.local.toml"));
    make_dir("a/.app", 0755);
    strcpy(wanted, full_path("a/.app/config.toml"));
    CHECK_TEXT(FIND(PROJECT, .directory = "a/b"), wanted);
    CHECK_TEXT(scopes.paths[UNTORN_SCOPE_LOCAL], full_path("a/.app/config.local.toml"));
    put("a/app.toml", ""); /* a folder that has no file gives way to a file */
    strcpy(wanted, full_path("a/app.toml"));
    CHECK_TEXT(FIND(PROJECT, .directory = "a/b"), wanted);
    put("a/.app/config.toml", "");
    strcpy(wanted, full_path("a/.app/config.toml"));
    CHECK_TEXT(FIND(PROJECT, .directory = "a/b"), wanted);
    CHECK_INT(chdir("a/b"), 0);
    CHECK_TEXT(FIND(PROJECT, .app = "app"), wanted);
    CHECK_INT(scopes.ignored_count, 0);
}

/* [SCOPES-1] */
TEST(what_somebody_else_put_above_us_is_passed_over_and_told)
{
    char wanted[4096];
    need_root();
    make_dir("a", 0755);
    make_dir("a/b", 0755);
    make_dir("a/b/.app", 0755);
    put("app.toml", "");
    put("a/app.toml", "");
    put("a/b/.app/config.toml", "");
    CHECK_INT(chown("a/b/.app", ALICE, CREW), 0);
    CHECK_INT(chown("a/app.toml", ALICE, CREW), 0);
    strcpy(wanted, full_path("app.toml"));
    CHECK_TEXT(FIND(PROJECT, .directory = "a/b"), wanted);
    CHECK_INT(scopes.ignored_count, 2);
    CHECK(strstr(scopes.ignored[0], "a/b/.app: belongs to user 12345"));
    CHECK(strstr(scopes.ignored[1], "a/app.toml: belongs to user 12345"));
    CHECK_INT(chown("a/b/.app", 0, 0), 0); /* the folder is ours, the file in it is not */
    CHECK_INT(chown("a/b/.app/config.toml", ALICE, CREW), 0);
    CHECK_TEXT(FIND(PROJECT, .directory = "a/b"), wanted);
    CHECK_INT(chown("a/b/.app/config.toml", 0, 0), 0);
    put("a/b/.app/config.local.toml", "");
    CHECK_INT(chown("a/b/.app/config.local.toml", ALICE, CREW), 0);
    CHECK(!FIND(LOCAL, .directory = "a/b"));
    CHECK(scopes.paths[UNTORN_SCOPE_PROJECT]);
    CHECK_INT(unlink("app.toml"), 0); /* a link is its maker's, whatever it leads to */
    CHECK_INT(unlink("a/b/.app/config.toml"), 0);
    CHECK_INT(rename("a/app.toml", "mine.toml"), 0);
    CHECK_INT(chown("mine.toml", 0, 0), 0);
    CHECK_INT(symlink("../mine.toml", "a/app.toml"), 0);
    remove_tree("a/b/.app");
    strcpy(wanted, full_path("a/app.toml"));
    CHECK_TEXT(FIND(PROJECT, .directory = "a/b"), wanted);
    CHECK_INT(lchown("a/app.toml", ALICE, CREW), 0);
    CHECK(!FIND(PROJECT, .directory = "a/b"));
}

TEST(a_name_that_could_lead_elsewhere_is_refused)
{
    static const char *const wrong[] = {"", ".", "..", ".x", "a/b", "-x", "a b", "a\n", NULL};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct untorn_config_setup setup = {.app = wrong[i]};
        CHECK_INT(scopes_find(&scopes, &setup, &error), -UNTORN_INVALID);
    }
}

TEST(scopes_have_names)
{
    for (int i = 0; i < UNTORN_SCOPES; i++)
        CHECK_INT(untorn_scope_by_name(untorn_scope_name((enum untorn_scope)i)), i);
    CHECK_INT(untorn_scope_by_name("globl"), UNTORN_SCOPES);
    CHECK(!untorn_scope_name(UNTORN_SCOPES));
}

TEST(a_folder_behind_a_link_is_the_projects_too)
{
    make_dir("real", 0755);
    CHECK_INT(symlink("real", ".app"), 0);
    CHECK_TEXT(FIND(PROJECT, .app = "app"), full_path(".app/config.toml"));
    put("real/config.toml", "");
    CHECK_TEXT(FIND(PROJECT, .app = "app"), full_path(".app/config.toml"));
    CHECK_INT(unlink(".app"), 0);
    CHECK_INT(symlink("nowhere", ".app"), 0);
    CHECK(!FIND(PROJECT, .app = "app"));
}

TEST(a_directory_that_is_not_there_is_an_error)
{
    struct untorn_config_setup setup = {.app = "app", .directory = "nowhere"};
    CHECK_INT(scopes_find(&scopes, &setup, &error), -UNTORN_MISSING);
    CHECK_TEXT(error.path, "nowhere");
}

static void find_blindly(void *context)
{
    (void)context;
    CHECK(!FIND(PROJECT, .app = "app"));
    CHECK_TEXT(scopes.missing[UNTORN_SCOPE_LOCAL], "the working directory cannot be looked at");
}

TEST(a_working_directory_that_cannot_be_looked_at_has_no_project)
{
    need_root();
    put("app.toml", "");
    CHECK_INT(chmod(".", 0700), 0);
    in_child_as(ALICE, CREW, find_blindly, NULL);
}
