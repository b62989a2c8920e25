/* What file/upward.h asks: whether a file that is about to be replaced is a document that does not
 * parse. It is asked in every replace, so it holds no more of the file than it must. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <untorn/document.h>

#include "file/io.h"
#include "file/upward.h"
#include "text/format.h"
#include "text/json_scan.h"

enum { WINDOW = 64 * 1024 }; /* larger ones come from the system page by page, each time anew */

/* A file, read into a buffer that moves along it. */
struct window {
    os_fd file;
    uint64_t size; /* of the file */
    char *data;
    size_t room, filled;
    uint64_t base; /* the offset of data[0] */
    bool ended;
};

/* Drops what lies before `keep`, and fills up. 0, -ENOMEM, or below 0: it cannot be read. */
static int advance(struct window *window, uint64_t keep)
{
    size_t used = (size_t)(keep - window->base);
    memmove(window->data, window->data + used, window->filled - used);
    window->filled -= used;
    window->base = keep;
    if (window->filled == window->room) { /* one number fills it */
        char *larger = realloc(window->data, 2 * window->room);
        if (!larger)
            return -ENOMEM;
        window->data = larger;
        window->room *= 2;
    }
    int64_t n = io_read(window->file, window->data + window->filled, window->room - window->filled,
                        window->base + window->filled);
    if (n > 0)
        window->filled += (size_t)n;
    window->ended = n == 0 || window->base + window->filled >= window->size;
    return n < 0 ? (int)n : 0;
}

/* Those that judge return as upward_is_damaged does. */

/* What cannot be read cannot be kept either: it counts as whole. */
static int judge_unread(int rc)
{
    return rc == -ENOMEM ? rc : 0;
}

static int judge_json(struct window *window, enum untorn_format format)
{
    struct json_scanner scanner;
    enum json_token token = JSON_MORE;
    json_scan_begin(&scanner, format);
    scanner.skips = true;
    scanner.keep = 0;
    while (token == JSON_MORE) {
        int rc = advance(window, scanner.keep);
        if (rc < 0)
            return judge_unread(rc);
        json_scan_feed(&scanner, window->data, window->filled, window->ended);
        token = json_scan_rest(&scanner);
    }
    return token != JSON_DONE;
}

static int judge_toml(struct window *window, enum untorn_format format)
{
    int rc = advance(window, 0);
    if (rc < 0)
        return judge_unread(rc);
    rc = untorn_document_check(window->data, window->filled, format, NULL);
    return rc == -UNTORN_NO_MEMORY ? -ENOMEM : rc != 0;
}

static int judge_all(os_fd file, uint64_t size, enum untorn_format format)
{
    bool toml = format_is_toml(format);
    struct window window = {.file = file, .size = size};
    window.room = size < WINDOW || toml ? (size_t)size : WINDOW;
    window.data = malloc(window.room);
    int rc = !window.data ? -ENOMEM
             : toml       ? judge_toml(&window, format)
                          : judge_json(&window, format);
    free(window.data);
    return rc;
}

/* ---- what is too large to be scanned ---- */

enum { END = 64 * 1024 };

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* JSON ends with a bracket, but for a scalar as large as that. */
static bool closes(const char *data, size_t size)
{
    while (size > 0 && is_blank(data[size - 1]))
        size--;
    return size == 0 || data[size - 1] == '}' || data[size - 1] == ']' || data[size - 1] == '"';
}

static int judge_ends(os_fd file, uint64_t size, enum untorn_format format)
{
    char *data = malloc(END);
    bool whole = true;
    if (!data)
        return -ENOMEM;
    for (int i = 0; whole && i < 2; i++) {
        int64_t n = io_read(file, data, END, i == 0 ? 0 : size - END);
        whole = n <= 0 || !memchr(data, '\0', (size_t)n);
        if (whole && n > 0 && i == 1 && format == UNTORN_JSON)
            whole = closes(data, (size_t)n);
    }
    free(data);
    return !whole;
}

/* ---- the question ---- */

/* By the name that the caller gave; else by the one that a link led to. */
static enum untorn_format format_of(const struct target *target)
{
    enum untorn_format format = untorn_format_of_path(target->path);
    return format ? format : untorn_format_of_path(target->place.name);
}

/* In some folders .json files have comments: the name that was given may not tell the folder. */
static bool may_have_comments(const struct target *target)
{
    char path[LIMIT_PATH + LIMIT_NAME + 2];
    if (os_dir_path(target->place.dir, path, LIMIT_PATH) < 0)
        return false;
    size_t used = strlen(path);
    snprintf(path + used, sizeof path - used, "/%s", target->place.name);
    return untorn_format_of_path(path) == UNTORN_JSONC;
}

int upward_is_damaged(const struct target *target, uint64_t size)
{
    enum untorn_format format = format_of(target);
    if (!format)
        return 0;
    int (*judge)(os_fd, uint64_t, enum untorn_format) =
        size > LIMIT_SCANNED ? judge_ends : judge_all;
    int rc = judge(target->hold, size, format);
    if (rc <= 0 || format != UNTORN_JSON || !may_have_comments(target))
        return rc;
    return judge(target->hold, size, UNTORN_JSONC);
}
