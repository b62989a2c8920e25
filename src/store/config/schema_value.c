/* The walk through a schema beside the values, and what it allows. */
#include <stdio.h>
#include <string.h>

#include "store/config/schema.h"
#include "text/value.h"

/* ---- the walk ---- */

/* A key that is exactly here is the first of the range: a table comes before what is in it. */
static const struct schema_key *key_here(const struct schema_place *place)
{
    if (place->low >= place->high)
        return NULL;
    const struct schema_key *first = &place->schema->keys[place->low];
    return first->path.count == place->depth ? first : NULL;
}

struct schema_place schema_root(const struct schema *schema)
{
    return (struct schema_place){.schema = schema, .high = schema->count};
}

/* Whether the step of a key at that depth comes before `text`, or with `behind` is not behind it.
 */
static bool comes_before(const struct schema_key *key, size_t depth, const char *text, size_t size,
                         bool behind)
{
    if (key->path.count <= depth)
        return true;
    const struct step *step = &key->path.steps[depth];
    int order = memcmp(step->key, text, step->key_size < size ? step->key_size : size);
    if (order == 0)
        order = step->key_size < size ? -1 : step->key_size > size;
    return order < 0 || (behind && order == 0);
}

static size_t find_edge(const struct schema_place *place, const char *text, size_t size,
                        bool behind)
{
    size_t low = place->low, high = place->high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (comes_before(&place->schema->keys[middle], place->depth, text, size, behind))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct schema_place schema_enter(const struct schema_place *place, const char *key, size_t size)
{
    struct schema_place inner = {
        .schema = place->schema,
        .low = find_edge(place, key, size, false),
        .high = find_edge(place, key, size, true),
        .depth = place->depth + 1,
        .above = place->key ? place->key : place->above,
    };
    inner.key = key_here(&inner);
    return inner;
}

/* A table without keys of its own in the schema may have any. */
static bool is_open(const struct schema_key *key)
{
    return key && (key->type == SCHEMA_TABLE || key->type == SCHEMA_ANY);
}

const struct schema_key *schema_governs(const struct schema_place *place)
{
    return place->key ? place->key : is_open(place->above) ? place->above : NULL;
}

/* ---- values ---- */

static bool is_of_type(enum schema_type type, const struct untorn_node *node)
{
    switch (type) {
    case SCHEMA_STRING:
        return node->kind == UNTORN_STRING;
    case SCHEMA_INTEGER:
        return node->kind == UNTORN_INTEGER;
    case SCHEMA_FLOAT:
        return node->kind == UNTORN_FLOAT || node->kind == UNTORN_INTEGER;
    case SCHEMA_BOOLEAN:
        return node->kind == UNTORN_BOOLEAN;
    case SCHEMA_DATETIME:
        return node->kind >= UNTORN_DATETIME && node->kind <= UNTORN_TIME_LOCAL;
    case SCHEMA_ARRAY:
        return node->kind == UNTORN_ARRAY;
    case SCHEMA_TABLE:
        return node->kind == UNTORN_OBJECT;
    default:
        return true;
    }
}

const char *schema_type_words(enum schema_type type)
{
    static const char *const words[SCHEMA_TYPES] = {
        [SCHEMA_ANY] = "anything",       [SCHEMA_STRING] = "a string",
        [SCHEMA_INTEGER] = "an integer", [SCHEMA_FLOAT] = "a number",
        [SCHEMA_BOOLEAN] = "a boolean",  [SCHEMA_DATETIME] = "a date or time",
        [SCHEMA_ARRAY] = "an array",     [SCHEMA_TABLE] = "a table",
    };
    return words[type];
}

static bool refuse(char why[SCHEMA_WHY], const char *what, const char *text)
{
    snprintf(why, SCHEMA_WHY, "must be %s%.*s", what, SCHEMA_WHY / 2, text);
    return false;
}

/* Integers are compared as such: a double has no room for all of them. */
static int compare_numbers(const struct untorn_node *a, const struct untorn_node *b)
{
    int64_t x, y;
    double u = 0, v = 0;
    if (untorn_node_integer(a, &x) && untorn_node_integer(b, &y))
        return x < y ? -1 : x > y;
    (void)untorn_node_double(a, &u), (void)untorn_node_double(b, &v);
    return u < v ? -1 : u > v || u != u; /* not a number is beyond every limit */
}

/* "a, b or c", as far as there is room. */
static bool refuse_value(const struct untorn_node *values, char why[SCHEMA_WHY])
{
    char list[SCHEMA_WHY / 2] = "";
    size_t used = 0;
    for (const struct untorn_node *item = values->first; item && used < sizeof list;
         item = item->next) {
        size_t size;
        const char *text = untorn_node_text(item, &size);
        const char *before = !item->previous || item == values->first ? ""
                             : item->next                             ? ", "
                                                                      : " or ";
        int more = snprintf(list + used, sizeof list - used, "%s%.*s", before,
                            text ? (int)(size > 40 ? 40 : size) : 3, text ? text : "...");
        used += more > 0 ? (size_t)more : 0;
    }
    return refuse(why, "", list);
}

static bool is_among(const struct untorn_node *values, const struct untorn_node *node)
{
    for (const struct untorn_node *item = values->first; item; item = item->next)
        if (node_alike(item, node))
            return true;
    return false;
}

static bool fits(const struct schema_key *key, enum schema_type type,
                 const struct untorn_node *node, char why[SCHEMA_WHY])
{
    if (!is_of_type(type, node)) {
        snprintf(why, SCHEMA_WHY, "must be %s, not %s", schema_type_words(type),
                 value_kind_words(node->kind));
        return false;
    }
    if (key->least && compare_numbers(node, key->least) < 0)
        return refuse(why, "at least ", key->least->text);
    if (key->greatest && compare_numbers(node, key->greatest) > 0)
        return refuse(why, "at most ", key->greatest->text);
    return !key->values || is_among(key->values, node) || refuse_value(key->values, why);
}

bool schema_allows_element(const struct schema_key *key, const struct untorn_node *node,
                           char why[SCHEMA_WHY])
{
    char inner[SCHEMA_WHY];
    if (fits(key, key->element, node, inner))
        return true;
    snprintf(why, SCHEMA_WHY, "has an element that %.*s", SCHEMA_WHY - 32, inner);
    return false;
}

static bool fits_here(const struct schema_key *key, const struct untorn_node *node,
                      char why[SCHEMA_WHY])
{
    if (key->type != SCHEMA_ARRAY || node->kind != UNTORN_ARRAY)
        return fits(key, key->type, node, why);
    for (const struct untorn_node *item = node->first; item; item = item->next)
        if (!schema_allows_element(key, item, why))
            return false;
    return true;
}

static bool refuse_unknown(const struct schema_place *place, char why[SCHEMA_WHY])
{
    if (place->above)
        snprintf(why, SCHEMA_WHY, "is below %.*s, which must be %s", SCHEMA_WHY / 2,
                 place->above->name, schema_type_words(place->above->type));
    else
        snprintf(why, SCHEMA_WHY, "is not a key that the schema knows");
    return false;
}

bool schema_allows(const struct schema_place *place, const struct untorn_node *node,
                   char why[SCHEMA_WHY])
{
    if (!place->schema->document)
        return true;
    if (place->key)
        return fits_here(place->key, node, why);
    if (place->low < place->high)
        return node->kind == UNTORN_OBJECT || refuse(why, "a table", "");
    return is_open(place->above) || refuse_unknown(place, why);
}

bool schema_allows_scope(const struct schema_key *key, enum untorn_scope scope,
                         char why[SCHEMA_WHY])
{
    char list[SCHEMA_WHY / 2] = "";
    if (!key || key->scopes & 1u << scope)
        return true;
    size_t used = 0;
    for (int i = UNTORN_SCOPE_GLOBAL; i < UNTORN_SCOPES; i++)
        if (key->scopes & 1u << i)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     untorn_scope_name((enum untorn_scope)i));
    snprintf(why, SCHEMA_WHY, "may not be set in the scope %s (only: %s)", untorn_scope_name(scope),
             used ? list : "none");
    return false;
}

enum untorn_syntax schema_syntax(const struct schema_key *key)
{
    return key->type == SCHEMA_STRING ? UNTORN_AS_STRING
           : key->type == SCHEMA_ANY  ? UNTORN_PLAIN
                                      : UNTORN_AS_TOML;
}
