#include "text/node.h"

#include <string.h>

#include "base/hash.h"
#include "text/number.h"

enum { INDEXED = 16 }; /* fewer members are found faster by going through them */

/* Open addressing; for keys that are there more than once, the last. A key is searched among the
 * tags: they lie close together, and next to never lead to a node that is not it. */
struct node_index {
    size_t used, room; /* `room` is a power of two */
    uint32_t *tags;    /* what a key is hashed to; 0 where a slot is free */
    uint32_t coming;   /* the tag of a member that is linked and will be entered next, or 0 */
    struct untorn_node *nodes[];
};

const char *node_place(const struct untorn_node *node)
{
    for (; node; node = node_is_container(node) ? node->first : NULL) {
        if (node->parent && node->key_raw)
            return node->key_raw;
        if (node->raw)
            return node->raw;
    }
    return NULL;
}

bool node_is_container(const struct untorn_node *node)
{
    return node->kind == UNTORN_ARRAY || node->kind == UNTORN_OBJECT;
}

static bool has_key(const struct untorn_node *node, const char *key, size_t size)
{
    return node->key_size == size && memcmp(node->key, key, size) == 0;
}

/* ---- the index ---- */

static uint32_t tag_of(const char *key, size_t size)
{
    uint32_t tag = (uint32_t)hash_short(key, size);
    return tag ? tag : 1;
}

/* Where a tag belongs. Larger ones lie behind: so a table is copied into a larger one in order. */
static size_t home_of(const struct node_index *index, uint32_t tag)
{
    return (size_t)((uint64_t)tag * index->room >> 32);
}

/* Where the key is, or the free slot where it belongs. */
static size_t slot_of(const struct node_index *index, const char *key, size_t size, uint32_t tag)
{
    size_t at = home_of(index, tag);
    while (index->tags[at] && (index->tags[at] != tag || !has_key(index->nodes[at], key, size)))
        at = (at + 1) & (index->room - 1);
    return at;
}

static struct untorn_node **find(const struct node_index *index, const char *key, size_t size)
{
    size_t at = slot_of(index, key, size, tag_of(key, size));
    return index->tags[at] ? (struct untorn_node **)&index->nodes[at] : NULL;
}

/* Moves up what only stands behind the slot because that was taken. */
static void clear_slot(struct node_index *index, struct untorn_node **slot)
{
    size_t mask = index->room - 1, free = (size_t)(slot - index->nodes);
    for (size_t at = (free + 1) & mask; index->tags[at]; at = (at + 1) & mask) {
        size_t home = home_of(index, index->tags[at]);
        if (((at - home) & mask) >= ((at - free) & mask)) {
            index->tags[free] = index->tags[at];
            index->nodes[free] = index->nodes[at];
            free = at;
        }
    }
    index->tags[free] = 0;
    index->used--;
}

/* A large index lies in memory that is far: what comes is fetched while the value is scanned. */
static void expect(struct node_index *index, const struct untorn_node *node)
{
    index->coming = tag_of(node->key, node->key_size);
    size_t at = home_of(index, index->coming);
    __builtin_prefetch(&index->tags[at]);
    __builtin_prefetch(&index->nodes[at], 1);
}

static void enter(struct node_index *index, struct untorn_node *node)
{
    uint32_t tag = index->coming ? index->coming : tag_of(node->key, node->key_size);
    index->coming = 0;
    size_t at = slot_of(index, node->key, node->key_size, tag);
    node->repeated = index->tags[at] != 0;
    index->used += index->tags[at] == 0;
    index->tags[at] = tag;
    index->nodes[at] = node;
}

static bool is_full(const struct node_index *index)
{
    return index->used >= index->room / 8 * 7;
}

static size_t index_size(size_t room)
{
    return sizeof(struct node_index) + room * (sizeof(struct untorn_node *) + sizeof(uint32_t));
}

static void copy_index(struct node_index *to, const struct node_index *from)
{
    for (size_t i = 0; i < from->room; i++) {
        size_t at = home_of(to, from->tags[i]);
        if (!from->tags[i])
            continue;
        while (to->tags[at])
            at = (at + 1) & (to->room - 1);
        to->tags[at] = from->tags[i];
        to->nodes[at] = from->nodes[i];
    }
    to->used = from->used;
}

