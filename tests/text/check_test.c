/* Whether a text is a document: the same answer as from making a tree of it, with the same words.
 */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include <untorn/document.h>

static struct untorn_error checked, parsed;

static int check(const char *text, enum untorn_format format)
{
    struct untorn_document *document;
    int rc = untorn_document_check(text, strlen(text), format, &checked);
    CHECK_INT(untorn_document_parse(text, strlen(text), format, &document, &parsed), rc);
    CHECK_INT(checked.status, parsed.status);
    CHECK_INT(checked.position, parsed.position);
    CHECK_TEXT(checked.detail, parsed.detail);
    untorn_document_free(document);
    CHECK_INT(untorn_document_check(text, strlen(text), format, NULL), rc);
    return rc;
}

TEST(documents_are_told_from_texts_that_are_none)
{
    CHECK_INT(check("{\"a\": [1, 2]}", UNTORN_JSON), 0);
    CHECK_INT(check("{\"a\": [1, 2,]}", UNTORN_JSON), -UNTORN_DAMAGED);
    CHECK_INT(check("{\"a\": [1, 2,]} // end", UNTORN_JSONC), 0);
    CHECK_INT(check("", UNTORN_JSON), -UNTORN_DAMAGED);
    CHECK_INT(check("", UNTORN_TOML), 0);
    CHECK_INT(check("a = 1\n[b]\nc = [1, 2]\n", UNTORN_TOML), 0);
    CHECK_INT(check("a = 1\na = 2\n", UNTORN_TOML), -UNTORN_DAMAGED);
    CHECK_INT(check("a = {b = 1,}\n", UNTORN_TOML), 0);
    CHECK_INT(check("a = {b = 1,}\n", UNTORN_TOML_1_0), -UNTORN_DAMAGED);
    CHECK_INT(check("a = 1\n", UNTORN_FORMAT_UNKNOWN), -UNTORN_UNKNOWN_FORMAT);
}

/* What is forgotten of an element when the next begins can not be named again. */
TEST(keys_of_one_element_do_not_meet_those_of_the_next)
{
    static const struct {
        const char *text;
        int rc;
    } cases[] = {
        {"[[p]]\na = 1\n[[p]]\na = 2\n[[p]]\na = 3\n", 0},
        {"[[p]]\na = 1\n[[p]]\na = 2\na = 3\n", -UNTORN_DAMAGED},
        {"[[p]]\n[p.s]\nx = 1\n[[p]]\n[p.s]\nx = 2\n", 0},
        {"[[p]]\n[p.s]\nx = 1\n[p.s]\n", -UNTORN_DAMAGED},
        {"[[p]]\na = 1\n[q]\nb = 1\n[[p]]\na = 2\n[q]\n", -UNTORN_DAMAGED},
        {"[[p]]\na = 1\n[q]\nb = 1\n[[p]]\na = 2\n[r]\n[q.s]\n", 0},
        {"[[p]]\n[[p.q]]\na = 1\n[[p.q]]\na = 2\n[[p]]\n[[p.q]]\na = 3\n", 0},
        {"[[p]]\n[[p.q]]\na = 1\n[p.q]\n", -UNTORN_DAMAGED},
        {"[[p]]\n[[p.q]]\na = 1\n[[p]]\nq = 1\n[[p.q]]\n", -UNTORN_DAMAGED},
        {"[[a]]\nx = 1\n[[b]]\nx = 1\n[[a]]\nx = 2\n[[b]]\nx = 2\n[a.x]\n", -UNTORN_DAMAGED},
        {"[[a.b]]\n[a.c]\n[[a.b]]\n[a.c]\n", -UNTORN_DAMAGED},
        {"[[p]]\n\"\\u0061\" = 1\na = 2\n", -UNTORN_DAMAGED},
        {"[[p]]\n\"\\u0061\" = 1\n[[p]]\na = 2\n", 0},
        {"x = [1, [2, \"\\u0041\"], {a = 1, b = [1]}, 3]\n", 0},
        {"x = [1, {a = 1, a = 2}]\n", -UNTORN_DAMAGED},
        {"x = [1 2]\n", -UNTORN_DAMAGED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(check(cases[i].text, UNTORN_TOML), cases[i].rc);
}

/* Far more than an arena begins with. */
TEST(many_elements_are_checked_in_little_memory)
{
    static char text[600000];
    size_t size = 0;
    for (int i = 0; i < 10000; i++)
        size += (size_t)sprintf(text + size, "[[package]]\nname = \"p%d\"\nlist = [1, 2]\n", i);
    CHECK_INT(check(text, UNTORN_TOML), 0);
    strcpy(text + size, "name = 2\n");
    CHECK_INT(check(text, UNTORN_TOML), -UNTORN_DAMAGED);
}
