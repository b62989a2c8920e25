#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "heap.h"
#include "text/node.h"

static struct arena arena;

static struct untorn_node *add(struct untorn_node *parent, const char *key, enum untorn_kind kind,
                               const char *text)
{
    char *copy = key ? arena_copy(&arena, key, strlen(key)) : NULL;
    struct untorn_node *node = node_add(&arena, parent, copy, key ? strlen(key) : 0, kind);
    CHECK(node != NULL);
    node->text = text;
    node->size = text ? strlen(text) : 0;
    return node;
}

static struct untorn_node *object(struct untorn_node *parent, const char *key)
{
    return add(parent, key, UNTORN_OBJECT, NULL);
}

static struct untorn_node *array(struct untorn_node *parent, const char *key)
{
    return add(parent, key, UNTORN_ARRAY, NULL);
}

static struct untorn_node *integer(struct untorn_node *parent, const char *key, const char *text)
{
    return add(parent, key, UNTORN_INTEGER, text);
}

static const char *member_text(const struct untorn_node *node, const char *key)
{
    const struct untorn_node *member = node_member(node, key, strlen(key));
    return member ? member->text : NULL;
}

/* An object of one integer for each word of `members`: key and text are the same letter, or given
 * as "key=text". */
static struct untorn_node *object_of(const char *members)
{
    struct untorn_node *made = object(NULL, NULL);
    char *words = arena_copy(&arena, members, strlen(members));
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        char *text = strchr(word, '=');
        if (text)
            *text++ = '\0';
        integer(made, word, text ? text : "1");
    }
    return made;
}

/* The keys in order, a repeated one with '*' behind it; walked both ways. */
static const char *keys_of(const struct untorn_node *node)
{
    static char text[512];
    size_t size = 0, count = 0;
    const struct untorn_node *previous = NULL;
    text[0] = '\0';
    for (const struct untorn_node *child = node->first; child; child = child->next) {
        CHECK(child->parent == node && child->previous == previous);
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s%s", previous ? " " : "",
                                 child->key ? child->key : child->text, child->repeated ? "*" : "");
        previous = child;
        count++;
    }
    CHECK(node->last == previous);
    CHECK_INT(node->count, count);
    return text;
}

/* ---- making and looking ---- */

TEST(children_are_added_behind_the_last)
{
    struct untorn_node *root = array(NULL, NULL);
    CHECK(!root->parent && !root->first && root->count == 0);
    integer(root, NULL, "1");
    integer(root, NULL, "2");
    integer(root, NULL, "3");
    CHECK_TEXT(keys_of(root), "1 2 3");
    CHECK_TEXT(node_element(root, 0)->text, "1");
    CHECK_TEXT(node_element(root, 2)->text, "3");
    CHECK(node_element(root, 3) == NULL);
    CHECK_INT(node_position(node_element(root, 2)), 2);
    CHECK_INT(node_position(root), 0);
}

TEST(only_arrays_have_elements_and_only_objects_members)
{
    struct untorn_node *root = object_of("a"), *list = array(NULL, NULL);
    integer(list, NULL, "1");
    CHECK(node_element(root, 0) == NULL);
    CHECK(node_member(list, "a", 1) == NULL);
    CHECK(node_member(root->first, "a", 1) == NULL);
    CHECK(node_is_container(root) && node_is_container(list) && !node_is_container(root->first));
}

TEST(members_are_found_by_their_whole_key)
{
    struct untorn_node *root = object(NULL, NULL);
    integer(root, "", "empty");
    integer(root, "ab", "ab");
    integer(root, "abc", "abc");
    struct untorn_node *odd = node_add(&arena, root, "a\0b", 3, UNTORN_NULL);
    CHECK_TEXT(member_text(root, ""), "empty");
    CHECK_TEXT(member_text(root, "ab"), "ab");
    CHECK_TEXT(member_text(root, "abc"), "abc");
    CHECK(node_member(root, "a\0b", 3) == odd);
    CHECK(node_member(root, "a\0c", 3) == NULL);
    CHECK(node_member(root, "a", 1) == NULL);
    CHECK(node_member(root, "abcd", 4) == NULL);
}

