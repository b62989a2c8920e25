/* untorn/config.h: what a key is, and where that comes from. */
#include "harness.h"

#include "store/config/setting.h"
#include "text/node.h"

static const char schema[] =
    "env_prefix = \"APP\"\n"
    "[[key]]\nname = \"port\"\ntype = \"integer\"\ndefault = 80\n"
    "[[key]]\nname = \"host\"\ntype = \"string\"\ndescription = \"where\"\n"
    "[[key]]\nname = \"auth.token\"\ntype = \"string\"\nsecret = true\n"
    "[[key]]\nname = \"auth.user\"\ntype = \"string\"\ndefault = \"me\"\n"
    "[[key]]\nname = \"list\"\ntype = \"array\"\n";

static struct untorn_config_origin origin_of(struct untorn_config *config, const char *key)
{
    const struct untorn_node *node;
    struct untorn_config_origin origin;
    CHECK_INT(untorn_config_get(config, key, &node, &origin, &error), 0);
    return origin;
}

TEST(the_highest_scope_that_has_a_key_decides)
{
    static const char *const environment[] = {"APP_PORT=5", NULL};
    struct untorn_edit override = {.key = "port", .value = "7", .value_size = 1};
    struct untorn_config *config = OPEN(.schema_text = schema);
    CHECK_TEXT(value_of(config, "port"), "80");
    CHECK_INT(origin_of(config, "port").scope, UNTORN_SCOPE_DEFAULT);
    put("d.toml", "port = 1\n");
    CHECK_TEXT(value_of(config, "port"), "1");
    CHECK_TEXT(origin_of(config, "port").path, "d.toml");
    put("g.toml", "# c\n\n  port = 2\n");
    CHECK_TEXT(value_of(config, "port"), "2");
    CHECK_INT(origin_of(config, "port").scope, UNTORN_SCOPE_GLOBAL);
    CHECK_INT(origin_of(config, "port").line, 3);
    CHECK_INT(origin_of(config, "port").column, 3);
    put("p.toml", "port = 3\n");
    CHECK_TEXT(value_of(config, "port"), "3");
    put("l.toml", "port = 4\n");
    CHECK_TEXT(value_of(config, "port"), "4");
    untorn_config_free(config);
    config = OPEN(.schema_text = schema, .environment = environment);
    CHECK_TEXT(value_of(config, "port"), "5");
    CHECK_TEXT(origin_of(config, "port").variable, "APP_PORT");
    CHECK(!origin_of(config, "port").path);
    put("o.toml", "port = 6\n");
    CHECK_TEXT(value_of(config, "port"), "6");
    untorn_config_free(config);
    config = OPEN(.schema_text = schema, .environment = environment, .overrides = &override,
                  .override_count = 1);
    CHECK_TEXT(value_of(config, "port"), "7");
    CHECK_INT(origin_of(config, "port").scope, UNTORN_SCOPE_OVERRIDE);
    CHECK_INT(origin_of(config, "port").line, 0);
    untorn_config_free(config);
}

TEST(tables_are_merged_and_everything_else_replaces)
{
    put("g.toml", "[t]\na = 1\nb = [1, 2]\n[t.u]\nx = 1\n[s]\ny = 1\n");
    put("p.toml", "s = 5\n[t]\nb = [3]\nc = 1\n[t.u]\nz = 2\n");
    put("l.toml", "[s]\nq = 9\n");
    struct untorn_config *config = OPEN(.app = "app");
    CHECK_TEXT(value_of(config, "t"),
               "{\"a\": 1, \"b\": [3], \"u\": {\"x\": 1, \"z\": 2}, \"c\": 1}");
    CHECK_TEXT(value_of(config, "t.u.x"), "1");
    CHECK_TEXT(value_of(config, "/t/u/z"), "2");
    CHECK_TEXT(value_of(config, "t.b[0]"), "3");
    CHECK_TEXT(value_of(config, "t.b[1]"), "?NO_KEY");
    CHECK_TEXT(value_of(config, "s"), "{\"q\": 9}"); /* the 5 between hides s.y */
    CHECK_TEXT(value_of(config, "s.y"), "?NO_KEY");
    CHECK_TEXT(value_of(config, "t.a.b"), "?NO_KEY");
    CHECK_TEXT(value_of(config, "t[0]"), "?NO_KEY");
    CHECK_TEXT(value_of(config, "a..b"), "?INVALID");
    untorn_config_free(config);
}

