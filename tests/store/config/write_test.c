/* untorn/config.h: what is written, where, and what is refused before. */
#include "harness.h"

#include <errno.h>
#include <sys/mount.h>
#include <unistd.h>

#include "store/config/setting.h"

static const char schema[] =
    "[[key]]\nname = \"server.port\"\ntype = \"integer\"\ndefault = 80\nmax = 65535\n"
    "[[key]]\nname = \"server.host\"\ntype = \"string\"\n"
    "[[key]]\nname = \"debug\"\ntype = \"boolean\"\n"
    "[[key]]\nname = \"ratio\"\ntype = \"float\"\n"
    "[[key]]\nname = \"any\"\n"
    "[[key]]\nname = \"tags\"\ntype = \"array\"\nof = \"string\"\n"
    "[[key]]\nname = \"free\"\ntype = \"table\"\n"
    "[[key]]\nname = \"auth.pins\"\ntype = \"array\"\nof = \"integer\"\nsecret = true\n"
    "scopes = [\"global\"]\n"
    "[[key]]\nname = \"auth.pin\"\ntype = \"integer\"\nsecret = true\n"
    "[[key]]\nname = \"auth.token\"\ntype = \"string\"\nsecret = true\nscopes = [\"global\"]\n";

static int set(struct untorn_config *config, enum untorn_scope scope, const char *key,
               const char *value)
{
    return untorn_config_set(config, scope, key, value, &no_flush, &error);
}

static struct untorn_edit edit_of(const char *key, const char *value, enum untorn_syntax syntax)
{
    return (struct untorn_edit){.kind = UNTORN_SET,
                                .key = key,
                                .value = value,
                                .value_size = strlen(value),
                                .syntax = syntax};
}

TEST(a_value_goes_to_exactly_one_file_and_comments_stay)
{
    put("g.toml", "# mine\n[server]\nport = 1 # proxy\nhost = '${HOME}'\n");
    put("p.toml", "x = 1\n");
    struct untorn_config *config = OPEN(.schema_text = schema);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "server.port", "8080"), 0);
    CHECK_TEXT(text_of("g.toml"), "# mine\n[server]\nport = 8080 # proxy\nhost = '${HOME}'\n");
    CHECK_TEXT(text_of("p.toml"), "x = 1\n");
    CHECK_TEXT(value_of(config, "server.host"), "\"${HOME}\"");
    CHECK_INT(set(config, UNTORN_SCOPE_LOCAL, "debug", "true"), 0);
    CHECK_TEXT(text_of("l.toml"), "debug = true\n"); /* no default comes with it */
    CHECK_INT(untorn_config_unset(config, UNTORN_SCOPE_GLOBAL, "server.port", NULL, &error), 0);
    CHECK_TEXT(value_of(config, "server.port"), "80");
    CHECK_INT(untorn_config_unset(config, UNTORN_SCOPE_GLOBAL, "server.port", NULL, &error),
              -UNTORN_NO_KEY);
    CHECK_INT(untorn_config_unset(config, UNTORN_SCOPE_PROJECT, "x", NULL, &error), 0);
    CHECK(!exists("d.toml") && !exists("o.toml"));
    untorn_config_free(config);
}

TEST(a_plain_value_takes_the_type_of_the_schema)
{
    struct untorn_config *config = OPEN(.schema_text = schema);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "server.host", "true"), 0);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "ratio", "2"), 0);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "any", "x"), 0);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "tags", "['a']"), 0);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "tags[+]", "7"), 0);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "free.a.b", "1"), 0);
    CHECK_TEXT(value_of(config, "server.host"), "\"true\"");
    CHECK_TEXT(value_of(config, "ratio"), "2");
    CHECK_TEXT(value_of(config, "any"), "\"x\"");
    CHECK_TEXT(value_of(config, "tags"), "[\"a\", \"7\"]");
    CHECK_TEXT(value_of(config, "free"), "{\"a\": {\"b\": 1}}");
    untorn_config_free(config);
}

