/* Edits of a text, in one line each.
 *
 *     CHECK_TEXT(EDIT(UNTORN_JSON, "{\"a\": 1}", SET("a", "2")), "{\"a\": 2}");
 *     CHECK_TEXT(EDIT(UNTORN_JSON, "{\"a\": 1}", UNSET("b")), "NO_KEY");
 *
 * The result is the new text, or the name of the status; `error` says more about that.
 */
#ifndef UNTORN_TESTS_TEXT_EDITS_H
#define UNTORN_TESTS_TEXT_EDITS_H

#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "text/document.h"

#define SET(key_, value_)                                                                          \
    {                                                                                              \
        .kind = UNTORN_SET, .key = key_, .value = value_, .value_size = sizeof value_ - 1          \
    }
#define SET_AS(syntax_, key_, value_)                                                              \
    {                                                                                              \
        .kind = UNTORN_SET, .key = key_, .value = value_, .value_size = sizeof value_ - 1,         \
        .syntax = syntax_                                                                          \
    }
#define SET_STRING(key_, value_) SET_AS(UNTORN_AS_STRING, key_, value_)
#define SET_JSON(key_, value_) SET_AS(UNTORN_AS_JSON, key_, value_)
#define SET_TOML(key_, value_) SET_AS(UNTORN_AS_TOML, key_, value_)
#define UNSET(key_)                                                                                \
    {                                                                                              \
        .kind = UNTORN_UNSET, .key = key_                                                          \
    }
#define INSERT(key_, value_)                                                                       \
    {                                                                                              \
        .kind = UNTORN_INSERT, .key = key_, .value = value_, .value_size = sizeof value_ - 1       \
    }
#define RENAME(key_, value_)                                                                       \
    {                                                                                              \
        .kind = UNTORN_RENAME, .key = key_, .value = value_, .value_size = sizeof value_ - 1       \
    }
#define MERGE(value_)                                                                              \
    {                                                                                              \
        .kind = UNTORN_MERGE_PATCH, .value = value_, .value_size = sizeof value_ - 1               \
    }
#define PATCH(value_)                                                                              \
    {                                                                                              \
        .kind = UNTORN_JSON_PATCH, .value = value_, .value_size = sizeof value_ - 1                \
    }

#define EDITS(...)                                                                                 \
    (const struct untorn_edit[])                                                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define EDIT_COUNT(...) (sizeof(EDITS(__VA_ARGS__)) / sizeof(struct untorn_edit))
#define EDIT(format_, text_, ...)                                                                  \
    edited(format_, text_, sizeof text_ - 1, EDITS(__VA_ARGS__), EDIT_COUNT(__VA_ARGS__))
#define JSON(text_, ...) EDIT(UNTORN_JSON, text_, __VA_ARGS__)
#define JSONC(text_, ...) EDIT(UNTORN_JSONC, text_, __VA_ARGS__)
#define TOML(text_, ...) EDIT(UNTORN_TOML, text_, __VA_ARGS__)

static struct untorn_error error;

/* Borrowed until the next call. */
static inline const char *edited(enum untorn_format format, const char *text, size_t size,
                                 const struct untorn_edit *edits, size_t count)
{
    static char *result;
    size_t result_size;
    free(result);
    error_begin(&error, NULL, NULL);
    int rc = document_edit(text, size, format, edits, count, &result, &result_size, &error);
    CHECK_INT(error.status, -rc);
    if (rc != 0) {
        CHECK(!result);
        return untorn_status_name(rc);
    }
    CHECK_INT(strlen(result), result_size);
    return result;
}

static inline bool detail_says(const char *text)
{
    return strstr(error.detail, text) != NULL;
}

#endif
