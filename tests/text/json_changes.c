#include "text/json_changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

struct json_text json_text_of(const char *text, size_t size, enum untorn_format format)
{
    struct json_text made = {.text = malloc(size + 1), .size = size};
    struct flaw flaw;
    CHECK(made.text);
    if (size > 0)
        memcpy(made.text, text, size);
    made.text[size] = '\0';
    if (parse_json(made.text, size, format, &made.parsed, &flaw) != 0)
        CHECK_TEXT(made.text, flaw.what);
    return made;
}

void json_text_free(struct json_text *text)
{
    parsed_free(&text->parsed);
    free(text->text);
    *text = (struct json_text){0};
}

struct untorn_node *json_same_place(struct untorn_node *root, const struct untorn_node *node)
{
    enum { DEEPEST = 1000 };
    size_t steps[DEEPEST], count = 0;
    for (; node->parent; node = node->parent) {
        CHECK(count < DEEPEST);
        steps[count++] = node_position(node);
    }
    while (root && count > 0) {
        struct untorn_node *child = root->first;
        for (size_t left = steps[--count]; child && left > 0; left--)
            child = child->next;
        root = child;
    }
    return root;
}

/* The old data, changed without any text. */
static struct untorn_node *changed_data(const struct json_text *text, const struct change *change,
                                        struct arena *arena)
{
    struct untorn_node *root = node_copy(arena, text->parsed.root);
    CHECK(root);
    struct untorn_node *node = json_same_place(root, change->node);
    struct untorn_node *value = change->value ? node_copy(arena, change->value) : NULL;
    CHECK(node && (value || !change->value));
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

void json_text_change(struct json_text *text, const struct change *change)
{
    struct arena arena = {0};
    struct plan plan;
    struct flaw flaw;
    struct untorn_node *data = changed_data(text, change, &arena);
    CHECK_INT(plan_json(&text->parsed, change, &plan), 0);
    struct json_text made = {0};
    made.text = plan_apply(&plan, text->text, text->size, &made.size);
    CHECK(made.text);
    if (parse_json(made.text, made.size, text->parsed.format, &made.parsed, &flaw) != 0)
        CHECK_TEXT(made.text, flaw.what);
    if (!node_equal(data, made.parsed.root))
        CHECK_TEXT(made.text, "the data with the change made to it");
    plan_free(&plan);
    arena_free(&arena);
    json_text_free(text);
    *text = made;
}

struct untorn_node *json_text_find(const struct json_text *text, const char *pointer)
{
    struct untorn_node *node = text->parsed.root;
    while (node && *pointer == '/') {
        size_t size = strcspn(++pointer, "/");
        char *digits_end;
        size_t index = strtoul(pointer, &digits_end, 10);
        if (node->kind == UNTORN_OBJECT)
            node = node_member(node, pointer, size);
        else if (node->kind == UNTORN_ARRAY && size > 0 && digits_end == pointer + size)
            node = node_element(node, index);
        else
            node = NULL;
        pointer += size;
    }
    return node;
}

struct untorn_node *json_next_node(const struct untorn_node *node)
{
    if (node->first)
        return node->first;
    while (node && !node->next)
        node = node->parent;
    return node ? node->next : NULL;
}

void json_check_change(enum change_kind kind, const char *before, const char *pointer,
                       const char *key, size_t index, const char *value, const char *after)
{
    struct json_text text = json_text_of(before, strlen(before), UNTORN_JSONC), made = {0};
    struct change change = {.kind = kind, .key = key, .index = index};
    change.key_size = key ? strlen(key) : 0;
    change.node = json_text_find(&text, pointer);
    CHECK(change.node);
    if (value) {
        made = json_text_of(value, strlen(value), UNTORN_JSON);
        change.value = made.parsed.root;
    }
    json_text_change(&text, &change);
    CHECK_TEXT(text.text, after);
    json_text_free(&text);
    json_text_free(&made);
}