/* For the members up to the last, which is the only one that an old index does not have. false: no
 * memory; then there is no index, and the members are gone through. */
static bool build_index(struct arena *arena, struct untorn_node *object)
{
    struct node_index *old = object->index;
    size_t room = 2 * INDEXED;
    while (room / 4 * 3 < object->count)
        room *= 2;
    struct node_index *index = arena_take(arena, index_size(room));
    object->index = index;
    if (!index)
        return false;
    *index = (struct node_index){.room = room, .tags = (uint32_t *)(index->nodes + room)};
    memset(index->tags, 0, room * sizeof *index->tags);
    if (old) {
        copy_index(index, old);
        arena_give_back(arena, old, index_size(old->room));
    }
    for (struct untorn_node *child = old ? object->last : object->first; child; child = child->next)
        enter(index, child);
    return true;
}

static struct untorn_node *search(const struct untorn_node *object, const char *key, size_t size)
{
    for (struct untorn_node *child = object->last; child; child = child->previous)
        if (has_key(child, key, size))
            return child;
    return NULL;
}

struct untorn_node *node_member(const struct untorn_node *object, const char *key, size_t key_size)
{
    if (object->kind != UNTORN_OBJECT)
        return NULL;
    if (!object->index)
        return search(object, key, key_size);
    struct untorn_node **slot = find(object->index, key, key_size);
    return slot ? *slot : NULL;
}

bool node_enter(struct arena *arena, struct untorn_node *child)
{
    struct untorn_node *object = child->parent;
    if (!object || object->kind != UNTORN_OBJECT)
        return true;
    if (object->index && !is_full(object->index)) {
        enter(object->index, child);
        return true;
    }
    if (object->index || object->count > INDEXED)
        return build_index(arena, object);
    for (struct untorn_node *other = child->previous; other && !child->repeated;
         other = other->previous)
        child->repeated = has_key(other, child->key, child->key_size);
    return true;
}

/* ---- making ---- */

static void link_before(struct untorn_node *parent, struct untorn_node *child,
                        struct untorn_node *next)
{
    child->parent = parent;
    child->next = next;
    child->previous = next ? next->previous : parent->last;
    *(child->previous ? &child->previous->next : &parent->first) = child;
    *(next ? &next->previous : &parent->last) = child;
    parent->count++;
}

struct untorn_node *node_link(struct arena *arena, struct untorn_node *parent, const char *key,
                              size_t key_size, enum untorn_kind kind)
{
    struct untorn_node *node = arena_take(arena, sizeof *node);
    if (!node)
        return NULL;
    *node = (struct untorn_node){.kind = kind, .key = key, .key_size = key_size};
    if (!parent)
        return node;
    link_before(parent, node, NULL);
    if (parent->kind == UNTORN_OBJECT && parent->index)
        expect(parent->index, node);
    return node;
}

struct untorn_node *node_add(struct arena *arena, struct untorn_node *parent, const char *key,
                             size_t key_size, enum untorn_kind kind)
{
    struct untorn_node *node = node_link(arena, parent, key, key_size, kind);
    return node && node_enter(arena, node) ? node : NULL;
}

static bool copy_text(struct arena *arena, const char **text, size_t size)
{
    if (!*text)
        return true;
    *text = arena_copy(arena, *text, size);
    return *text != NULL;
}

static struct untorn_node *copy_one(struct arena *arena, const struct untorn_node *node,
                                    struct untorn_node *parent)
{
    const char *key = node->key;
    if (!copy_text(arena, &key, node->key_size))
        return NULL;
    struct untorn_node *copy = node_add(arena, parent, key, node->key_size, node->kind);
    if (!copy || node_is_container(node))
        return copy;
    copy->text = node->text;
    copy->size = node->size;
    if (node->respelled)
        return copy_text(arena, &copy->text, copy->size) ? copy : NULL;
    node_spell(copy, node->raw, node->raw_size, node->raw_format);
    return copy_text(arena, &copy->text, copy->size) && copy_text(arena, &copy->raw, copy->raw_size)
               ? copy
               : NULL;
}

