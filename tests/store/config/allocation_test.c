/* run: plain
 *
 * Every allocation of a configuration fails in turn: the answer says so, nothing leaks, and the
 * next call is right.
 */
#include "heap.h"

#include "store/config/setting.h"

static const char schema[] = "env_prefix = \"APP\"\n"
                             "[[key]]\nname = \"port\"\ntype = \"integer\"\ndefault = 80\n"
                             "[[key]]\nname = \"table.key\"\ntype = \"string\"\ndefault = \"x\"\n"
                             "[[key]]\nname = \"token\"\ntype = \"string\"\nsecret = true\n";
static const char *const environment[] = {"APP_TABLE_KEY=e", "HOME=/nonexistent", NULL};

static int visit(void *context, const struct untorn_config_entry *entry)
{
    (void)entry;
    ++*(int *)context;
    return 0;
}

static int use(struct untorn_config *config)
{
    const struct untorn_node *node;
    struct untorn_config_origin origin;
    struct untorn_document *document;
    int count = 0, rc = untorn_config_get(config, "table", &node, &origin, &error);
    if (rc == 0)
        rc = untorn_config_list(config, visit, &count, &error);
    if (rc == 0) {
        CHECK(count >= 3);
        rc = untorn_config_merged(config, &document, &error);
    }
    if (rc == 0) {
        untorn_document_free(document);
        rc = untorn_config_check(config, NULL, NULL, &error);
    }
    if (rc == 0)
        rc = untorn_config_set(config, UNTORN_SCOPE_GLOBAL, "port", "5", &no_flush, &error);
    struct untorn_config_edit edits[] = {
        {UNTORN_SCOPE_GLOBAL, {.key = "port", .value = "6", .value_size = 1}},
        {UNTORN_SCOPE_PROJECT, {.key = "token", .value = "s", .value_size = 1}},
    };
    return rc == 0 ? untorn_config_write_scoped(config, edits, 2, &no_flush, &error) : rc;
}

static int open_and_use(void)
{
    struct untorn_edit override = {.key = "port", .value = "9", .value_size = 1};
    struct untorn_config_setup setup = {
        .app = "app",
        .schema_text = schema,
        .environment = environment,
        .overrides = &override,
        .override_count = 1,
        .paths = {[UNTORN_SCOPE_GLOBAL] = "g.toml", [UNTORN_SCOPE_DEFAULT] = "d.json"}};
    struct untorn_config *config;
    int rc = untorn_config_open(&setup, &config, &error);
    if (rc == 0)
        rc = use(config);
    untorn_config_free(config);
    return rc;
}

TEST(each_allocation_that_fails_is_told)
{
    heap_needed();
    make_dir(".app", 0755);
    put("d.json", "{\"table\": {\"key\": \"d\"}}");
    put("g.toml", "port = 1\n[more]\n");
    put(".app/config.toml", "token = 's'\n");
    CHECK_INT(chmod(".app/config.toml", 0600), 0);
    CHECK_INT(open_and_use(), -UNTORN_MISFIT); /* `more` is not known */
    put("g.toml", "port = 1\n");
    for (int n = 1;; n++) {
        long live = heap.live;
        int open_before = open_descriptors();
        heap_fail(n);
        int rc = open_and_use();
        bool failed = heap_failed();
        CHECK_INT(heap.live, live);
        CHECK_INT(open_descriptors(), open_before);
        CHECK_INT(error.status, rc < 0 ? -rc : rc);
        CHECK(rc == 0 || rc == -UNTORN_NO_MEMORY);
        if (!failed) {
            CHECK_INT(rc, 0);
            CHECK(n > 50);
            return;
        }
    }
}
