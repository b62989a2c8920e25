/* Whether a file is what it should be. Missing, empty, filled with NUL bytes, truncated and
 * unparseable are different answers, and none of them is "there is nothing yet".
 */
#ifndef UNTORN_VERDICT_H
#define UNTORN_VERDICT_H

#include <untorn/document.h>
#include <untorn/error.h>
#include <untorn/options.h>
#include <untorn/read.h>

enum untorn_verdict {
    UNTORN_WHOLE,
    UNTORN_VERDICT_MISSING,
    UNTORN_EMPTY,     /* no byte, where the format has at least one value */
    UNTORN_NUL,       /* NUL bytes, as a crash leaves them where data was not written */
    UNTORN_TRUNCATED, /* stops in the middle */
    UNTORN_SYNTAX,    /* is not of its format */
};

UNTORN_BEGIN_C

/* "whole", "missing", ... Borrowed, static. */
UNTORN_API const char *untorn_verdict_word(enum untorn_verdict verdict);

/* Of bytes. Of UNTORN_FORMAT_UNKNOWN only a content of nothing but NUL bytes is damaged. Unless it
 * is whole `reterr` tells where and why: status UNTORN_DAMAGED, `position`, and `detail`, a
 * sentence and below it, where there is one, the place with a mark under it. With another status,
 * UNTORN_NO_MEMORY, it could not be judged, and UNTORN_WHOLE means nothing. */
UNTORN_API enum untorn_verdict untorn_judge(const void *data, size_t size,
                                            enum untorn_format format, struct untorn_error *reterr);

/* Reads a file and judges it. 0, whatever the verdict, and `reterr` tells what is wrong (status
 * UNTORN_DAMAGED or UNTORN_MISSING); below 0 if it could not be read or judged. The format is that
 * of the name if it is UNTORN_FORMAT_UNKNOWN. The bytes are there unless it is missing. Options:
 * symlink, state_dir. */
UNTORN_API int untorn_read_judged(const char *path, enum untorn_format format,
                                  const struct untorn_options *options,
                                  struct untorn_content *ret_content,
                                  enum untorn_verdict *ret_verdict, struct untorn_error *reterr);

/* The file if it is whole; else the newest earlier version that is: UNTORN_FLAG_LAST_GOOD, its
 * number in *ret_version (0: the file itself), and in `detail` what is wrong with the file.
 * -UNTORN_DAMAGED or -UNTORN_MISSING if there is none. Options: symlink, state_dir. */
UNTORN_API int untorn_read_last_good(const char *path, enum untorn_format format,
                                     const struct untorn_options *options,
                                     struct untorn_content *ret_content, unsigned *ret_version,
                                     struct untorn_error *reterr);

UNTORN_END_C

#endif