TEST(keys_of_any_text_are_segments)
{
    static const char *const segments[] = {"map", "/a.b/\"c"};
    const struct untorn_node *node;
    put("g.toml", "[map]\n'/a.b/\"c' = 4\n");
    struct untorn_config *config = OPEN(.app = "app");
    CHECK_INT(untorn_config_get_segments(config, segments, 2, &node, NULL, &error), 0);
    CHECK_TEXT(untorn_node_text(node, NULL), "4");
    CHECK_INT(untorn_config_get_segments(config, NULL, 0, &node, NULL, &error), 0);
    CHECK_INT(untorn_node_kind(node), UNTORN_OBJECT);
    untorn_config_free(config);
}

TEST(a_value_that_does_not_fit_is_told_and_hurts_no_other_key)
{
    static const char *const environment[] = {"APP_AUTH_USER=x", "APP_LIST=[1", NULL};
    put("g.toml", "port = 'x'\nhost = 'h'\nother = 1\n");
    struct untorn_config *config = OPEN(.schema_text = schema, .environment = environment);
    CHECK_TEXT(value_of(config, "port"), "?MISFIT");
    CHECK_TEXT(error.path, "g.toml");
    CHECK_TEXT(error.detail, "line 1, column 1: port must be an integer, not a string");
    CHECK_TEXT(value_of(config, "host"), "\"h\"");
    CHECK_TEXT(value_of(config, "other"), "1"); /* what is not known is kept and told by a check */
    CHECK_TEXT(value_of(config, "auth.user"), "\"x\"");
    CHECK_TEXT(value_of(config, "list"), "?MISFIT");
    CHECK_TEXT(error.path, "APP_LIST");
    CHECK_TEXT(value_of(config, "prt"), "?NO_KEY");
    CHECK_TEXT(error.detail, "prt; did you mean port?");
    untorn_config_free(config);
}

TEST(a_damaged_file_is_named_and_never_passed_over)
{
    put("g.toml", "port = 1\n");
    put("p.toml", "port = = 1\n");
    struct untorn_config *config = OPEN(.app = "app");
    CHECK_TEXT(value_of(config, "port"), "?DAMAGED");
    CHECK_TEXT(error.path, "p.toml");
    CHECK_TEXT(value_of(config, "port"), "?DAMAGED");
    put("p.toml", "");
    CHECK_TEXT(value_of(config, "port"), "1");
    CHECK_INT(unlink("p.toml"), 0);
    CHECK_TEXT(value_of(config, "port"), "1");
    CHECK_INT(mkdir("p.toml", 0755), 0);
    CHECK_TEXT(value_of(config, "port"), "?NOT_A_FILE");
    CHECK_TEXT(error.path, "p.toml");
    untorn_config_free(config);
}

TEST(json_files_are_read_and_an_array_is_no_configuration)
{
    put("g.json", "{\"a\": null, \"b\": {\"c\": [1]}}");
    struct untorn_config *config = OPEN(.paths = {[UNTORN_SCOPE_GLOBAL] = "g.json"});
    CHECK_TEXT(value_of(config, "a"), "null");
    CHECK_TEXT(value_of(config, "b.c"), "[1]");
    put("g.json", "");
    CHECK_TEXT(value_of(config, "b.c"), "?DAMAGED");
    put("g.json", "[1]");
    CHECK_TEXT(value_of(config, "b.c"), "?DAMAGED");
    untorn_config_free(config);
}

/* ---- the list, the merged document, each key by itself ---- */

struct counting {
    struct untorn_config *config;
    struct untorn_document *merged;
    size_t count, misfits;
};

/* [MERGE-1] Each entry is what the document has at that key, and what asking for it gives. */
static int compare_entry(void *context, const struct untorn_config_entry *entry)
{
    struct counting *counting = context;
    const struct untorn_node *node;
    struct untorn_config_origin origin;
    char key[1024];
    CHECK(strlen(entry->key) < sizeof key);
    strcpy(key, entry->key);
    struct untorn_config_origin told = entry->origin;
    const struct untorn_node *merged = untorn_document_find(counting->merged, key, &error);
    CHECK(merged && node_equal(merged, entry->node));
    CHECK_INT(untorn_config_get(counting->config, key, &node, &origin, &error), 0);
    CHECK(node_equal(node, merged));
    CHECK_INT(origin.scope, told.scope);
    CHECK_INT(origin.line, told.line);
    counting->count++;
    return 0;
}