TEST(between_two_steps_many_are_linked_and_entered_one_by_one)
{
    struct untorn_node *root = object(NULL, NULL), *last = NULL;
    for (int i = 0; i < 2000; i++) {
        char key[16];
        sprintf(key, "%d", i % 1500);
        CHECK(!last || node_enter(&arena, last));
        CHECK(!last || last->repeated == (i > 1500));
        last =
            node_link(&arena, root, arena_copy(&arena, key, strlen(key)), strlen(key), UNTORN_NULL);
        CHECK(last && last->parent == root && root->last == last);
    }
    CHECK(node_enter(&arena, last));
    CHECK(node_member(root, "499", 3) == last && last->repeated);
    CHECK(!node_member(root, "500", 3)->repeated);
}

TEST(the_spelling_of_a_key_has_its_end)
{
    static const char *const spellings[] = {
        "bare = 1", "'it\\'=", "\"quoted\":", "\"a\\\"b\\\\\" ", "\"\"", "''"};
    static const size_t sizes[] = {4, 5, 8, 8, 2, 2};
    for (int i = 0; i < 6; i++) {
        struct untorn_node node = {.key_raw = spellings[i], .key_size = 4};
        CHECK_INT(node_key_raw_size(&node), sizes[i]);
    }
}

TEST(of_a_repeated_key_the_last_is_found_and_all_but_the_first_are_marked)
{
    struct untorn_node *root = object_of("a=1 b=2 a=3 c=4 a=5 b=6");
    CHECK_TEXT(keys_of(root), "a b a* c a* b*");
    CHECK_TEXT(member_text(root, "a"), "5");
    CHECK_TEXT(member_text(root, "b"), "6");
    CHECK_TEXT(member_text(root, "c"), "4");
}

static const char *numbered(const char *prefix, int number)
{
    static char key[32];
    snprintf(key, sizeof key, "%s%d", prefix, number);
    return key;
}

enum { MANY = 10000 };

static struct untorn_node *many_members(void)
{
    struct untorn_node *root = object(NULL, NULL);
    for (int i = 0; i < MANY; i++)
        integer(root, numbered("key", i), "1");
    return root;
}

TEST(ten_thousand_members_are_all_found)
{
    struct untorn_node *root = many_members();
    int position = 0;
    for (struct untorn_node *child = root->first; child; child = child->next, position++) {
        CHECK(!child->repeated);
        CHECK(node_member(root, numbered("key", position), strlen(numbered("key", position))) ==
              child);
    }
    CHECK_INT(position, MANY);
    CHECK(member_text(root, "key10000") == NULL);
    CHECK(member_text(root, "key") == NULL);
}

TEST(among_ten_thousand_members_a_repeated_key_is_seen)
{
    struct untorn_node *root = many_members();
    for (int i = 0; i < MANY; i += 3)
        CHECK(integer(root, numbered("key", i), "2")->repeated);
    CHECK(!integer(root, "another", "3")->repeated);
    for (int i = 0; i < MANY; i++)
        CHECK_TEXT(member_text(root, numbered("key", i)), i % 3 == 0 ? "2" : "1");
}

/* ---- copying ---- */

TEST(a_copy_has_all_and_shares_nothing)
{
    char text[] = "value", key[] = "inner", raw[] = "\"value\"";
    struct untorn_node *root = object(NULL, NULL), *list = array(root, "list");
    struct untorn_node *inner = object(list, NULL), *leaf = NULL;
    leaf = node_add(&arena, inner, key, 5, UNTORN_STRING);
    leaf->text = text;
    leaf->size = 5;
    leaf->raw = raw;
    leaf->raw_size = 7;
    leaf->raw_format = UNTORN_TOML;
    integer(root, "", "1");
    object(root, "nothing");
    struct untorn_node *copy = node_copy(&arena, root);
    CHECK(node_equal(copy, root));
    CHECK_TEXT(keys_of(copy), "list  nothing");
    memset(text, 'x', 5);
    memset(key, 'x', 5);
    memset(raw, 'x', 7);
    const struct untorn_node *copied = copy->first->first->first;
    CHECK_TEXT(copied->key, "inner");
    CHECK_TEXT(copied->text, "value");
    CHECK_TEXT(copied->raw, "\"value\"");
    CHECK_INT(copied->raw_format, UNTORN_TOML);
    CHECK(!node_equal(copy, root));
}

