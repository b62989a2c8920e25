/* untorn_config_check: all that is wrong, with its place. */
#include "harness.h"

#include "os/os.h"
#include "store/config/setting.h"

static const char schema[] =
    "env_prefix = \"APP\"\n"
    "[[key]]\nname = \"port\"\ntype = \"integer\"\n"
    "[[key]]\nname = \"table\"\ntype = \"table\"\n"
    "[[key]]\nname = \"auth.token\"\ntype = \"string\"\nsecret = true\nscopes = [\"global\"]\n";

static char told[4096];

static int tell(void *context, const struct untorn_config_finding *finding)
{
    (void)context;
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s:%llu:%llu: %s\n",
             finding->origin.variable ? finding->origin.variable : finding->origin.path,
             (unsigned long long)finding->origin.line, (unsigned long long)finding->origin.column,
             finding->text);
    return 0;
}

static const char *check(struct untorn_config *config, int rc)
{
    told[0] = '\0';
    CHECK_INT(untorn_config_check(config, tell, NULL, &error), rc);
    CHECK_INT(error.status, -rc);
    return told;
}

TEST(nothing_is_wrong)
{
    put("g.toml", "port = 1\n[table]\nx = 1\n[auth]\ntoken = 's'\n");
    CHECK_INT(chmod("g.toml", 0600), 0);
    struct untorn_config *config = OPEN(.schema_text = schema);
    CHECK_TEXT(check(config, 0), "");
    untorn_config_free(config);
    config = OPEN(.app = "app");
    CHECK_TEXT(check(config, 0), "");
    untorn_config_free(config);
}

TEST(everything_that_is_wrong_is_told_with_its_place)
{
    static const char *const environment[] = {"APP_PORT=x", NULL};
    put("d.toml", "prt = 1\n");
    put("p.toml", "a = 1\nport = 'x'\n");
    put("l.toml", "\n  [auth]\n  token = 's'\n");
    put("o.toml", "port = \n");
    struct untorn_config *config = OPEN(.schema_text = schema, .environment = environment);
    CHECK_TEXT(check(config, -UNTORN_MISFIT),
               "d.toml:1:1: prt is not a key that the schema knows; did you mean port?\n"
               "p.toml:1:1: a is not a key that the schema knows\n"
               "p.toml:2:1: port must be an integer, not a string\n"
               "l.toml:3:3: auth.token may not be set in the scope local (only: global)\n"
               "APP_PORT:0:0: port must be an integer, not a string\n"
               "o.toml:1:8: the content is damaged: expected a value\n");
    CHECK_INT(untorn_config_check(config, NULL, NULL, NULL), -UNTORN_MISFIT);
    untorn_config_free(config);
}

TEST(a_secret_that_others_can_read_is_told_where_modes_tell)
{
    put("g.toml", "[auth]\ntoken = 's'\n");
    CHECK_INT(chmod("g.toml", 0640), 0);
    struct untorn_config *config = OPEN(.schema_text = schema);
    CHECK_TEXT(check(config, os_modes_tell() ? -UNTORN_MISFIT : 0),
               os_modes_tell() ? "g.toml:0:0: holds the secret auth.token, and others than its "
                                 "owner can reach it; chmod 600\n"
                               : "");
    untorn_config_free(config);
}

static int stop(void *context, const struct untorn_config_finding *finding)
{
    (void)finding;
    ++*(int *)context;
    return 42;
}

TEST(a_check_can_be_ended)
{
    int count = 0;
    put("g.toml", "a = 1\nb = 1\n");
    struct untorn_config *config = OPEN(.schema_text = schema);
    CHECK_INT(untorn_config_check(config, stop, &count, &error), 42);
    CHECK_INT(count, 1);
    untorn_config_free(config);
}

static void check_unreadable(void *context)
{
    struct untorn_config *config = OPEN(.schema_text = schema);
    (void)context;
    CHECK_TEXT(check(config, -UNTORN_DENIED),
               "g.toml:0:0: permission denied [Permission denied] (the old content stays)\n");
    CHECK_TEXT(value_of(config, "port"), "?DENIED");
    CHECK_TEXT(error.path, "g.toml");
    untorn_config_free(config);
}

TEST(a_file_that_cannot_be_read_is_told)
{
    need_root();
    put("g.toml", "port = 1\n");
    CHECK_INT(chmod("g.toml", 0600), 0);
    in_child_as(ALICE, CREW, check_unreadable, NULL);
}
