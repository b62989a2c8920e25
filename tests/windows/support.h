/* Saving and loading texts, for the tests of this folder. */
#ifndef UNTORN_TESTS_WINDOWS_SUPPORT_H
#define UNTORN_TESTS_WINDOWS_SUPPORT_H

#include <stdio.h>
#include <string.h>

#include <untorn.h>

static struct untorn_error error;

static inline int save(const char *path, const char *text)
{
    return untorn_write(path, text, strlen(text), NULL, &error);
}

static inline int load(const char *path, char *text, size_t room)
{
    struct untorn_content content;
    int rc = untorn_read(path, NULL, &content, &error);
    if (rc == 0)
        snprintf(text, room, "%s", content.data);
    untorn_content_free(&content);
    return rc;
}

#endif
