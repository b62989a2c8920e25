/* Filling the caller's struct untorn_error.
 *
 * A public function begins with error_begin, which also supplies a struct where the caller gave
 * none, and every failing step returns through one of the three makers below, so that the return
 * value and the struct can never disagree.
 */
#ifndef UNTORN_BASE_ERROR_H
#define UNTORN_BASE_ERROR_H

#include <untorn/error.h>

#include "base/printf_like.h"

/* Returns `reterr`, or `local` where that is NULL, cleared and naming `path`. */
struct untorn_error *error_begin(struct untorn_error *reterr, struct untorn_error *local,
                                 const char *path);

/* Names another path; all else stays. */
void error_name(struct untorn_error *error, const char *path);

/* Failed, the old content stays. Returns -status. `step` is static text or NULL. */
int error_fail(struct untorn_error *error, enum untorn_status status, const char *step);

/* The same for a negative errno value from the seam; the status follows from it. */
int error_os(struct untorn_error *error, int64_t os_result, const char *step);

/* Not settled. Returns +status. `os_result` is a negative errno value or 0. */
int error_unsettled(struct untorn_error *error, enum untorn_status status, int os_result,
                    const char *step);

/* What was not settled is an earlier call's: of this one nothing has begun, and it fails. Returns
 * -UNTORN_UNFINISHED; the cause stays. */
int error_unfinished(struct untorn_error *error);

/* Adds to the sentence: who, where, how many. printf-like. */
void error_detail(struct untorn_error *error, const char *format, ...) PRINTF_LIKE(2, 3);

/* What an errno value means, also where the system's library does not know. */
const char *error_os_text(int os_error);

/* The status that a negative errno value stands for; never UNTORN_OK. */
enum untorn_status error_status_of(int64_t os_result);

/* The analyzer looks neither into other sources nor into functions like printf, and would follow a
 * failure into what comes after success: it is told the sign of what the makers return, and by
 * ERROR_NEGATIVE of those that a source has of its own. None of this is compiled. */
#ifdef __clang_analyzer__
static inline int error_negative(int rc)
{
    __builtin_assume(rc < 0);
    return rc;
}
#define ERROR_NEGATIVE(rc) error_negative(rc)
#define error_fail(...) error_negative(error_fail(__VA_ARGS__))
#define error_os(...) error_negative(error_os(__VA_ARGS__))
#define error_unsettled(...) (-error_negative(-error_unsettled(__VA_ARGS__)))
#define error_unfinished(...) error_negative(error_unfinished(__VA_ARGS__))
#else
#define ERROR_NEGATIVE(rc) (rc)
#endif

#endif