TEST(what_the_schema_does_not_allow_is_refused_before_anything_is_written)
{
    static const struct {
        enum untorn_scope scope;
        const char *key, *value;
        enum untorn_syntax syntax;
        const char *says;
    } wrong[] = {
        {UNTORN_SCOPE_GLOBAL, "sever.port", "1", 0,
         "sever.port is not a key that the schema knows; did you mean server.port?"},
        {UNTORN_SCOPE_GLOBAL, "server.port", "x", 0, "server.port must be an integer, not 'x'"},
        {UNTORN_SCOPE_GLOBAL, "server.port", "70000", 0, "server.port must be at most 65535"},
        {UNTORN_SCOPE_GLOBAL, "server.port", "1", UNTORN_AS_STRING,
         "server.port must be an integer, not a string"},
        {UNTORN_SCOPE_GLOBAL, "server", "1", 0, "server must be a table"},
        {UNTORN_SCOPE_GLOBAL, "server.port.x", "1", 0,
         "server.port.x is below server.port, which must be an integer; did you mean "
         "server.port?"},
        {UNTORN_SCOPE_GLOBAL, "server", "{\"port\": 1, \"x\": 1}", UNTORN_AS_JSON,
         "server.x is not a key that the schema knows"},
        {UNTORN_SCOPE_GLOBAL, "server", "{\"port\": \"1\"}", UNTORN_AS_JSON,
         "server.port must be an integer, not a string"},
        {UNTORN_SCOPE_GLOBAL, "debug", "yes", 0, "debug must be a boolean, not 'yes'"},
        {UNTORN_SCOPE_GLOBAL, "tags[0]", "1", UNTORN_AS_JSON,
         "tags has an element that must be a string, not an integer"},
        {UNTORN_SCOPE_GLOBAL, "server[0]", "1", 0, "server is not an array"},
        {UNTORN_SCOPE_PROJECT, "auth.token", "s", 0,
         "auth.token may not be set in the scope project (only: global)"},
        {UNTORN_SCOPE_LOCAL, "auth.pins[+]", "1", 0,
         "auth.pins may not be set in the scope local (only: global)"},
        {UNTORN_SCOPE_LOCAL, "auth.pin", "s3cret", 0, "auth.pin must be an integer"},
        {UNTORN_SCOPE_LOCAL, "/tags/0", "1", UNTORN_AS_JSON,
         "tags has an element that must be a string, not an integer"},
        {UNTORN_SCOPE_LOCAL, "auth", "{\"token\": \"s\"}", UNTORN_AS_JSON,
         "auth.token may not be set in the scope local (only: global)"},
    };
    struct untorn_config *config = OPEN(.schema_text = schema);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct untorn_edit edits[] = {edit_of("debug", "true", UNTORN_PLAIN),
                                      edit_of(wrong[i].key, wrong[i].value, wrong[i].syntax)};
        CHECK_INT(untorn_config_write(config, wrong[i].scope, edits, 2, &no_flush, &error),
                  -UNTORN_NOT_ALLOWED);
        if (strncmp(error.detail, wrong[i].says, strlen(wrong[i].says)) != 0)
            CHECK_TEXT(error.detail, wrong[i].says);
        CHECK(!strstr(error.detail, "s3cret"));
    }
    CHECK(!exists("g.toml") && !exists("p.toml") && !exists("l.toml"));
    CHECK(!exists(".untorn"));
    struct untorn_edit patch = {.kind = UNTORN_MERGE_PATCH, .value = "{}", .value_size = 2};
    CHECK_INT(untorn_config_write(config, UNTORN_SCOPE_GLOBAL, &patch, 1, NULL, &error),
              -UNTORN_INVALID);
    CHECK_INT(set(config, UNTORN_SCOPE_OVERRIDE, "debug", "true"), -UNTORN_INVALID);
    CHECK_INT(set(config, UNTORN_SCOPE_DEFAULT, "debug", "true"), -UNTORN_INVALID);
    untorn_config_free(config);
}

