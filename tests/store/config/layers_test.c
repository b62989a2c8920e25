/* What a configuration that is kept open sees of what others write. */
#include "harness.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "file/interpose.h"
#include "store/config/setting.h"

/* As if nobody had written for an hour; a file's own times cannot be set back. */
static void settle(void)
{
    nanosleep(&(struct timespec){3, 100000000}, NULL);
}

/* [LAYERS-1] Also in place, also of the same size, also within one tick of the clock. */
TEST(every_change_is_seen_at_once)
{
    char text[32], wanted[16];
    put("g.toml", "n = 1000\n");
    struct untorn_config *config = OPEN(.app = "app");
    for (int i = 1000; i < 1200; i++) {
        snprintf(text, sizeof text, "n = %d\n", i);
        snprintf(wanted, sizeof wanted, "%d", i);
        if (i % 3 == 0) {
            put("new", text);
            CHECK_INT(rename("new", "g.toml"), 0);
        } else {
            put("g.toml", text);
        }
        CHECK_TEXT(value_of(config, "n"), wanted);
    }
    CHECK_INT(unlink("g.toml"), 0);
    CHECK_TEXT(value_of(config, "n"), "?NO_KEY");
    put("g.toml", "n = 1\n");
    CHECK_TEXT(value_of(config, "n"), "1");
    untorn_config_free(config);
}

TEST(a_file_that_has_settled_is_not_opened_again_until_it_changes)
{
    put("g.toml", "n = 1\n");
    put("real.toml", "m = 1\n");
    CHECK_INT(symlink("real.toml", "p.toml"), 0);
    struct untorn_config *config = OPEN(.app = "app");
    settle();
    CHECK_TEXT(value_of(config, "n"), "1");
    const struct rule *opens = watch(CALL_OPEN, ".toml");
    for (int i = 0; i < 10; i++)
        CHECK_TEXT(value_of(config, "m"), "1");
    CHECK_INT(opens->seen, 0);
    put("real.toml", "m = 2\n"); /* of the same size, behind a link, in place */
    CHECK_TEXT(value_of(config, "m"), "2");
    untorn_config_free(config);
}

/* A project's file that was found, and is then somebody else's, is obeyed no longer. */
TEST(a_project_that_changes_hands_is_not_read)
{
    static const char *const nothing[] = {NULL};
    struct untorn_config_setup setup = {.app = "app", .environment = nothing};
    struct untorn_config *config;
    need_root();
    put("app.toml", "n = 1\n");
    CHECK_INT(untorn_config_open(&setup, &config, &error), 0);
    CHECK_TEXT(value_of(config, "n"), "1");
    CHECK_INT(chown("app.toml", ALICE, CREW), 0);
    CHECK_TEXT(value_of(config, "n"), "?NO_KEY");
    CHECK(strstr(untorn_config_ignored(config, 0), "app.toml: belongs to user 12345"));
    CHECK_TEXT(value_of(config, "n"), "?NO_KEY");
    CHECK(!untorn_config_ignored(config, 1));
    CHECK_INT(chown("app.toml", 0, 0), 0);
    CHECK_TEXT(value_of(config, "n"), "1");
    untorn_config_free(config);
}

static void commit_both(void *context)
{
    struct untorn_config *config = OPEN(.app = "app");
    (void)context;
    for (int i = 1; i <= 300; i++) {
        char value[16];
        snprintf(value, sizeof value, "%d", i);
        struct untorn_config_edit edits[2] = {
            {.scope = UNTORN_SCOPE_GLOBAL, .edit = {.key = "g", .value = value}},
            {.scope = UNTORN_SCOPE_LOCAL, .edit = {.key = "l", .value = value}}};
        edits[0].edit.value_size = edits[1].edit.value_size = strlen(value);
        CHECK_INT(untorn_config_write_scoped(config, edits, 2, &no_flush, &error), 0);
    }
    untorn_config_free(config);
}

/* [LAYERS-2] */
TEST(scopes_that_are_committed_together_are_seen_together)
{
    put("g.toml", "g = 0\n");
    put("l.toml", "l = 0\n");
    pid_t writer = start_child(commit_both, NULL);
    struct untorn_config *config = OPEN(.app = "app");
    int64_t g = 0, l = 0, before = 0;
    long reads = 0;
    while (g < 300) {
        struct untorn_document *document;
        CHECK_INT(untorn_config_merged(config, &document, &error), 0);
        CHECK(untorn_node_integer(untorn_document_find(document, "g", NULL), &g));
        CHECK(untorn_node_integer(untorn_document_find(document, "l", NULL), &l));
        untorn_document_free(document);
        CHECK_INT(g, l);
        CHECK(g >= before);
        before = g;
        reads++;
    }
    finish_child(writer);
    CHECK(reads > 1);
    untorn_config_free(config);
}

/* Each file is edited by itself, too: one that was brought back from a backup is no mixture. */
TEST(a_file_from_before_a_commit_is_read_as_it_is)
{
    struct untorn_config *config = OPEN(.app = "app");
    struct untorn_config_edit edits[2] = {
        {.scope = UNTORN_SCOPE_GLOBAL, .edit = {.key = "g", .value = "2", .value_size = 1}},
        {.scope = UNTORN_SCOPE_LOCAL, .edit = {.key = "l", .value = "2", .value_size = 1}}};
    put("g.toml", "g = 1\n");
    put("l.toml", "l = 1\n");
    CHECK_INT(untorn_config_write_scoped(config, edits, 2, &no_flush, &error), 0);
    CHECK_TEXT(value_of(config, "g"), "2");
    put("g.toml", "g = 1\n");
    CHECK_TEXT(value_of(config, "g"), "1");
    CHECK_TEXT(value_of(config, "l"), "2");
    untorn_config_free(config);
}
