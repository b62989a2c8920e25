/* Where an address leads in a tree, and the address of a node. */
#include "text/keypath.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text/value.h"

/* ---- messages ---- */

/* A step as it is typed, for a message. */
static void show_step(const struct step *step, char shown[KEYPATH_SHOWN + 2])
{
    if (step->kind == STEP_INDEX) {
        snprintf(shown, KEYPATH_SHOWN, "[%lld]", (long long)step->index);
        return;
    }
    if (step->kind == STEP_APPEND) {
        memcpy(shown, "[+]", sizeof "[+]");
        return;
    }
    keypath_shown(step->key, step->key_size, shown + 1);
    shown[0] = '"';
    size_t size = strlen(shown);
    memcpy(shown + size, "\"", 2);
}

static int refuse(struct untorn_error *error, enum untorn_status status, const struct keypath *path,
                  size_t number, const char *format, ...) PRINTF_LIKE(5, 6);

/* "step 2, "host": what is wrong". */
static int refuse(struct untorn_error *error, enum untorn_status status, const struct keypath *path,
                  size_t number, const char *format, ...)
{
    char shown[KEYPATH_SHOWN + 2], what[UNTORN_DETAIL_SIZE];
    show_step(&path->steps[number], shown);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    error_detail(error, "step %zu, %s: %s", number + 1, shown, what);
    return error_fail(error, status, NULL);
}

/* ---- one literal key with dots in it ---- */

/* Whether the first `size` bytes typed from a step on end where a step without quotes does. */
static bool ends_with_step(const struct keypath *path, size_t number, size_t size)
{
    const char *start = path->steps[number].typed;
    for (size_t i = number; i < path->count && path->steps[i].typed; i++) {
        size_t end = (size_t)(path->steps[i].typed - start) + path->steps[i].typed_size;
        if (end >= size)
            return end == size;
    }
    return false;
}

/* A member whose key is what was typed for this step and the next ones. All members are looked at
 * once, which costs no more than their keys are long; asking for every length of the typed text
 * would cost its square. */
static const struct untorn_node *literal_member(const struct keypath *path, const char *end,
                                                size_t number, const struct untorn_node *object)
{
    const struct step *step = &path->steps[number];
    if (!step->typed || number + 1 == path->count || !step[1].typed)
        return NULL;
    size_t rest = (size_t)(end - step->typed);
    for (const struct untorn_node *child = object->first; child; child = child->next)
        if (child->key_size > step->typed_size && child->key_size <= rest &&
            memcmp(child->key, step->typed, child->key_size) == 0 &&
            ends_with_step(path, number, child->key_size))
            return child;
    return NULL;
}

static int refuse_literal(const struct keypath *path, size_t number,
                          const struct untorn_node *literal, struct untorn_error *error)
{
    char shown[KEYPATH_SHOWN];
    keypath_shown(literal->key, literal->key_size, shown);
    return refuse(error, UNTORN_AMBIGUOUS, path, number,
                  "there is one key with the whole name '%s': type it in quotes, \"%s\", or say "
                  "with -k that each part is a key of its own",
                  shown, shown);
}

/* ---- one step ---- */

/* 0: found->node is what the step leads to, or NULL if that is not there yet. */
static int step_into_object(const struct keypath *path, const char *end, size_t number,
                            struct found *found, struct untorn_error *error)
{
    const struct step *step = &path->steps[number];
    if (step->kind == STEP_APPEND)
        return refuse(error, UNTORN_TYPE, path, number,
                      "only an array has something behind the last, this is an object: type a key");
    if (step->kind == STEP_INDEX)
        return refuse(error, UNTORN_TYPE, path, number,
                      "an object has keys, not numbers: if %lld is a key, type .\"%lld\"",
                      (long long)step->index, (long long)step->index);
    const struct untorn_node *literal = literal_member(path, end, number, found->parent);
    if (literal)
        return refuse_literal(path, number, literal, error);
    struct untorn_node *member = node_member(found->parent, step->key, step->key_size);
    if (member && member->repeated)
        return refuse(error, UNTORN_AMBIGUOUS, path, number,
                      "this key is there more than once in the same object: remove all but one");
    found->node = member;
    return 0;
}