TEST(a_file_that_gets_a_secret_is_for_its_owner_alone)
{
    struct untorn_config *config = OPEN(.schema_text = schema);
    umask(022);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "auth.token", "s"), 0);
    CHECK_INT(mode_of("g.toml"), 0600);
    CHECK_INT(error.flags & UNTORN_FLAG_NARROWED, 0);
    CHECK_INT(chmod("g.toml", 0644), 0);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "debug", "true"), 0);
    CHECK_INT(mode_of("g.toml"), 0644); /* it did not get one */
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "auth.token", "t"), 0);
    CHECK_INT(mode_of("g.toml"), 0600);
    CHECK(error.flags & UNTORN_FLAG_NARROWED);
    CHECK_INT(chmod("g.toml", 0644), 0); /* also if it has that very value already */
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "auth.token", "t"), 0);
    CHECK_INT(mode_of("g.toml"), 0600);
    CHECK_INT(set(config, UNTORN_SCOPE_PROJECT, "debug", "true"), 0);
    CHECK_INT(mode_of("p.toml"), 0644);
    CHECK_INT(chmod("g.toml", 0644), 0);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "auth.pins[+]", "1"), 0);
    CHECK_INT(mode_of("g.toml"), 0600);
    CHECK_INT(chmod("g.toml", 0644), 0);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "auth.pins[+]", "2"), 0);
    CHECK_INT(mode_of("g.toml"), 0600);
    struct untorn_edit wrong = edit_of("auth.token", "s3cret\x01", UNTORN_AS_JSON);
    CHECK_INT(untorn_config_write(config, UNTORN_SCOPE_GLOBAL, &wrong, 1, NULL, &error),
              -UNTORN_INVALID);
    CHECK(!strstr(error.detail, "s3cret"));
    untorn_config_free(config);
}

TEST(several_scopes_are_written_together_or_not_at_all)
{
    struct untorn_config *config = OPEN(.schema_text = schema);
    struct untorn_config_edit edits[] = {
        {UNTORN_SCOPE_GLOBAL, edit_of("server.port", "1", UNTORN_PLAIN)},
        {UNTORN_SCOPE_LOCAL, edit_of("server.port", "2", UNTORN_PLAIN)},
        {UNTORN_SCOPE_GLOBAL, edit_of("auth.token", "s", UNTORN_PLAIN)},
    };
    CHECK_INT(untorn_config_write_scoped(config, edits, 3, &no_flush, &error), 0);
    CHECK_TEXT(value_of(config, "server.port"), "2");
    CHECK_TEXT(text_of("g.toml"), "[server]\nport = 1\n\n[auth]\ntoken = \"s\"\n");
    CHECK_INT(mode_of("g.toml"), 0600);
    CHECK_INT(chmod("g.toml", 0660), 0);
    CHECK_INT(untorn_config_write_scoped(config, edits, 3, &no_flush, &error), 0);
    CHECK(error.flags & UNTORN_FLAG_NARROWED);
    CHECK_INT(mode_of("g.toml"), 0600);
    edits[0].edit.value = "7";
    edits[1] = (struct untorn_config_edit){UNTORN_SCOPE_LOCAL,
                                           {.kind = UNTORN_UNSET, .key = "server.host"}};
    CHECK_INT(untorn_config_write_scoped(config, edits, 3, &no_flush, &error), -UNTORN_NO_KEY);
    CHECK_TEXT(text_of("g.toml"), "[server]\nport = 1\n\n[auth]\ntoken = \"s\"\n");
    edits[1].scope = UNTORN_SCOPES;
    CHECK_INT(untorn_config_write_scoped(config, edits, 3, &no_flush, &error), -UNTORN_INVALID);
    edits[1].scope = UNTORN_SCOPE_ENVIRONMENT;
    CHECK_INT(untorn_config_write_scoped(config, edits, 3, &no_flush, &error), -UNTORN_INVALID);
    CHECK_TEXT(value_of(config, "server.port"), "2");
    untorn_config_free(config);
}

/* Inside its own lock, and inside that of another scope. */
TEST(writes_nest_in_locks)
{
    struct untorn_config *config = OPEN(.schema_text = schema);
    struct untorn_lock *lock, *other;
    CHECK_INT(untorn_lock("g.toml", UNTORN_LOCK_EXCLUSIVE, &no_flush, &lock, &error), 0);
    CHECK_INT(untorn_lock("p.toml", UNTORN_LOCK_EXCLUSIVE, &no_flush, &other, &error), 0);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "server.port", "1"), 0);
    CHECK_INT(set(config, UNTORN_SCOPE_PROJECT, "server.port", "2"), 0);
    struct untorn_config_edit edits[] = {
        {UNTORN_SCOPE_GLOBAL, edit_of("debug", "true", UNTORN_PLAIN)},
        {UNTORN_SCOPE_PROJECT, edit_of("debug", "false", UNTORN_PLAIN)},
    };
    CHECK_INT(untorn_config_write_scoped(config, edits, 2, &no_flush, &error), 0);
    untorn_unlock(other);
    untorn_unlock(lock);
    CHECK_TEXT(value_of(config, "debug"), "false");
    CHECK_TEXT(value_of(config, "server.port"), "2");
    untorn_config_free(config);
}

