/* Three files in two directories, a/ and b/, of which a/ becomes the coordinator, and what is done
 * to them.
 *
 *     begin_apart();
 *     die_at(apart, CALL_RENAME, "b/y", 1);
 *     CHECK_INT(touch("a/x"), 0);
 */
#ifndef UNTORN_TESTS_TXN_APART_H
#define UNTORN_TESTS_TXN_APART_H

#include "leave.h"
#include "txn/commits.h"

static struct untorn_error error;

static const struct step apart[] = {
    PUT("a/x", "new x"), PUT("b/y", "new y"), PUT("b/z", "new z"), {0}};

static inline void begin_apart(void)
{
    make_dir("a", 0755);
    make_dir("b", 0755);
    put("a/x", "old x");
    put("b/y", "old y");
    put("b/z", "old z");
}

static inline void begin_again(void)
{
    if (exists("a")) {
        remove_tree("a");
        remove_tree("b");
    }
    begin_apart();
}

/* What any next call does. */
static inline int touch(const char *path)
{
    return untorn_update(path, leave, NULL, NULL, &error);
}

static inline const char *text_read(const char *path)
{
    static char text[64];
    struct untorn_content content;
    CHECK_INT(untorn_read(path, NULL, &content, &error), 0);
    snprintf(text, sizeof text, "%s", content.data);
    untorn_content_free(&content);
    return text;
}

/* File by file: the slot is a copy, in the same folder. */
static inline void restore_slot(const char *directory)
{
    CHECK_INT(chdir(directory), 0);
    CHECK_INT(system("cp -p .untorn/journal/slot s && mv s .untorn/journal/slot"), 0);
    CHECK_INT(chdir(".."), 0);
}

#endif