static bool is_digits(const struct step *step)
{
    for (size_t i = 0; i < step->key_size; i++)
        if (step->key[i] < '0' || step->key[i] > '9')
            return false;
    return step->key_size > 0;
}

static int refuse_key(const struct keypath *path, size_t number, struct untorn_error *error)
{
    const struct step *step = &path->steps[number];
    const char *behind = step->kind == STEP_KEY ? "[+]" : "\"-\"";
    if (is_digits(step) && step->kind == STEP_KEY)
        return refuse(error, UNTORN_TYPE, path, number,
                      "this is an array, its elements are in brackets: [%.20s]", step->key);
    if (is_digits(step))
        return refuse(error, UNTORN_TYPE, path, number,
                      "this is an array, and its elements have no leading zeros");
    return refuse(error, UNTORN_TYPE, path, number,
                  "this is an array, it has no keys: type %s for an element, or %s for behind the "
                  "last",
                  step->kind == STEP_KEY ? "[N]" : "its number", behind);
}

static int refuse_beyond(const struct keypath *path, size_t number, const struct untorn_node *array,
                         struct untorn_error *error)
{
    const char *behind = path->steps[number].kind == STEP_EITHER ? "\"-\"" : "[+]";
    if (array->count == 0)
        return refuse(error, UNTORN_NO_KEY, path, number,
                      "the array is empty; %s puts the first into it", behind);
    return refuse(error, UNTORN_NO_KEY, path, number,
                  "the array has %zu element%s, counted from 0; %s is behind the last",
                  array->count, array->count == 1 ? "" : "s", behind);
}

/* The element's number, or any beyond the end. false: the step is none. */
static bool resolve(const struct step *step, size_t count, size_t *ret_index)
{
    if (step->kind == STEP_INDEX) {
        int64_t size = (int64_t)count, index = step->index < 0 ? size + step->index : step->index;
        *ret_index = index < 0 || index >= size ? count : (size_t)index;
        return true;
    }
    if (step->kind != STEP_EITHER || !is_digits(step) ||
        (step->key[0] == '0' && step->key_size > 1))
        return false;
    size_t index = 0;
    for (size_t i = 0; i < step->key_size && index < SIZE_MAX / 16; i++)
        index = index * 10 + (size_t)(step->key[i] - '0');
    *ret_index = index;
    return true;
}

static int step_into_array(const struct keypath *path, size_t number, struct found *found,
                           struct untorn_error *error)
{
    const struct step *step = &path->steps[number];
    size_t index;
    if (step->kind == STEP_APPEND ||
        (step->kind == STEP_EITHER && step->key_size == 1 && step->key[0] == '-')) {
        found->append = true;
        return 0;
    }
    if (!resolve(step, found->parent->count, &index))
        return refuse_key(path, number, error);
    found->node = node_element(found->parent, index);
    return found->node ? 0 : refuse_beyond(path, number, found->parent, error);
}

/* ---- all steps ---- */

/* What is missing from `found->matched` on could be made: unless that takes parents and the path
 * makes none, or is an element of a new array that is not its first. */
static int check_missing(const struct keypath *path, const struct found *found,
                         struct untorn_error *error)
{
    if (!path->makes_parents && found->matched + 1 < path->count)
        return refuse(error, UNTORN_NO_KEY, path, found->matched,
                      "it is not there, and a JSON Pointer makes no parents: a dotted key does, "
                      "and so does -k");
    for (size_t i = found->matched + 1; i < path->count; i++)
        if (path->steps[i].kind == STEP_INDEX && path->steps[i].index != 0)
            return refuse(error, UNTORN_NO_KEY, path, i,
                          "there is no such array yet, a new one begins with [0] or [+]");
    return 0;
}