static int write_inside(void *context, const struct untorn_content *old,
                        struct untorn_change *change)
{
    (void)old, (void)change;
    CHECK_INT(set(context, UNTORN_SCOPE_PROJECT, "server.port", "3"), 0);
    return 0;
}

TEST(writes_nest_in_updates_and_join_a_transaction)
{
    struct untorn_config *config = OPEN(.schema_text = schema);
    struct untorn_transaction *transaction;
    struct untorn_edit edit = edit_of("server.port", "1", UNTORN_PLAIN);
    CHECK_INT(untorn_update("g.toml", write_inside, config, &no_flush, &error), 0);
    CHECK_TEXT(value_of(config, "server.port"), "3");
    CHECK_INT(untorn_transaction_begin(&no_flush, &transaction, &error), 0);
    CHECK_INT(untorn_transaction_edit(transaction, "l.toml", &edit, 1, NULL, NULL, &error), 0);
    CHECK_INT(untorn_transaction_put(transaction, "other", "x", 1, NULL, &error), 0);
    CHECK_INT(set(config, UNTORN_SCOPE_LOCAL, "debug", "true"), 0);
    CHECK_TEXT(value_of(config, "debug"), "?NO_KEY"); /* not yet */
    struct untorn_config_edit edits[] = {
        {UNTORN_SCOPE_GLOBAL, edit_of("server.host", "g", UNTORN_PLAIN)},
        {UNTORN_SCOPE_PROJECT, edit_of("server.host", "p", UNTORN_PLAIN)},
    };
    CHECK_INT(untorn_config_write_scoped(config, edits, 2, &no_flush, &error), 0);
    CHECK_TEXT(value_of(config, "server.host"), "\"p\"");
    CHECK_INT(untorn_transaction_commit(transaction, &error), 0);
    untorn_transaction_free(transaction);
    CHECK_TEXT(value_of(config, "debug"), "true");
    CHECK_TEXT(value_of(config, "server.port"), "1");
    untorn_config_free(config);
}

TEST(a_link_stays_a_link_and_what_it_leads_to_is_edited)
{
    make_dir("dotfiles", 0755);
    put("dotfiles/g.toml", "# d\n");
    CHECK_INT(symlink("dotfiles/g.toml", "g.toml"), 0);
    struct untorn_config *config = OPEN(.schema_text = schema);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "debug", "true"), 0);
    CHECK(S_ISLNK(stat_of("g.toml").st_mode));
    CHECK_TEXT(text_of("dotfiles/g.toml"), "# d\n\ndebug = true\n");
    CHECK_TEXT(value_of(config, "debug"), "true");
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "auth.token", "s"), 0);
    CHECK_INT(mode_of("dotfiles/g.toml"), 0600);
    untorn_config_free(config);
}

TEST(a_file_on_a_bind_mount_is_edited_and_seen)
{
    private_mounts();
    put("under.toml", "debug = false\n");
    put("g.toml", "");
    CHECK_INT(mount("under.toml", "g.toml", NULL, MS_BIND, NULL), 0);
    struct untorn_config *config = OPEN(.schema_text = schema);
    CHECK_TEXT(value_of(config, "debug"), "false");
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "debug", "true"), 0);
    CHECK(error.flags & UNTORN_FLAG_IN_PLACE);
    CHECK_TEXT(value_of(config, "debug"), "true");
    CHECK_TEXT(text_of("under.toml"), "debug = true\n");
    untorn_config_free(config);
    CHECK_INT(umount("g.toml"), 0);
}