TEST(a_part_is_copied_out_of_its_tree)
{
    struct untorn_node *root = object(NULL, NULL), *list = array(root, "list");
    integer(list, NULL, "1");
    integer(root, "other", "2");
    struct untorn_node *copy = node_copy(&arena, list);
    CHECK(!copy->parent && !copy->next && !copy->previous);
    CHECK_TEXT(copy->key, "list");
    CHECK_TEXT(keys_of(copy), "1");
    CHECK_TEXT(node_copy(&arena, list->first)->text, "1");
}

TEST(a_copy_finds_its_members_and_marks_repeated_ones)
{
    struct untorn_node *root = many_members();
    integer(root, "key7", "again");
    struct untorn_node *copy = node_copy(&arena, root);
    CHECK_INT(copy->count, MANY + 1);
    CHECK_TEXT(member_text(copy, "key7"), "again");
    CHECK_TEXT(member_text(copy, "key9999"), "1");
    CHECK(copy->last->repeated && !copy->first->repeated);
}

TEST(depth_costs_no_stack)
{
    struct untorn_node *root = array(NULL, NULL), *at = root;
    for (int i = 0; i < 300000; i++)
        at = array(at, NULL);
    struct untorn_node *copy = node_copy(&arena, root);
    CHECK(node_equal(root, copy));
    integer(at, NULL, "1");
    CHECK(!node_equal(root, copy));
}

/* ---- comparing ---- */

static bool equal_scalars(enum untorn_kind kind, const char *a, const char *b)
{
    struct untorn_node *left = add(NULL, NULL, kind, a), *right = add(NULL, NULL, kind, b);
    bool result = node_equal(left, right);
    CHECK_INT(node_equal(right, left), result);
    CHECK_INT(node_alike(left, right), result);
    return result;
}

TEST(numbers_are_equal_by_value_at_any_length)
{
    CHECK(equal_scalars(UNTORN_INTEGER, "16", "0x10"));
    CHECK(equal_scalars(UNTORN_INTEGER, "1_000", "+1000"));
    CHECK(equal_scalars(UNTORN_FLOAT, "1e2", "100.0"));
    CHECK(equal_scalars(UNTORN_FLOAT, "1e400000000", "10e399999999"));
    CHECK(equal_scalars(UNTORN_FLOAT, "inf", "+inf"));
    CHECK(equal_scalars(UNTORN_FLOAT, "nan", "-nan"));
    CHECK(equal_scalars(UNTORN_INTEGER, "123456789012345678901234567890",
                        "123456789012345678901234567890"));
    CHECK(!equal_scalars(UNTORN_INTEGER, "123456789012345678901234567890",
                         "123456789012345678901234567891"));
    CHECK(!equal_scalars(UNTORN_FLOAT, "0.1", "0.10000000000000000000000000001"));
    CHECK(!equal_scalars(UNTORN_FLOAT, "inf", "-inf"));
    CHECK(!equal_scalars(UNTORN_FLOAT, "inf", "nan"));
    CHECK(!equal_scalars(UNTORN_FLOAT, "inf", "1e999"));
    CHECK(!equal_scalars(UNTORN_INTEGER, "1", "-1"));
}

static void check_zeros(const char *one, const char *other, bool expected)
{
    struct untorn_node *left = add(NULL, NULL, UNTORN_FLOAT, one);
    struct untorn_node *right = add(NULL, NULL, UNTORN_FLOAT, other);
    CHECK_INT(node_equal(left, right), expected);
    CHECK_INT(node_equal(right, left), expected);
    CHECK(node_alike(left, right) && node_alike(right, left));
}

TEST(the_zero_of_floats_has_a_sign)
{
    check_zeros("-0.0", "0.0", false);
    check_zeros("-0e5", "+0.0", false);
    check_zeros("-0.0", "-0e1", true);
    check_zeros("+0.0", "0.00", true);
    CHECK(equal_scalars(UNTORN_INTEGER, "-0", "0"));
}

