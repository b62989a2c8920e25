#include "text/toml_changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

struct toml_text toml_text_of(const char *text, size_t size)
{
    struct toml_text made = {.text = malloc(size + 1), .size = size};
    struct flaw flaw;
    CHECK(made.text);
    if (size > 0)
        memcpy(made.text, text, size);
    made.text[size] = '\0';
    if (parse_toml(made.text, size, UNTORN_TOML, &made.parsed, &flaw) != 0)
        CHECK_TEXT(made.text, flaw.what);
    return made;
}

struct toml_text toml_text_copy(const struct toml_text *text)
{
    return toml_text_of(text->text, text->size);
}

void toml_text_free(struct toml_text *text)
{
    parsed_free(&text->parsed);
    free(text->text);
    *text = (struct toml_text){0};
}

static struct untorn_node *same_place(struct untorn_node *root, const struct untorn_node *node)
{
    enum { DEEPEST = 1000 };
    size_t steps[DEEPEST], count = 0;
    for (; node->parent; node = node->parent) {
        CHECK(count < DEEPEST);
        steps[count++] = node_position(node);
    }
    while (count > 0) {
        struct untorn_node *child = root->first;
        for (size_t left = steps[--count]; left > 0; left--)
            child = child->next;
        root = child;
    }
    return root;
}

/* The old data, changed without any text. */
static struct untorn_node *changed_data(const struct toml_text *text, const struct change *change,
                                        struct arena *arena)
{
    struct untorn_node *root = node_copy(arena, text->parsed.root);
    CHECK(root);
    struct untorn_node *node = same_place(root, change->node);
    struct untorn_node *value = change->value ? node_copy(arena, change->value) : NULL;
    switch (change->kind) {
    case CHANGE_REPLACE:
        if (node == root)
            return value;
        node_replace(node, value);
        break;
    case CHANGE_ADD:
        CHECK(node_put_member(arena, node, change->key, change->key_size, value));
        break;
    case CHANGE_INSERT:
        CHECK(node_put_element(node, change->index, value));
        break;
    case CHANGE_REMOVE:
        node_remove(node);
        break;
    case CHANGE_RENAME:
        CHECK(node_rename(arena, node, change->key, change->key_size));
        break;
    }
    return root;
}

static bool is_right(struct toml_text *made, const struct untorn_node *data,
                     enum untorn_format format)
{
    struct flaw flaw;
    const char *wrong = NULL;
    if (parse_toml(made->text, made->size, format, &made->parsed, &flaw) != 0)
        wrong = flaw.what;
    else if (!node_equal(data, made->parsed.root))
        wrong = "it holds other data";
    if (wrong)
        fprintf(stderr, "%s:\n%s---\n", wrong, made->text);
    return !wrong;
}

static void note_splices(struct toml_text *made, const struct plan *plan)
{
    made->splices = plan->count;
    made->inserted = true;
    for (size_t i = 0; i < plan->count; i++) {
        const struct splice *splice = &plan->splices[i];
        CHECK(splice->at.start <= splice->at.end);
        CHECK(i == 0 || splice[-1].at.end <= splice->at.start);
        made->inserted &= splice->at.start == splice->at.end;
    }
}

/* An array of tables with comments does not take anything else. */
static bool may_refuse(const struct toml_text *text, const struct change *change)
{
    enum node_origin origin = change->node->origin;
    return strchr(text->text, '#') && change->value && change->value->kind != UNTORN_OBJECT &&
           ((change->kind == CHANGE_INSERT && origin == NODE_TABLES) ||
            (change->kind == CHANGE_REPLACE && origin == NODE_ELEMENT));
}

bool toml_text_try(struct toml_text *text, const struct change *change)
{
    struct arena arena = {0};
    struct plan plan;
    int rc = plan_toml(&text->parsed, change, &plan);
    if (rc == -UNTORN_TYPE && may_refuse(text, change))
        return true;
    CHECK_INT(rc, 0);
    struct untorn_node *data = changed_data(text, change, &arena);
    struct toml_text made = {0};
    note_splices(&made, &plan);
    made.text = plan_apply(&plan, text->text, text->size, &made.size);
    CHECK(made.text);
    bool right = is_right(&made, data, text->parsed.format);
    if (!right)
        fprintf(stderr, "was:\n%s---\n", text->text);
    plan_free(&plan);
    arena_free(&arena);
    toml_text_free(text);
    *text = made;
    return right;
}

void toml_text_change(struct toml_text *text, const struct change *change)
{
    CHECK(toml_text_try(text, change));
}