static size_t count_leaves(const struct untorn_node *node)
{
    size_t count = 0;
    if (untorn_node_kind(node) != UNTORN_OBJECT || !untorn_node_first(node))
        return 1;
    for (node = untorn_node_first(node); node; node = untorn_node_next(node))
        count += count_leaves(node);
    return count;
}

static size_t compare_all(struct untorn_config *config)
{
    struct counting counting = {.config = config};
    CHECK_INT(untorn_config_merged(config, &counting.merged, &error), 0);
    CHECK_INT(untorn_config_list(config, compare_entry, &counting, &error), 0);
    const struct untorn_node *root = untorn_document_root(counting.merged);
    CHECK_INT(counting.count, untorn_node_first(root) ? count_leaves(root) : 0);
    untorn_document_free(counting.merged);
    return counting.count;
}

/* Few names and little depth, so that tables and values often meet. */
static void write_random(FILE *file, int depth)
{
    static const char *const names[] = {"a", "b", "c", "\"d.e\""};
    static const char *const values[] = {"1", "'x'", "[1, {y = 2}]", "true", "{}", "1.5"};
    const char *separator = depth ? "{" : "";
    for (int i = 0; i < 4; i++) {
        if (rand() % 3 == 0)
            continue;
        fprintf(file, "%s%s = ", separator, names[i]);
        if (depth < 3 && rand() % 2)
            write_random(file, depth + 1);
        else
            fprintf(file, "%s", values[rand() % 6]);
        if (depth == 0)
            fprintf(file, "\n");
        else
            separator = ", ";
    }
    if (depth)
        fprintf(file, "%s", separator[0] == '{' ? "{}" : "}");
}

TEST(the_merged_view_is_what_each_key_resolves_to)
{
    static const char *const files[] = {"d.toml", "g.toml", "p.toml", "l.toml", "o.toml"};
    size_t compared = 0;
    srand(11);
    for (int round = 0; round < 60; round++) {
        for (size_t i = 0; i < 5; i++) {
            FILE *file = fopen(files[i], "w");
            CHECK(file);
            write_random(file, 0);
            CHECK_INT(fclose(file), 0);
        }
        struct untorn_config *config = OPEN(.app = "app");
        compared += compare_all(config);
        untorn_config_free(config);
    }
    CHECK(compared > 1000);
}

static int count_misfit(void *context, const struct untorn_config_entry *entry)
{
    struct counting *counting = context;
    counting->count++;
    counting->misfits += entry->misfit != NULL;
    if (strcmp(entry->key, "host") == 0)
        CHECK_TEXT(entry->description, "where");
    CHECK_INT(entry->secret, strcmp(entry->key, "auth.token") == 0);
    return counting->count == 100;
}

TEST(a_list_goes_on_behind_what_does_not_fit)
{
    struct counting counting = {0};
    struct untorn_document *document;
    put("g.toml", "host = 'h'\nport = 'x'\n[auth]\ntoken = 's'\n");
    struct untorn_config *config = OPEN(.schema_text = schema);
    CHECK_INT(untorn_config_list(config, count_misfit, &counting, &error), -UNTORN_MISFIT);
    CHECK_INT(counting.count, 4);
    CHECK_INT(counting.misfits, 1);
    CHECK_TEXT(error.path, "g.toml");
    CHECK_INT(untorn_config_merged(config, &document, &error), -UNTORN_MISFIT);
    CHECK(!document);
    CHECK(untorn_config_is_secret(config, "auth.token"));
    CHECK(!untorn_config_is_secret(config, "auth"));
    CHECK(!untorn_config_is_secret(config, "..."));
    counting = (struct counting){.count = 99}; /* a visitor may end it */
    CHECK_INT(untorn_config_list(config, count_misfit, &counting, &error), 1);
    untorn_config_free(config);
}

