/* Keys. The input: format of the document, a key ended by NUL, the document.
 *
 * Any text is a key or gets a sentence; what a key finds is found again by the paths that are told
 * of it. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "text/keypath.h"
#include "text/value.h"

enum { MOST_NODES = 64 };

/* A failure has its status and, but for want of memory, words. */
static void check_outcome(int rc, const struct untorn_error *error)
{
    REQUIRE(rc <= 0 && error->status == -rc);
    REQUIRE(rc == 0 || error->detail[0] != '\0');
}

static void check_steps(const struct keypath *path)
{
    for (size_t i = 0; i < path->count; i++) {
        const struct step *step = &path->steps[i];
        if (step->kind == STEP_KEY || step->kind == STEP_EITHER)
            REQUIRE(step->key && step->key[step->key_size] == '\0');
    }
}

static void look_up(int rc, const struct keypath *path, const struct untorn_node *root,
                    const struct untorn_error *parse_error)
{
    struct untorn_error error = {0};
    struct found found;
    check_outcome(rc, parse_error);
    if (rc != 0)
        return;
    check_steps(path);
    rc = keypath_find(path, root, &found, &error);
    check_outcome(rc, &error);
    if (rc == 0) {
        REQUIRE(found.node || found.parent);
        REQUIRE(found.matched <= path->count);
        REQUIRE(!found.node || found.matched == path->count);
    }
}

/* As a dotted key or pointer, as a pointer, and as raw segments. */
static void check_key(const char *key, const struct untorn_node *root)
{
    struct arena arena = {0};
    struct keypath path;
    struct untorn_error error = {0};
    const char *segments[] = {key, "0", key, "-"};
    int rc = keypath_parse(key, &arena, &path, &error);
    look_up(rc, &path, root, &error);
    error = (struct untorn_error){0};
    rc = keypath_pointer(key, strlen(key), &arena, &path, &error);
    look_up(rc, &path, root, &error);
    for (size_t count = 0; count <= 4; count++) {
        error = (struct untorn_error){0};
        rc = keypath_segments(segments, count, &arena, &path, &error);
        look_up(rc, &path, root, &error);
    }
    arena_free(&arena);
}

/* ---- the path of a node ---- */

static bool has_zero(const struct untorn_node *node)
{
    for (; node; node = node->parent)
        if (node->key && memchr(node->key, '\0', node->key_size))
            return true;
    return false;
}

static bool is_below_repeated(const struct untorn_node *node)
{
    for (; node->parent; node = node->parent)
        if (fuzz_has_repeated(node->parent))
            return true;
    return false;
}

/* A dotted key that is there as one literal key as well is refused, not guessed. */
static void check_path_of(const struct untorn_node *node, const struct untorn_node *root,
                          bool pointer, struct arena *arena)
{
    struct keypath path;
    struct found found;
    struct untorn_error error = {0};
    const char *text = keypath_of_node(node, pointer, arena);
    REQUIRE(text);
    int rc = pointer ? keypath_pointer(text, strlen(text), arena, &path, &error)
                     : keypath_parse(text, arena, &path, &error);
    check_outcome(rc, &error);
    REQUIRE(rc == 0 || !*text);
    if (rc != 0)
        return;
    rc = keypath_find(&path, root, &found, &error);
    check_outcome(rc, &error);
    if (rc == -UNTORN_AMBIGUOUS) {
        REQUIRE(!pointer || is_below_repeated(node));
        return;
    }
    REQUIRE(rc == 0 && found.node == node);
}

/* Half a surrogate pair, which a JSON escape can smuggle in. */
static bool has_half(const struct untorn_node *node)
{
    for (; node; node = node->parent)
        if (node->key && !value_is_utf8(node->key, node->key_size))
            return true;
    return false;
}

static void check_nodes(const struct untorn_node *root)
{
    const struct untorn_node *node = root;
    for (size_t i = 0; node && i < MOST_NODES; i++, node = fuzz_next_node(node)) {
        struct arena arena = {0};
        if (has_half(node))
            continue; /* there is no key to type for it */
        check_path_of(node, root, false, &arena);
        if (!has_zero(node))
            check_path_of(node, root, true, &arena);
        arena_free(&arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    enum untorn_format format = fuzz_format(&input);
    char *key = fuzz_string(&input);
    struct fuzz_text text = fuzz_rest(&input);
    struct parsed parsed, empty = fuzz_parse("", 0, UNTORN_TOML);
    struct flaw flaw;
    check_key(key, empty.root);
    if (parse(text.data, text.size, format, &parsed, &flaw) == 0) {
        check_key(key, parsed.root);
        check_nodes(parsed.root);
        parsed_free(&parsed);
    }
    parsed_free(&empty);
    free(key);
    free(text.data);
    return 0;
}