struct untorn_node *toml_text_find(const struct toml_text *text, const char *pointer)
{
    struct untorn_node *node = text->parsed.root;
    while (node && *pointer == '/') {
        size_t size = strcspn(++pointer, "/");
        if (node->kind == UNTORN_ARRAY)
            node = node_element(node, strtoul(pointer, NULL, 10));
        else
            node = node_member(node, pointer, size);
        pointer += size;
    }
    return node;
}

struct untorn_node *toml_next_node(const struct untorn_node *node)
{
    if (node->first)
        return node->first;
    while (node && !node->next)
        node = node->parent;
    return node ? node->next : NULL;
}

struct untorn_node *toml_nth_node(const struct toml_text *text, size_t number)
{
    struct untorn_node *node = text->parsed.root;
    while (node && number-- > 0)
        node = toml_next_node(node);
    return node;
}

/* ---- edits in short ---- */

struct value {
    struct parsed parsed;
    char *text;
    const struct untorn_node *node;
};

static struct value value_of(const char *text)
{
    struct value value = {.text = malloc(strlen(text) + 4)};
    struct flaw flaw;
    int rc;
    CHECK(value.text);
    bool toml = *text == '=';
    sprintf(value.text, "%s%s", toml ? "v" : "", text);
    rc = toml ? parse_toml(value.text, strlen(value.text), UNTORN_TOML, &value.parsed, &flaw)
              : parse_json(value.text, strlen(value.text), UNTORN_JSON, &value.parsed, &flaw);
    CHECK_INT(rc, 0);
    value.node = toml ? value.parsed.root->first : value.parsed.root;
    return value;
}

static void value_free(struct value *value)
{
    parsed_free(&value->parsed);
    free(value->text);
}

/* The text stays, the rest goes. */
static char *take_text(struct toml_text *text)
{
    char *taken = text->text;
    parsed_free(&text->parsed);
    return taken;
}

char *toml_set(const char *text, const char *pointer, const char *value)
{
    struct toml_text document = toml_text_of(text, strlen(text));
    struct value made = value_of(value);
    struct change change = {.kind = CHANGE_REPLACE, .value = made.node};
    change.node = toml_text_find(&document, pointer);
    if (!change.node) {
        const char *key = strrchr(pointer, '/');
        char parent[256];
        snprintf(parent, sizeof parent, "%.*s", (int)(key - pointer), pointer);
        change.kind = CHANGE_ADD;
        change.node = toml_text_find(&document, parent);
        change.key = key + 1;
        change.key_size = strlen(key + 1);
    }
    CHECK(change.node);
    toml_text_change(&document, &change);
    value_free(&made);
    return take_text(&document);
}

char *toml_insert(const char *text, const char *pointer, size_t index, const char *value)
{
    struct toml_text document = toml_text_of(text, strlen(text));
    struct value made = value_of(value);
    struct change change = {.kind = CHANGE_INSERT, .value = made.node, .index = index};
    change.node = toml_text_find(&document, pointer);
    CHECK(change.node);
    toml_text_change(&document, &change);
    value_free(&made);
    return take_text(&document);
}

char *toml_remove(const char *text, const char *pointer)
{
    struct toml_text document = toml_text_of(text, strlen(text));
    struct change change = {.kind = CHANGE_REMOVE, .node = toml_text_find(&document, pointer)};
    CHECK(change.node);
    toml_text_change(&document, &change);
    return take_text(&document);
}

char *toml_rename(const char *text, const char *pointer, const char *key)
{
    struct toml_text document = toml_text_of(text, strlen(text));
    struct change change = {.kind = CHANGE_RENAME,
                            .node = toml_text_find(&document, pointer),
                            .key = key,
                            .key_size = strlen(key)};
    CHECK(change.node);
    toml_text_change(&document, &change);
    return take_text(&document);
}

static struct untorn_node *step_into(struct untorn_node *node, const char *step)
{
    return node->kind == UNTORN_ARRAY ? node_element(node, strtoul(step, NULL, 10))
                                      : node_member(node, step, strlen(step));
}

void toml_text_set(struct toml_text *text, const char *const *steps, size_t count,
                   const struct untorn_node *value)
{
    struct arena arena = {0};
    struct untorn_node *node = text->parsed.root, *next, *made = node_copy(&arena, value);
    size_t done = 0;
    for (; done < count && (next = step_into(node, steps[done])) != NULL; done++)
        node = next;
    struct change change = {.kind = CHANGE_REPLACE, .node = node};
    if (done < count) {
        change.kind = CHANGE_ADD;
        change.key = steps[done];
        change.key_size = strlen(change.key);
        for (size_t left = count - 1; left > done; left--) {
            struct untorn_node *table = node_add(&arena, NULL, NULL, 0, UNTORN_OBJECT);
            CHECK(table && node_put_member(&arena, table, steps[left], strlen(steps[left]), made));
            made = table;
        }
    }
    change.value = made;
    toml_text_change(text, &change);
    arena_free(&arena);
}