TEST(ten_thousand_keys)
{
    FILE *file = fopen("g.toml", "w");
    for (int i = 0; i < 10000; i++)
        fprintf(file, "k%d = %d\n", i, i);
    CHECK_INT(fclose(file), 0);
    put("p.toml", "k9999 = 'p'\nnew = 1\n");
    struct untorn_config *config = OPEN(.app = "app");
    CHECK_TEXT(value_of(config, "k5000"), "5000");
    CHECK_INT(origin_of(config, "k5000").line, 5001);
    CHECK_TEXT(value_of(config, "k9999"), "\"p\"");
    struct untorn_document *merged;
    CHECK_INT(untorn_config_merged(config, &merged, &error), 0);
    CHECK_INT(untorn_node_count(untorn_document_root(merged)), 10001);
    untorn_document_free(merged);
    untorn_config_free(config);
}

TEST(what_cannot_be_opened_is_told)
{
    struct untorn_config *config = (void *)1;
    struct untorn_edit wrong = {.key = "port", .value = "x", .value_size = 1};
    struct untorn_config_setup setup = {.app = "app", .schema_path = "nothing.toml"};
    CHECK_INT(untorn_config_open(&setup, &config, &error), -UNTORN_MISSING);
    CHECK(!config);
    setup = (struct untorn_config_setup){.app = "a/b"};
    CHECK_INT(untorn_config_open(&setup, &config, &error), -UNTORN_INVALID);
    setup = (struct untorn_config_setup){
        .app = "app", .schema_text = schema, .overrides = &wrong, .override_count = 1};
    CHECK_INT(untorn_config_open(&setup, &config, &error), -UNTORN_NOT_ALLOWED);
    CHECK_TEXT(error.detail, "port must be an integer, not 'x'");
    untorn_config_free(NULL);
}

TEST(paths_are_told)
{
    struct untorn_config *config = OPEN(.app = "app");
    CHECK_TEXT(untorn_config_path(config, UNTORN_SCOPE_PROJECT, NULL), "p.toml");
    CHECK(!untorn_config_path(config, UNTORN_SCOPE_ENVIRONMENT, &error));
    CHECK_INT(error.status, UNTORN_MISSING);
    CHECK(!untorn_config_path(config, UNTORN_SCOPES, &error));
    CHECK_INT(error.status, UNTORN_INVALID);
    CHECK(!untorn_config_ignored(config, 0));
    untorn_config_free(config);
}

/* What is shown stays, whatever happens to the files meanwhile. */
static int change_meanwhile(void *context, const struct untorn_config_entry *entry)
{
    struct untorn_config *config = context;
    put("g.toml", "other = 1\n");
    CHECK_TEXT(value_of(config, "a"), "1");
    CHECK_TEXT(value_of(config, "other"), "?NO_KEY");
    CHECK_INT(untorn_config_check(config, NULL, NULL, &error), -UNTORN_INVALID);
    CHECK(entry->key[0] == 'a' || entry->key[0] == 'b');
    return 0;
}

TEST(a_visitor_may_ask_and_is_answered_as_of_the_list)
{
    put("g.toml", "a = 1\nb = 2\n");
    struct untorn_config *config = OPEN(.app = "app");
    CHECK_INT(untorn_config_list(config, change_meanwhile, config, &error), 0);
    CHECK_TEXT(value_of(config, "other"), "1");
    untorn_config_free(config);
}

TEST(a_variable_that_is_no_text_is_named)
{
    static const char *const environment[] = {"APP_HOST=\xff", NULL};
    struct untorn_config_setup setup = {
        .app = "app", .schema_text = schema, .environment = environment};
    struct untorn_config *config;
    CHECK(untorn_config_open(&setup, &config, &error) < 0);
    CHECK_TEXT(error.path, "APP_HOST");
}

TEST(a_state_directory_serves_reading_and_writing)
{
    make_dir("state", 0700);
    struct untorn_config *config = OPEN(.state_dir = "state");
    CHECK_INT(untorn_config_set(config, UNTORN_SCOPE_GLOBAL, "a", "1", &no_flush, &error), 0);
    CHECK(!exists(".untorn"));
    CHECK_TEXT(value_of(config, "a"), "1");
    untorn_config_free(config);
}