/* The next node of a walk through all below `top`, and beside it the copy's. */
static const struct untorn_node *step(const struct untorn_node *node, const struct untorn_node *top,
                                      struct untorn_node **copy)
{
    if (node->first)
        return node->first;
    while (node != top && !node->next) {
        node = node->parent;
        *copy = (*copy)->parent;
    }
    if (node == top)
        return NULL;
    *copy = (*copy)->parent;
    return node->next;
}

struct untorn_node *node_copy(struct arena *arena, const struct untorn_node *node)
{
    struct untorn_node *top = copy_one(arena, node, NULL), *copy = top;
    const struct untorn_node *at = node;
    while (copy && (at = step(at, node, &copy)) != NULL)
        copy = copy_one(arena, at, copy);
    return copy ? top : NULL;
}

/* ---- looking ---- */

struct untorn_node *node_element(const struct untorn_node *array, size_t index)
{
    if (array->kind != UNTORN_ARRAY || index >= array->count)
        return NULL;
    struct untorn_node *element = array->first;
    while (index-- > 0)
        element = element->next;
    return element;
}

size_t node_position(const struct untorn_node *node)
{
    size_t position = 0;
    while ((node = node->previous) != NULL)
        position++;
    return position;
}

/* The end is looked for: that is rarer than a node is made. */
size_t node_key_raw_size(const struct untorn_node *node)
{
    const char *raw = node->key_raw;
    size_t size = 1;
    if (*raw != '"' && *raw != '\'')
        return node->key_size; /* bare, in TOML */
    while (raw[size] != *raw)
        size += raw[size] == '\\' && *raw == '"' ? 2 : 1;
    return size + 1;
}

bool node_stands_for_others(const struct untorn_node *node)
{
    return node->cut && !node_is_container(node) && node->kind != UNTORN_STRING;
}

bool node_is_cut(const struct untorn_node *node)
{
    bool cut = node->cut;
    for (const struct untorn_node *child = node->first; child && !cut; child = child->next)
        cut = child->cut;
    return cut;
}

static bool is_number(enum untorn_kind kind)
{
    return kind == UNTORN_INTEGER || kind == UNTORN_FLOAT;
}

static bool is_special(const struct untorn_node *node)
{
    return node->kind == UNTORN_FLOAT && node->size >= 3 && strpbrk(node->text, "in") != NULL;
}

static bool equal_numbers(const struct untorn_node *a, const struct untorn_node *b)
{
    int64_t left, right;
    double x, y;
    if (number_integer(a->text, a->size, &left) && number_integer(b->text, b->size, &right))
        return left == right;
    if (!is_special(a) && !is_special(b))
        return number_equal(a->text, a->size, b->text, b->size);
    return is_special(a) == is_special(b) && number_double(a->text, a->size, &x) &&
           number_double(b->text, b->size, &y) &&
           (x == y || (x != x && y != y)); /* nan is nan here */
}

/* Of equal numbers: only a zero can differ in its sign, and only a float's says something. */
static bool equal_signs(const struct untorn_node *a, const struct untorn_node *b)
{
    return a->kind == UNTORN_INTEGER || is_special(a) || (*a->text == '-') == (*b->text == '-');
}

/* One byte of an instant's spelling, brought to one form. */
static char plain_byte(char byte)
{
    return byte == 't' || byte == ' ' ? 'T' : byte == 'z' ? 'Z' : byte;
}

static bool equal_bytes(const char *a, const char *b, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (plain_byte(a[i]) != plain_byte(b[i]))
            return false;
    return true;
}

/* An instant is date and time to the second, then fraction, then zone; each may be missing. */
struct instant {
    size_t clock;              /* bytes of date and time */
    size_t fraction, zeros_at; /* behind the point; where trailing zeros begin */
    size_t zone;
};