/* ---- checking ---- */

void toml_check(char *text, const char *expected)
{
    CHECK_TEXT(text, expected);
    free(text);
}

void toml_check_stretch(char *text, const char *before, const char *old, const char *new)
{
    const char *at = strstr(before, old);
    char expected[4096];
    CHECK(at && !strstr(at + 1, old));
    int size = snprintf(expected, sizeof expected, "%.*s%s%s", (int)(at - before), before, new,
                        at + strlen(old));
    CHECK(size > 0 && (size_t)size < sizeof expected);
    toml_check(text, expected);
}

/* ---- files as people have them ---- */

const char toml_pyproject[] =
    "# Build\n"
    "[build-system]\n"
    "requires = [\"hatchling>=1.21\"]\n"
    "build-backend = \"hatchling.build\"\n"
    "\n"
    "[project]\n"
    "name = \"kettle\"\n"
    "version = \"1.4.0\"  # keep in step with kettle/__init__.py\n"
    "description = \"Boils water\"\n"
    "readme = \"README.md\"\n"
    "requires-python = \">=3.9\"\n"
    "dependencies = [\n"
    "    \"attrs>=23.1\",\n"
    "    \"click>=8.1,<9\", # 9 drops MultiCommand\n"
    "    # until the fix is out\n"
    "    \"httpx==0.27.0\",\n"
    "]\n"
    "classifiers = [\"Development Status :: 4 - Beta\", \"Typing :: Typed\"]\n"
    "\n"
    "[project.optional-dependencies]\n"
    "test = [\"pytest>=8\", \"pytest-cov\"]\n"
    "\n"
    "[project.urls]\n"
    "Homepage = \"https://kettle.example\"\n"
    "\n"
    "[tool.ruff]\n"
    "line-length = 100\n"
    "lint.select = [\"E\", \"F\"]\n"
    "lint.ignore = [\"E501\"]\n"
    "\n"
    "[tool.mypy]\n"
    "strict = true\n"
    "\n"
    "# Tests are not typed\n"
    "[[tool.mypy.overrides]]\n"
    "module = \"tests.*\"\n"
    "disallow_untyped_defs = false\n"
    "\n"
    "[tool.pytest.ini_options]\n"
    "addopts = \"-ra\"\n";

const char toml_cargo[] =
    "[package]\n"
    "name    = \"kettle\"\n"
    "version = \"0.3.1\"\n"
    "edition = \"2021\"\n"
    "\n"
    "[features]\n"
    "default = [\"std\"]\n"
    "std = []\n"
    "\n"
    "[dependencies]\n"
    "# the wire format\n"
    "serde = { version = \"1.0\", features = [\"derive\"], optional = true }\n"
    "log = \"0.4\"\n"
    "rand.version = \"0.8\"\n"
    "rand.default-features = false\n"
    "\n"
    "[dependencies.tokio]\n"
    "version = \"1\"\n"
    "features = [\n"
    "    \"rt\",\n"
    "    \"macros\",\n"
    "]\n"
    "\n"
    "[target.'cfg(unix)'.dependencies]\n"
    "libc = \"0.2\"\n"
    "\n"
    "[[bin]]\n"
    "name = \"kettle\"\n"
    "path = \"src/main.rs\"\n"
    "\n"
    "[[bin]]\n"
    "name = \"kettled\"\n"
    "\n"
    "[profile.release]\n"
    "lto = true\n";

const char toml_site[] = "baseURL = \"https://example.org/\"\n"
                         "languageCode = \"en-us\"\n"
                         "title = \"My site\"\n"
                         "\n"
                         "# ---------- menus ----------\n"
                         "\n"
                         "[menu]\n"
                         "\n"
                         "  [[menu.main]]\n"
                         "    name = \"Posts\"\n"
                         "    url = \"/posts/\"\n"
                         "    weight = 1\n"
                         "\n"
                         "  [[menu.main]]\n"
                         "    name = \"About\"\n"
                         "    url = \"/about/\"\n"
                         "    weight = 2\n"
                         "\n"
                         "[params]\n"
                         "  author = \"Someone\"\n"
                         "  [params.social]\n"
                         "    mastodon = \"@x\"\n"
                         "\n"
                         "[[redirects]]\n"
                         "  from = \"/old\"\n"
                         "  to = \"/new\"\n"
                         "  status = 301\n"
                         "  headers = {X-From = \"Netlify\"}\n";
