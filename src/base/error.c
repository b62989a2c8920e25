#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/codes.h"

/* What the header tells the analyzer is about calls. */
#undef error_fail
#undef error_os
#undef error_unsettled
#undef error_unfinished

/* A path longer than the field keeps its beginning and, more telling, its end. */
static void copy_path(char *field, const char *path)
{
    size_t size = strlen(path), half = UNTORN_PATH_SIZE / 2;
    if (size < UNTORN_PATH_SIZE) {
        memcpy(field, path, size + 1);
        return;
    }
    memcpy(field, path, half - 3);
    memcpy(field + half - 3, "...", 3);
    memcpy(field + half, path + size - (half - 1), half);
}

struct untorn_error *error_begin(struct untorn_error *reterr, struct untorn_error *local,
                                 const char *path)
{
    struct untorn_error *error = reterr ? reterr : local;
    error->status = UNTORN_OK;
    error->os_error = 0;
    error->step = NULL;
    error->flags = 0;
    error->position = UNTORN_NO_POSITION;
    error->detail[0] = '\0';
    copy_path(error->path, path ? path : "");
    return error;
}

void error_name(struct untorn_error *error, const char *path)
{
    copy_path(error->path, path);
}

int error_fail(struct untorn_error *error, enum untorn_status status, const char *step)
{
    error->status = status;
    error->os_error = 0;
    error->step = step;
    return -(int)status;
}

int error_os(struct untorn_error *error, int64_t os_result, const char *step)
{
    int rc = error_fail(error, error_status_of(os_result), step);
    error->os_error = (int)-os_result;
    return rc;
}

int error_unsettled(struct untorn_error *error, enum untorn_status status, int os_result,
                    const char *step)
{
    error->status = status;
    error->os_error = -os_result;
    error->step = step;
    return (int)status;
}

int error_unfinished(struct untorn_error *error)
{
    int os_error = error->os_error;
    int rc = error_fail(error, UNTORN_UNFINISHED, error->step);
    error->os_error = os_error;
    return rc;
}

void error_detail(struct untorn_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->detail, sizeof error->detail, format, arguments);
    va_end(arguments);
}

enum untorn_status error_status_of(int64_t os_result)
{
    switch (-os_result) {
    case ENOENT:
    case ENOTDIR:
        return UNTORN_MISSING;
    case EISDIR:
        return UNTORN_NOT_A_FILE;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return UNTORN_NO_SPACE;
    case EACCES:
    case EPERM:
        return UNTORN_DENIED;
    case EROFS:
        return UNTORN_READ_ONLY;
    case EIO:
        return UNTORN_IO;
    case ELOOP:
        return UNTORN_LINK_LOOP;
    case ENAMETOOLONG:
        return UNTORN_NAME;
    case ESTALE: /* shorter than it was a moment ago */
        return UNTORN_RESTLESS;
    case EMLINK: /* a file of ours with a second name, see io_open_own */
        return UNTORN_UNTRUSTED;
    case ENOMEM:
        return UNTORN_NO_MEMORY;
    case EEXIST:
        return UNTORN_EXISTS;
    default:
        return UNTORN_FAILED;
    }
}

/* Of those that the C library of Windows has no words for. */
static const struct {
    int os_error;
    const char *text;
} sentences[] = {
    {ETXTBSY, "Another program has it open"},
    {EWOULDBLOCK, "Another program holds it locked"},
    {ELOOP, "Too many levels of symbolic links"},
    {ESTALE, "It changed while it was read"},
    {EDQUOT, "Disk quota exceeded"},
    {ENOTSUP, "Operation not supported"},
    {EOVERFLOW, "Value too large"},
};

const char *error_os_text(int os_error)
{
    static const char unknown[] = "Unknown error";
    const char *text = strerror(os_error);
    if (text && strncmp(text, unknown, sizeof unknown - 1) != 0)
        return text;
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (sentences[i].os_error == os_error)
            return sentences[i].text;
    return text ? text : unknown;
}