static struct instant split_instant(const struct untorn_node *node)
{
    bool colon = false;
    struct instant instant = {.zone = node->size};
    for (size_t i = 0; i < instant.zone; i++) {
        char byte = plain_byte(node->text[i]);
        if (byte == 'Z' || byte == '+' || (byte == '-' && colon))
            instant.zone = i;
        else if (byte == '.')
            instant.clock = i;
        colon |= byte == ':';
    }
    if (instant.clock == 0)
        instant.clock = instant.zone;
    instant.zeros_at = instant.zone;
    instant.fraction = instant.clock < instant.zone ? instant.clock + 1 : instant.zone;
    while (instant.zeros_at > instant.fraction && node->text[instant.zeros_at - 1] == '0')
        instant.zeros_at--;
    return instant;
}

/* Seconds of 00 may be left out. */
static bool equal_clocks(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t shared = a_size < b_size ? a_size : b_size;
    if (!equal_bytes(a, b, shared))
        return false;
    const char *more = a_size > shared ? a + shared : b + shared;
    return a_size == b_size || (a_size + b_size - 2 * shared == 3 && memcmp(more, ":00", 3) == 0);
}

static bool equal_instants(const struct untorn_node *a, const struct untorn_node *b)
{
    struct instant left = split_instant(a), right = split_instant(b);
    size_t fraction = left.zeros_at - left.fraction, zone = a->size - left.zone;
    return equal_clocks(a->text, left.clock, b->text, right.clock) &&
           fraction == right.zeros_at - right.fraction &&
           equal_bytes(a->text + left.fraction, b->text + right.fraction, fraction) &&
           zone == b->size - right.zone &&
           equal_bytes(a->text + left.zone, b->text + right.zone, zone);
}

static bool equal_scalars(const struct untorn_node *a, const struct untorn_node *b, bool alike)
{
    if (a->kind == UNTORN_NULL || (a->size == b->size && memcmp(a->text, b->text, a->size) == 0))
        return true;
    if (is_number(a->kind))
        return equal_numbers(a, b) && (alike || equal_signs(a, b));
    return a->kind >= UNTORN_DATETIME && a->kind <= UNTORN_TIME_LOCAL && equal_instants(a, b);
}

static bool equal_kinds(const struct untorn_node *a, const struct untorn_node *b, bool alike)
{
    return a->kind == b->kind || (alike && is_number(a->kind) && is_number(b->kind));
}

/* How many members before it have its key. */
static size_t rank_of(const struct untorn_node *member)
{
    size_t rank = 0;
    if (member->repeated)
        for (const struct untorn_node *at = member->previous; at; at = at->previous)
            rank += has_key(at, member->key, member->key_size);
    return rank;
}

/* The member that has as many of its key before it as `like`; NULL. */
static const struct untorn_node *same_rank(const struct untorn_node *object,
                                           const struct untorn_node *like)
{
    const struct untorn_node *at = node_member(object, like->key, like->key_size);
    if (!at || (!at->repeated && !like->repeated))
        return at;
    size_t rank = rank_of(like);
    for (at = object->first; at; at = at->next)
        if (has_key(at, like->key, like->key_size) && rank-- == 0)
            break;
    return at;
}

/* What of `parent` is to be compared with `at`: the element of that place, the member of that key.
 * `beside` has the same place as `at`, and usually is it; members of a repeated key are only
 * counted where not all so far was `in_step`. */
static const struct untorn_node *partner(const struct untorn_node *at,
                                         const struct untorn_node *parent,
                                         const struct untorn_node *beside, bool *in_step)
{
    if (parent->kind != UNTORN_OBJECT)
        return beside;
    if (beside && has_key(beside, at->key, at->key_size) && beside->repeated == at->repeated &&
        (*in_step || !at->repeated))
        return beside;
    *in_step = false;
    return same_rank(parent, at);
}