TEST(one_and_one_point_zero_are_alike_and_not_equal)
{
    struct untorn_node *whole = integer(NULL, NULL, "1"), *hex = integer(NULL, NULL, "0x10");
    struct untorn_node *point = add(NULL, NULL, UNTORN_FLOAT, "1.0");
    struct untorn_node *sixteen = add(NULL, NULL, UNTORN_FLOAT, "1.6e1");
    CHECK(node_alike(whole, point) && node_alike(point, whole) && node_alike(hex, sixteen));
    CHECK(!node_equal(whole, point) && !node_alike(whole, sixteen));
    CHECK(!node_alike(whole, add(NULL, NULL, UNTORN_STRING, "1")));
    CHECK(!node_alike(whole, add(NULL, NULL, UNTORN_BOOLEAN, "true")));
}

TEST(instants_are_equal_but_for_how_they_are_spelled)
{
    static const char *const same[][2] = {
        {"1979-05-27T07:32:00Z", "1979-05-27 07:32:00z"},
        {"1979-05-27t07:32:00Z", "1979-05-27T07:32Z"},
        {"1979-05-27T07:32:00.000Z", "1979-05-27T07:32Z"},
        {"1979-05-27T07:32:00.500-07:00", "1979-05-27T07:32:00.5-07:00"},
        {"07:32:00", "07:32"},
        {"07:32:00.0", "07:32:00.000"},
        {"1979-05-27", "1979-05-27"},
    };
    static const char *const different[][2] = {
        {"1979-05-27T07:32:00Z", "1979-05-27T07:32:00"},
        {"1979-05-27T07:32:00Z", "1979-05-27T07:32:00+00:00"},
        {"1979-05-27T07:32:00-07:00", "1979-05-27T07:32:00+07:00"},
        {"1979-05-27T07:32:00-07:00", "1979-05-27T07:32:00-07:30"},
        {"07:32:00.5", "07:32:00.05"},
        {"07:32:00.5", "07:32:00"},
        {"07:32:01", "07:32"},
        {"07:32:10", "07:32:1"},
        {"07:32:00", "07:33"},
        {"1979-05-27", "1979-05-28"},
        {"1979-05-27T10:00:00", "1979-05-27T01:00:00"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!equal_scalars(UNTORN_DATETIME, same[i][0], same[i][1]))
            CHECK_TEXT(same[i][0], same[i][1]);
    for (size_t i = 0; i < sizeof different / sizeof *different; i++)
        if (equal_scalars(UNTORN_DATETIME, different[i][0], different[i][1]))
            CHECK_TEXT(different[i][0], "another instant");
}

TEST(a_fraction_counts_to_its_last_digit)
{
    char a[300] = "07:32:00.", b[300] = "07:32:00.";
    memset(a + 9, '3', 200);
    memset(b + 9, '3', 200);
    CHECK(equal_scalars(UNTORN_TIME_LOCAL, a, b));
    b[208] = '4';
    CHECK(!equal_scalars(UNTORN_TIME_LOCAL, a, b));
}

TEST(strings_words_and_kinds_are_compared_to_the_byte)
{
    CHECK(equal_scalars(UNTORN_STRING, "a", "a"));
    CHECK(!equal_scalars(UNTORN_STRING, "a", "A"));
    CHECK(!equal_scalars(UNTORN_STRING, "1", "1.0"));
    CHECK(equal_scalars(UNTORN_BOOLEAN, "true", "true"));
    CHECK(!equal_scalars(UNTORN_BOOLEAN, "true", "false"));
    CHECK(equal_scalars(UNTORN_NULL, "null", "null"));
    struct untorn_node *a = add(NULL, NULL, UNTORN_STRING, ""),
                       *b = add(NULL, NULL, UNTORN_STRING, "");
    a->text = "a\0b";
    b->text = "a\0c";
    a->size = b->size = 3;
    CHECK(!node_equal(a, b));
    CHECK(!node_equal(add(NULL, NULL, UNTORN_DATE_LOCAL, "1979-05-27"),
                      add(NULL, NULL, UNTORN_STRING, "1979-05-27")));
    CHECK(!node_equal(object(NULL, NULL), array(NULL, NULL)));
    CHECK(!node_equal(object(NULL, NULL), add(NULL, NULL, UNTORN_NULL, "null")));
}

static bool equal_objects(const char *a, const char *b)
{
    struct untorn_node *left = object_of(a), *right = object_of(b);
    bool result = node_equal(left, right);
    CHECK_INT(node_equal(right, left), result);
    return result;
}

TEST(members_may_be_in_any_order_and_elements_may_not)
{
    CHECK(equal_objects("a=1 b=2 c=3", "c=3 a=1 b=2"));
    CHECK(!equal_objects("a=1 b=2", "a=2 b=1"));
    CHECK(!equal_objects("a=1 b=2", "a=1"));
    CHECK(!equal_objects("a=1 b=2", "a=1 c=2"));
    struct untorn_node *a = array(NULL, NULL), *b = array(NULL, NULL);
    integer(a, NULL, "1");
    integer(a, NULL, "2");
    integer(b, NULL, "2");
    integer(b, NULL, "1");
    CHECK(!node_equal(a, b));
}

TEST(repeated_keys_are_compared_one_by_one)
{
    CHECK(equal_objects("a=1 a=2", "a=1 a=2"));
    CHECK(equal_objects("a=1 b=0 a=2", "a=1 b=0 a=2"));
    CHECK(!equal_objects("a=1 a=2", "a=2 a=1"));
    CHECK(!equal_objects("a=1 a=2", "a=2 b=1"));
    CHECK(!equal_objects("b=2 b=2 a=1", "a=5 a=1 b=2"));
    CHECK(!equal_objects("a=1 b=2 b=2", "a=1 a=1 b=2"));
    CHECK(equal_objects("a=1 b=2 a=3", "b=2 a=1 a=3"));
    CHECK(equal_objects("c=1 d=2 a=3 a=4 a=5", "d=2 a=3 c=1 a=4 a=5"));
    CHECK(!equal_objects("c=1 d=2 a=3 a=4 a=5", "d=2 a=3 c=1 a=5 a=4"));
    CHECK(!equal_objects("b=2 a=1 a=3", "a=3 b=2 a=1"));
    CHECK(!equal_objects("a=1 b=2 a=3", "b=2 a=1 b=3"));
    CHECK(!equal_objects("x=1 a=1 a=1 b=1 b=1", "b=1 b=1 b=1 a=1 x=1"));
}

TEST(ten_thousand_members_in_another_order_are_equal)
{
    struct untorn_node *a = many_members(), *b = object(NULL, NULL);
    for (int i = MANY; i-- > 0;)
        integer(b, numbered("key", i), "1");
    CHECK(node_equal(a, b) && node_equal(b, a));
    node_member(b, "key77", 5)->text = "2";
    CHECK(!node_equal(a, b) && !node_equal(b, a));
}

TEST(what_is_deep_inside_is_compared_too)
{
    struct untorn_node *root[2];
    for (int i = 0; i < 2; i++) {
        root[i] = object(NULL, NULL);
        struct untorn_node *list = array(root[i], "list");
        integer(object(list, NULL), "x", "1");
        array(list, NULL);
        integer(list, NULL, i ? "2" : "1");
        integer(root[i], "after", "9");
    }
    CHECK(!node_equal(root[0], root[1]));
    root[1]->first->last->text = "1";
    CHECK(node_equal(root[0], root[1]));
    CHECK(node_equal(root[0]->first, root[1]->first)); /* what is beside them does not matter */
    root[1]->first->next->text = "8";
    CHECK(node_equal(root[0]->first, root[1]->first) && !node_equal(root[0], root[1]));
}

/* ---- changing ---- */

TEST(a_member_is_put_in_place_of_the_old_one_or_behind_all)
{
    struct untorn_node *root = object_of("a=1 b=2 c=3");
    CHECK(node_put_member(&arena, root, "b", 1, integer(NULL, NULL, "20")));
    CHECK_TEXT(keys_of(root), "a b c");
    CHECK_TEXT(member_text(root, "b"), "20");
    char key[] = "new";
    CHECK(node_put_member(&arena, root, key, 3, integer(NULL, NULL, "4")));
    key[0] = 'x';
    CHECK_TEXT(keys_of(root), "a b c new");
    CHECK(node_put_member(&arena, root, "", 0, integer(NULL, NULL, "5")));
    CHECK_TEXT(member_text(root, ""), "5");
}

TEST(an_element_is_put_before_another_or_at_the_end)
{
    struct untorn_node *root = array(NULL, NULL);
    CHECK(!node_put_element(root, 1, integer(NULL, NULL, "x")));
    CHECK(node_put_element(root, 0, integer(NULL, "gone", "b")));
    CHECK(root->first->key == NULL);
    CHECK(node_put_element(root, 0, integer(NULL, NULL, "a")));
    CHECK(node_put_element(root, 2, integer(NULL, NULL, "d")));
    CHECK(node_put_element(root, 2, integer(NULL, NULL, "c")));
    CHECK(!node_put_element(root, 5, integer(NULL, NULL, "x")));
    CHECK_TEXT(keys_of(root), "a b c d");
}

TEST(a_replacement_takes_key_and_place)
{
    struct untorn_node *root = object_of("a=1 b=2"), *list = array(NULL, NULL);
    struct untorn_node *old = root->first, *value = object(NULL, NULL);
    node_replace(old, value);
    CHECK_TEXT(keys_of(root), "a b");
    CHECK(node_member(root, "a", 1) == value && !old->parent && !old->next);
    integer(list, NULL, "1");
    node_replace(list->first, integer(NULL, NULL, "2"));
    CHECK_TEXT(keys_of(list), "2");
}

TEST(what_is_removed_is_gone_and_the_rest_stays)
{
    struct untorn_node *root = object_of("a b c");
    struct untorn_node *middle = node_member(root, "b", 1);
    node_remove(middle);
    CHECK_TEXT(keys_of(root), "a c");
    CHECK(!middle->parent && !middle->previous && !middle->next);
    node_remove(root->first);
    node_remove(root->last);
    CHECK_TEXT(keys_of(root), "");
    CHECK(node_put_member(&arena, root, "a", 1, integer(NULL, NULL, "1")));
    CHECK_TEXT(keys_of(root), "a");
}

TEST(removing_one_of_a_repeated_key_leaves_the_marks_right)
{
    struct untorn_node *root = object_of("a=1 a=2 b=3 a=4");
    node_remove(root->first);
    CHECK_TEXT(keys_of(root), "a b a*");
    node_remove(root->last);
    CHECK_TEXT(keys_of(root), "a b");
    CHECK_TEXT(member_text(root, "a"), "2");
    root = object_of("a=1 a=2 b=3");
    node_remove(node_member(root, "b", 1));
    CHECK_TEXT(keys_of(root), "a a*");
    node_replace(root->last, integer(NULL, NULL, "5"));
    CHECK_TEXT(keys_of(root), "a a*");
    CHECK_TEXT(member_text(root, "a"), "5");
}

TEST(what_is_put_back_is_where_it_was)
{
    for (int count = 3; count < 60; count += 7) {
        struct untorn_node *root = object(NULL, NULL), *members[60];
        for (int i = 0; i < count; i++) {
            char key[16];
            sprintf(key, "%d", i % (count - 1)); /* the last repeats the first */
            members[i] = integer(root, key, "1");
        }
        for (int i = 0; i < count; i++) {
            struct untorn_node *next = members[i]->next;
            node_remove(members[i]);
            node_put_back(members[i], root, next);
        }
        CHECK_INT(root->count, count);
        for (int i = 0; i < count; i++) {
            CHECK(members[i]->next == (i + 1 < count ? members[i + 1] : NULL));
            CHECK_INT(members[i]->repeated, i + 1 == count);
            struct untorn_node *found = node_member(root, members[i]->key, members[i]->key_size);
            CHECK(found == (i == 0 ? members[count - 1] : members[i]));
        }
    }
}

TEST(a_new_name_keeps_the_place)
{
    struct untorn_node *root = object_of("a=1 b=2 c=3");
    char key[] = "second";
    CHECK(node_rename(&arena, node_member(root, "b", 1), key, 6));
    key[0] = 'x';
    CHECK_TEXT(keys_of(root), "a second c");
    CHECK(node_rename(&arena, node_member(root, "second", 6), "second", 6));
    CHECK_TEXT(keys_of(root), "a second c");
    CHECK_TEXT(member_text(root, "second"), "2");
    CHECK(member_text(root, "b") == NULL);
    CHECK(node_rename(&arena, root->first, "c", 1));
    CHECK_TEXT(keys_of(root), "c second c*");
    CHECK(node_rename(&arena, root->first, "", 0));
    CHECK_TEXT(keys_of(root), " second c");
}

/* The same changes with and without an index must have the same outcome: a list that is gone
 * through says what is right. */
static void check_members(const struct untorn_node *root)
{
    size_t count = 0;
    for (const struct untorn_node *child = root->first; child; child = child->next, count++) {
        const struct untorn_node *last = NULL;
        bool earlier = false;
        for (const struct untorn_node *other = root->first; other; other = other->next) {
            if (other->key_size != child->key_size ||
                memcmp(other->key, child->key, child->key_size) != 0)
                continue;
            if (!last)
                earlier = other != child;
            last = other;
        }
        CHECK_INT(child->repeated, earlier);
        CHECK(node_member(root, child->key, child->key_size) == last);
    }
    CHECK_INT(root->count, count);
}

static struct untorn_node *pick(const struct untorn_node *root, uint64_t number)
{
    struct untorn_node *child = root->first;
    for (number %= root->count; number > 0; number--)
        child = child->next;
    return child;
}

static void change_at_random(struct untorn_node *root, int keys, uint64_t number)
{
    const char *key = numbered("k", (int)(number / 8 % (uint64_t)keys));
    switch (root->count > 2 ? number % 8 : 0) {
    case 0:
    case 1:
        integer(root, key, "1");
        break;
    case 2:
    case 3:
        CHECK(node_put_member(&arena, root, key, strlen(key), integer(NULL, NULL, "2")));
        break;
    case 4:
        node_replace(pick(root, number >> 20), integer(NULL, NULL, "3"));
        break;
    case 5:
        CHECK(node_rename(&arena, pick(root, number >> 20), key, strlen(key)));
        break;
    default:
        node_remove(pick(root, number >> 20));
        CHECK(number % 8 != 7 ||
              node_put_member(&arena, root, key, strlen(key), integer(NULL, NULL, "4")));
    }
}

TEST(after_any_changes_members_are_found_and_marked)
{
    static const int keys[] = {3, 20, 60, 400};
    uint64_t state = 42;
    for (size_t round = 0; round < sizeof keys / sizeof *keys; round++) {
        struct untorn_node *root = object(NULL, NULL);
        for (int i = 0; i < 40; i++)
            integer(root, numbered("k", i % keys[round]), "0");
        for (int i = 0; i < 1500; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            change_at_random(root, keys[round], state >> 20);
            if (i % 10 == 0)
                check_members(root);
            CHECK(member_text(root, "none") == NULL);
        }
    }
}

/* All of one key, so that the index is small; then each gets a key of its own. */
TEST(an_index_that_gets_too_small_does_no_harm)
{
    struct untorn_node *root = object(NULL, NULL);
    for (int i = 0; i < 500; i++)
        integer(root, "same", "1");
    for (int i = 0; i < 500; i++)
        CHECK(node_rename(&arena, node_member(root, "same", 4), numbered("k", i),
                          strlen(numbered("k", i))));
    check_members(root);
    CHECK(member_text(root, "same") == NULL);
}

TEST(ten_thousand_members_are_removed_and_added_in_no_time)
{
    struct untorn_node *root = many_members();
    for (int i = 0; i < MANY; i++) {
        const char *key = numbered("key", i);
        node_remove(node_member(root, key, strlen(key)));
        CHECK(node_put_member(&arena, root, key, strlen(key), integer(NULL, NULL, "2")));
        CHECK(node_rename(&arena, root->last, key, strlen(key)));
        node_replace(root->last, integer(NULL, NULL, "3"));
    }
    CHECK_INT(root->count, MANY);
    CHECK_TEXT(member_text(root, "key0"), "3");
    CHECK_TEXT(member_text(root, "key9999"), "3");
}

/* ---- no memory ---- */

static bool build_and_change(void)
{
    struct arena own = {0};
    bool all = true;
    struct untorn_node *root = node_add(&own, NULL, NULL, 0, UNTORN_OBJECT), *copy = NULL;
    all &= root != NULL;
    for (int i = 0; i < 400 && all; i++) {
        const char *key = arena_copy(&own, numbered("key", i), strlen(numbered("key", i)));
        struct untorn_node *node =
            key ? node_add(&own, root, key, strlen(key), UNTORN_STRING) : NULL;
        all &= node != NULL;
        if (node)
            node->text = "";
    }
    for (int i = 0; i < 400 && all; i++)
        all &= node_rename(&own, root->first, "another key, long enough", 24);
    for (int i = 0; i < 400 && all; i++) {
        struct untorn_node *value = node_add(&own, NULL, NULL, 0, UNTORN_NULL);
        all &= value &&
               node_put_member(&own, root, numbered("more", i), strlen(numbered("more", i)), value);
    }
    copy = all ? node_copy(&own, root) : NULL;
    CHECK(!copy || node_equal(copy, root));
    arena_free(&own);
    return copy != NULL;
}

TEST(for_want_of_memory_all_say_so_and_nothing_is_lost)
{
    CHECK(heap_walk(build_and_change) > 3);
}

/* Nodes with an empty key and text, whose copies take no bytes but the NUL. */
static size_t taken_before; /* so that each piece in turn is the first of a new block */

static bool copy_empty_keys(void)
{
    struct arena own = {0};
    if (!arena_take(&own, taken_before))
        return false;
    struct untorn_node *copy = NULL;
    static struct untorn_node root, children[300];
    root = (struct untorn_node){.kind = UNTORN_ARRAY};
    for (int i = 0; i < 300; i++) {
        children[i] =
            (struct untorn_node){.kind = UNTORN_STRING, .key = "", .text = "", .parent = &root};
        *(i > 0 ? &children[i - 1].next : &root.first) = &children[i];
    }
    root.count = 300;
    copy = node_copy(&own, &root);
    for (const struct untorn_node *child = copy ? copy->first : NULL; child; child = child->next)
        CHECK(child->key && child->text);
    arena_free(&own);
    return copy != NULL;
}

TEST(an_empty_text_is_copied_or_the_copy_fails)
{
    for (taken_before = 0; taken_before < 512; taken_before += 16)
        CHECK(heap_walk(copy_empty_keys) > 1);
}

TEST(what_was_cut_stands_for_others_or_is_a_part)
{
    struct untorn_node *root = array(NULL, NULL), *number = integer(root, NULL, "1");
    struct untorn_node *text = add(root, NULL, UNTORN_STRING, "x"), *list = array(root, NULL);
    CHECK(!node_is_cut(root) && !node_stands_for_others(number));
    number->cut = text->cut = list->cut = true;
    CHECK(node_stands_for_others(number));
    CHECK(!node_stands_for_others(text) && !node_stands_for_others(list));
    CHECK(node_is_cut(root) && node_is_cut(list));
    arena_free(&arena);
}

TEST(a_node_stands_where_its_key_does_or_itself_or_its_first_member)
{
    struct untorn_node *root = object(NULL, NULL), *table = object(root, "t");
    struct untorn_node *list = array(table, "l"), *one = integer(list, NULL, "1");
    CHECK(!node_place(root));
    one->raw = "1";
    CHECK_TEXT(node_place(root), "1");
    CHECK_TEXT(node_place(one), "1");
    list->raw = "[1]";
    CHECK_TEXT(node_place(table), "[1]");
    list->key_raw = "l = [1]";
    CHECK_TEXT(node_place(list), "l = [1]");
    root->key_raw = "all"; /* a root has no key: that is where its text begins */
    CHECK_TEXT(node_place(root), "l = [1]");
    arena_free(&arena);
}