static const char *advice(const struct untorn_error *error)
{
    if (error->status == UNTORN_FAILED && error->os_error == EMFILE)
        return "allow more open files with ulimit -n; the old content stays";
    if (error->status == UNTORN_FAILED && error->os_error == ETXTBSY)
        return "another program has the file open and keeps others out; close it there and try "
               "again; the old content stays";
    if (error->status == UNTORN_NO_STATE && error->os_error == EROFS)
        return "make the file system writable; if only the directory is read-only and the file is "
               "not, name a folder for it with --state-dir or UNTORN_STATE_DIR";
    switch (error->status) {
    case UNTORN_NOT_A_FILE:
        return "name a regular file";
    case UNTORN_CHANGED:
        return "read it again and decide anew; the file is unchanged";
    case UNTORN_EXISTS:
        return "the file is unchanged";
    case UNTORN_LOCKED:
        return "wait longer with --wait, or see untorn who";
    case UNTORN_NO_SPACE:
        return "free some space; the old content stays";
    case UNTORN_DENIED:
    case UNTORN_READ_ONLY:
    case UNTORN_IO:
    case UNTORN_NO_MEMORY:
    case UNTORN_FAILED:
    case UNTORN_REFUSED:
    case UNTORN_RESTLESS:
        return "the old content stays";
    case UNTORN_LINK_LOOP:
        return "see where the links lead with namei or ls -l";
    case UNTORN_LINK_REFUSED:
        return "name the real file, or allow links";
    case UNTORN_NO_STATE:
        return "name a folder for it with --state-dir or UNTORN_STATE_DIR, the same for every "
               "program that works on this file";
    case UNTORN_UNTRUSTED:
        return "look at it, and remove it if it is not yours";
    case UNTORN_NEWER_FORMAT:
        return "use that version or a later one here";
    case UNTORN_DEADLOCK:
        return "take the exclusive lock from the start";
    case UNTORN_UNSETTLED_FLUSH:
        return "do not rely on it across a power loss; save again once the disk is well";
    case UNTORN_MIXED:
        return "restore the files of one moment, or save all of them again";
    case UNTORN_UNSETTLED_IN_PLACE:
    case UNTORN_UNSETTLED_SET:
        return "repair the cause, then run untorn check --repair or save again";
    case UNTORN_UNFINISHED:
        return "repair the cause, then run untorn check --repair or try again; nothing of this "
               "call was done";
    case UNTORN_UNSETTLED_COMBINED:
        return "look at the file, and say it again if it is not there";
    default:
        return NULL;
    }
}

/* Whether the system's own words say more than the status does. */
static bool adds_to_status(const struct untorn_error *error)
{
    switch (error->status) {
    case UNTORN_REFUSED: /* the number is the caller's */
    case UNTORN_MISSING:
    case UNTORN_EXISTS:
    case UNTORN_NO_SPACE:
    case UNTORN_NO_MEMORY:
    case UNTORN_READ_ONLY:
    case UNTORN_LINK_LOOP:
        return false;
    default:
        return error->os_error > 0;
    }
}

const char *untorn_describe(const struct untorn_error *error, char *text, size_t size)
{
    const char *cause = adds_to_status(error) ? error_os_text(error->os_error) : NULL;
    const char *hint = advice(error), *excerpt = strchr(error->detail, '\n');
    size_t used = 0;
    if (size == 0)
        return text;
    text[0] = '\0';
#define ADD(...)                                                                                   \
    do {                                                                                           \
        int n = used < size ? snprintf(text + used, size - used, __VA_ARGS__) : 0;                 \
        used += n > 0 ? (size_t)n : 0;                                                             \
    } while (0)
    ADD("%s%s%s", error->path, error->path[0] ? ": " : "", untorn_status_text(error->status));
    if (error->step)
        ADD(", %s", error->step);
    if (error->detail[0])
        ADD(": %.*s", (int)strcspn(error->detail, "\n"), error->detail);
    if (cause)
        ADD(" [%s]", cause);
    if (error->position != UNTORN_NO_POSITION && !excerpt)
        ADD(" at byte %llu", (unsigned long long)error->position);
    if (hint)
        ADD(" (%s)", hint);
    if (excerpt)
        ADD("%s", excerpt);
#undef ADD
    return text;
}

struct flag_row {
    unsigned flag;
    const char *word;
    const char *text;
};

#define FLAG_ROW(name, bit, word, text) {1u << (bit), word, text},
static const struct flag_row flag_rows[] = {UNTORN_FLAG_LIST(FLAG_ROW)};

static const struct flag_row *find_flag(unsigned flag)
{
    for (size_t i = 0; i < sizeof flag_rows / sizeof *flag_rows; i++)
        if (flag_rows[i].flag == flag)
            return &flag_rows[i];
    return NULL;
}

const char *untorn_flag_word(unsigned flag)
{
    const struct flag_row *row = find_flag(flag);
    return row ? row->word : NULL;
}

const char *untorn_flag_text(unsigned flag)
{
    const struct flag_row *row = find_flag(flag);
    return row ? row->text : NULL;
}