static bool equal(const struct untorn_node *a, const struct untorn_node *b, bool alike)
{
    const struct untorn_node *top = a;
    bool in_step = true;
    for (;;) {
        if (!b || !equal_kinds(a, b, alike) || a->count != b->count ||
            (!node_is_container(a) && !equal_scalars(a, b, alike)))
            return false;
        if (a->first) {
            a = a->first;
            b = partner(a, b, b->first, &in_step);
            continue;
        }
        while (a != top && !a->next) {
            a = a->parent;
            b = b->parent;
        }
        if (a == top)
            return true;
        a = a->next;
        b = partner(a, b->parent, b->next, &in_step);
    }
}

bool node_equal(const struct untorn_node *a, const struct untorn_node *b)
{
    return equal(a, b, false);
}

bool node_alike(const struct untorn_node *a, const struct untorn_node *b)
{
    return equal(a, b, true);
}

/* ---- changing ---- */

/* Says of all members with that key whether they are repeated; returns the last of them. */
static struct untorn_node *mark_repeated(struct untorn_node *object, const char *key, size_t size)
{
    struct untorn_node *last = NULL;
    for (struct untorn_node *child = object->first; child; child = child->next) {
        if (!has_key(child, key, size))
            continue;
        child->repeated = last != NULL;
        last = child;
    }
    return last;
}

static void unlink_node(struct untorn_node *node)
{
    struct untorn_node *parent = node->parent;
    *(node->previous ? &node->previous->next : &parent->first) = node->next;
    *(node->next ? &node->next->previous : &parent->last) = node->previous;
    parent->count--;
    node->parent = node->previous = node->next = NULL;
}

void node_remove(struct untorn_node *node)
{
    struct untorn_node *parent = node->parent, **slot = NULL;
    unlink_node(node);
    if (parent->kind != UNTORN_OBJECT)
        return;
    if (parent->index)
        slot = find(parent->index, node->key, node->key_size);
    if (slot && *slot == node && !node->repeated) {
        clear_slot(parent->index, slot);
        return;
    }
    struct untorn_node *last = mark_repeated(parent, node->key, node->key_size);
    if (slot)
        *slot = last;
    node->repeated = false;
}

void node_replace(struct untorn_node *old, struct untorn_node *value)
{
    struct untorn_node *parent = old->parent, *next = old->next;
    value->key = old->key;
    value->key_size = old->key_size;
    value->repeated = old->repeated;
    unlink_node(old);
    link_before(parent, value, next);
    if (!parent->index)
        return;
    struct untorn_node **slot = find(parent->index, old->key, old->key_size);
    if (*slot == old)
        *slot = value;
}

bool node_put_member(struct arena *arena, struct untorn_node *object, const char *key,
                     size_t key_size, struct untorn_node *value)
{
    struct untorn_node *old = node_member(object, key, key_size);
    if (old) {
        node_replace(old, value);
        return true;
    }
    value->key = arena_copy(arena, key, key_size);
    value->key_size = key_size;
    if (!value->key)
        return false;
    link_before(object, value, NULL);
    return node_enter(arena, value);
}

bool node_put_element(struct untorn_node *array, size_t index, struct untorn_node *value)
{
    struct untorn_node *next = node_element(array, index);
    if (!next && index != array->count)
        return false;
    value->key = NULL;
    value->key_size = 0;
    link_before(array, value, next);
    return true;
}

void node_put_back(struct untorn_node *node, struct untorn_node *parent, struct untorn_node *next)
{
    link_before(parent, node, next);
    if (parent->kind != UNTORN_OBJECT)
        return;
    struct node_index *index = parent->index;
    if (index && is_full(index))
        index = parent->index = NULL; /* the members are gone through until one is added */
    struct untorn_node **slot = index ? find(index, node->key, node->key_size) : NULL;
    if (index && !slot) {
        enter(index, node);
        return;
    }
    struct untorn_node *last = mark_repeated(parent, node->key, node->key_size);
    if (slot)
        *slot = last;
}

bool node_rename(struct arena *arena, struct untorn_node *node, const char *key, size_t key_size)
{
    const char *copy = arena_copy(arena, key, key_size);
    if (!copy)
        return false;
    struct untorn_node *parent = node->parent, *next = node->next;
    node_remove(node);
    node->key = copy;
    node->key_size = key_size;
    node_put_back(node, parent, next);
    return true;
}