TEST(a_file_that_cannot_be_written_is_read_and_the_write_says_why)
{
    char here[4096];
    private_mounts();
    put("g.toml", "debug = false\n");
    CHECK(getcwd(here, sizeof here));
    CHECK_INT(mount(here, here, NULL, MS_BIND, NULL), 0);
    CHECK_INT(mount(NULL, here, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), 0);
    CHECK_INT(chdir(here), 0);
    struct untorn_config *config = OPEN(.schema_text = schema);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "debug", "true"), -UNTORN_NO_STATE);
    CHECK_TEXT(error.path, "g.toml");
    CHECK_INT(error.os_error, EROFS);
    CHECK_TEXT(value_of(config, "debug"), "false");
    untorn_config_free(config);
    CHECK_INT(umount2(here, MNT_DETACH), 0);
    CHECK_INT(chdir(here), 0);
}

TEST(a_damaged_file_stays_as_it_is)
{
    put("g.toml", "debug = = 1\n");
    struct untorn_config *config = OPEN(.schema_text = schema);
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "debug", "true"), -UNTORN_DAMAGED);
    CHECK_TEXT(error.path, "g.toml");
    CHECK_TEXT(text_of("g.toml"), "debug = = 1\n");
    untorn_config_free(config);
}

static struct untorn_config *open_home(const char *home)
{
    char text[4200];
    snprintf(text, sizeof text, "HOME=%s", home);
    const char *const environment[] = {text, NULL};
    struct untorn_config_setup setup = {.app = "app", .environment = environment};
    struct untorn_config *config;
    CHECK_INT(untorn_config_open(&setup, &config, &error), 0);
    return config;
}

TEST(a_home_that_is_not_there_is_not_made)
{
    struct untorn_config *config = open_home("/nonexistent");
    CHECK_TEXT(value_of(config, "x"), "?NO_KEY");
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "x", "1"), -UNTORN_MISSING);
    CHECK_TEXT(error.detail, "HOME is /nonexistent, which is not there");
    CHECK(!exists("/nonexistent"));
    CHECK_INT(set(config, UNTORN_SCOPE_PROJECT, "x", "1"), -UNTORN_MISSING);
    CHECK(strstr(error.detail, "mkdir .app"));
    untorn_config_free(config);
    config = open_home("");
    CHECK_TEXT(value_of(config, "x"), "?NO_KEY");
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "x", "1"), -UNTORN_MISSING);
    untorn_config_free(config);
    make_dir("home", 0755);
    config = open_home(full_path("home"));
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "x", "1"), 0);
    CHECK_TEXT(text_of("home/.config/app/config.toml"), "x = 1\n");
    CHECK_INT(mode_of("home/.config/app"), 0700);
    CHECK_TEXT(value_of(config, "x"), "1");
    untorn_config_free(config);
}

TEST(a_preview_writes_nothing)
{
    struct untorn_document *document;
    struct untorn_edit edit = edit_of("debug", "true", UNTORN_PLAIN);
    struct untorn_config *config = OPEN(.schema_text = schema);
    CHECK_INT(untorn_config_preview(config, UNTORN_SCOPE_GLOBAL, &edit, 1, &document, &error), 0);
    CHECK_TEXT(untorn_document_text(document, NULL), "debug = true\n");
    untorn_document_free(document);
    CHECK(!exists("g.toml"));
    edit.value = "1";
    edit.value_size = 1;
    CHECK_INT(untorn_config_preview(config, UNTORN_SCOPE_GLOBAL, &edit, 1, &document, &error),
              -UNTORN_NOT_ALLOWED);
    CHECK(!document);
    untorn_config_free(config);
}

static void write_where_nothing_can_be(void *context)
{
    struct untorn_config *config = OPEN(.schema_text = schema);
    (void)context;
    CHECK_TEXT(value_of(config, "debug"), "true");
    CHECK_INT(set(config, UNTORN_SCOPE_GLOBAL, "debug", "false"), -UNTORN_NO_STATE);
    CHECK_TEXT(error.path, "g.toml");
    untorn_config_free(config);
}

TEST(what_cannot_be_written_can_be_read)
{
    need_root();
    put("g.toml", "debug = true\n");
    in_child_as(ALICE, CREW, write_where_nothing_can_be, NULL);
    CHECK_TEXT(text_of("g.toml"), "debug = true\n");
}
