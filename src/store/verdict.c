/* untorn/verdict.h: what is wrong with a file, in a word and a sentence; and the last version that
 * was whole. */
#include <untorn/verdict.h>

#include <stdio.h>
#include <string.h>

#include <untorn/history.h>

#include "base/error.h"
#include "base/limits.h"
#include "text/format.h"
#include "text/place.h"

const char *untorn_verdict_word(enum untorn_verdict verdict)
{
    static const char *const words[] = {"whole", "missing", "empty", "nul", "truncated", "syntax"};
    size_t index = (size_t)verdict;
    return index < sizeof words / sizeof *words ? words[index] : "unknown";
}

/* As a sentence says it. */
static const char *format_word(enum untorn_format format)
{
    switch (format) {
    case UNTORN_JSON:
        return "JSON";
    case UNTORN_JSONC:
        return "JSONC";
    case UNTORN_TOML_1_0:
        return "TOML 1.0";
    default:
        return "TOML";
    }
}

static enum untorn_verdict damaged(enum untorn_verdict verdict, struct untorn_error *error)
{
    error_fail(error, UNTORN_DAMAGED, NULL);
    return verdict;
}

static enum untorn_verdict judge_nul(const char *data, const char *nul, struct untorn_error *error)
{
    error->position = (uint64_t)(nul - data);
    error_detail(error, "nul: as a crash leaves it where data was not written, a NUL byte");
    return damaged(UNTORN_NUL, error);
}

/* Of no known format: anything may be in it, but nothing is made of NUL bytes alone. */
static enum untorn_verdict judge_bytes(const char *data, size_t size, struct untorn_error *error)
{
    bool all_nul = size > 0 && data[0] == '\0' && memcmp(data, data + 1, size - 1) == 0;
    return all_nul ? judge_nul(data, data, error) : UNTORN_WHOLE;
}

/* `flaw` is from the scanner: the place, what is wrong there, and below it the place shown. */
static enum untorn_verdict judge_flaw(const char *data, size_t size, enum untorn_format format,
                                      const struct untorn_error *flaw, struct untorn_error *error)
{
    bool at_end = flaw->position >= size;
    int length = (int)strcspn(flaw->detail, "\n");
    error->position = flaw->position;
    error_detail(error,
                 at_end ? "truncated: the %s stops early, at %.*s" : "syntax: not %s at %.*s",
                 format_word(format), length, flaw->detail);
    size_t used = strlen(error->detail);
    if (flaw->detail[length] && used + 1 < sizeof error->detail) {
        error->detail[used++] = '\n';
        text_excerpt(data, size, flaw->position, error->detail + used, sizeof error->detail - used);
        if (!error->detail[used])
            error->detail[used - 1] = '\0';
    }
    return damaged(at_end ? UNTORN_TRUNCATED : UNTORN_SYNTAX, error);
}

static enum untorn_verdict judge(const char *data, size_t size, enum untorn_format format,
                                 struct untorn_error *error)
{
    struct untorn_error flaw;
    const char *nul = size > 0 ? memchr(data, '\0', size) : NULL;
    if (!format_is_known(format))
        return judge_bytes(data, size, error);
    if (size == 0 && !format_is_toml(format)) {
        error_detail(error, "empty: no byte, where %s has at least one value", format_word(format));
        return damaged(UNTORN_EMPTY, error);
    }
    if (nul)
        return judge_nul(data, nul, error);
    int rc = untorn_document_check(size > 0 ? data : "", size, format, &flaw);
    if (flaw.status == UNTORN_DAMAGED)
        return judge_flaw(data, size, format, &flaw, error);
    if (rc != 0)
        error_fail(error, (enum untorn_status)flaw.status, "judge it");
    return UNTORN_WHOLE;
}

enum untorn_verdict untorn_judge(const void *data, size_t size, enum untorn_format format,
                                 struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, NULL);
    return judge(data, size, format, error);
}

int untorn_read_judged(const char *path, enum untorn_format format,
                       const struct untorn_options *options, struct untorn_content *ret_content,
                       enum untorn_verdict *ret_verdict, struct untorn_error *reterr)
{
    struct untorn_error local, *error = error_begin(reterr, &local, path);
    *ret_verdict = UNTORN_VERDICT_MISSING;
    int rc = untorn_read(path, options, ret_content, error);
    if (rc != 0)
        return rc == -UNTORN_MISSING ? 0 : rc;
    if (!format)
        format = untorn_format_of_path(path);
    *ret_verdict = judge(ret_content->data, ret_content->size, format, error);
    if (*ret_verdict != UNTORN_WHOLE || error->status == UNTORN_OK)
        return 0;
    untorn_content_free(ret_content);
    return -error->status;
}

/* The newest version that is whole; 0 if there is none. One that was changed after it was kept, or
 * cannot be read, is passed over. */
static unsigned find_whole_version(const char *path, enum untorn_format format,
                                   const struct untorn_options *options,
                                   struct untorn_content *ret_content)
{
    struct untorn_error unseen;
    for (unsigned number = 1; number <= LIMIT_LISTING; number++) {
        int rc = untorn_version_read(path, number, options, ret_content, &unseen);
        if (rc == -UNTORN_NO_VERSION || rc == -UNTORN_MISSING)
            return 0;
        if (rc != 0)
            continue;
        error_begin(&unseen, NULL, NULL);
        if (judge(ret_content->data, ret_content->size, format, &unseen) == UNTORN_WHOLE &&
            unseen.status == UNTORN_OK)
            return number;
        untorn_content_free(ret_content);
    }
    return 0;
}

int untorn_read_last_good(const char *path, enum untorn_format format,
                          const struct untorn_options *options, struct untorn_content *ret_content,
                          unsigned *ret_version, struct untorn_error *reterr)
{
    struct untorn_error local, *error = reterr ? reterr : &local;
    enum untorn_verdict verdict;
    *ret_version = 0;
    int rc = untorn_read_judged(path, format, options, ret_content, &verdict, error);
    if (rc != 0 || verdict == UNTORN_WHOLE)
        return rc;
    untorn_content_free(ret_content);
    if (!format)
        format = untorn_format_of_path(path);
    *ret_version = find_whole_version(path, format, options, ret_content);
    if (*ret_version == 0)
        return -error->status;
    error->status = UNTORN_OK; /* what is wrong with the file stays in its detail */
    error->flags |= UNTORN_FLAG_LAST_GOOD;
    return 0;
}