int keypath_find(const struct keypath *path, const struct untorn_node *root,
                 struct found *ret_found, struct untorn_error *error)
{
    const char *end = path->text ? path->text + strlen(path->text) : NULL;
    /* The tree is the caller's, who may change it; nothing is changed here. */
    *ret_found = (struct found){.node = (struct untorn_node *)(uintptr_t)root};
    for (size_t i = 0; i < path->count; i++) {
        struct untorn_node *at = ret_found->node;
        ret_found->node = NULL;
        if (!node_is_container(at))
            return refuse(error, UNTORN_NO_KEY, path, i, "there is nothing below %s",
                          value_kind_words(at->kind));
        ret_found->parent = at;
        int rc = at->kind == UNTORN_ARRAY ? step_into_array(path, i, ret_found, error)
                                          : step_into_object(path, end, i, ret_found, error);
        if (rc < 0)
            return rc;
        if (!ret_found->node) {
            ret_found->matched = i;
            return check_missing(path, ret_found, error);
        }
    }
    ret_found->matched = path->count;
    return 0;
}

/* ---- the path of a node ---- */

/* Writes, or with `out` NULL only counts. */
struct writer {
    char *out;
    size_t size;
};

static void put(struct writer *writer, const char *text, size_t size)
{
    if (writer->out)
        memcpy(writer->out + writer->size, text, size);
    writer->size += size;
}

static bool is_bare(const char *key, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!((key[i] >= 'A' && key[i] <= 'Z') || (key[i] >= 'a' && key[i] <= 'z') ||
              (key[i] >= '0' && key[i] <= '9') || key[i] == '_' || key[i] == '-'))
            return false;
    return size > 0;
}

static void put_quoted(struct writer *writer, const char *key, size_t size)
{
    put(writer, "\"", 1);
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)key[i];
        char escape[8];
        if (byte == '"' || byte == '\\')
            put(writer, "\\", 1);
        if (byte >= ' ' && byte != 0x7f)
            put(writer, key + i, 1);
        else
            put(writer, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04X", byte));
    }
    put(writer, "\"", 1);
}

static void put_dotted(struct writer *writer, const struct untorn_node *node)
{
    if (node->parent->parent)
        put(writer, ".", 1);
    if (is_bare(node->key, node->key_size))
        put(writer, node->key, node->key_size);
    else
        put_quoted(writer, node->key, node->key_size);
}

static void put_segment(struct writer *writer, const struct untorn_node *node)
{
    put(writer, "/", 1);
    for (size_t i = 0; i < node->key_size; i++) {
        char byte = node->key[i];
        if (byte == '~' || byte == '/')
            put(writer, byte == '~' ? "~0" : "~1", 2);
        else
            put(writer, &byte, 1);
    }
}

static void put_step(struct writer *writer, const struct untorn_node *node, bool pointer)
{
    char number[32];
    if (node->parent->kind == UNTORN_ARRAY)
        put(writer, number,
            (size_t)snprintf(number, sizeof number, pointer ? "/%zu" : "[%zu]",
                             node_position(node)));
    else if (pointer)
        put_segment(writer, node);
    else
        put_dotted(writer, node);
}

const char *keypath_of_node(const struct untorn_node *node, bool pointer, struct arena *arena)
{
    struct writer whole = {0};
    for (const struct untorn_node *at = node; at->parent; at = at->parent)
        put_step(&whole, at, pointer);
    char *text = whole.size < SIZE_MAX ? arena_take(arena, whole.size + 1) : NULL;
    if (!text)
        return NULL;
    char *end = text + whole.size;
    *end = '\0';
    for (const struct untorn_node *at = node; at->parent; at = at->parent) {
        struct writer step = {0};
        put_step(&step, at, pointer);
        end -= step.size;
        step = (struct writer){.out = end};
        put_step(&step, at, pointer);
    }
    return text;
}
