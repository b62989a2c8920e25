/* Making an earlier version the current one.
 *
 * The version is copied into a new stage, which replaces the file as any write does: what was
 * current is kept as version 1, and the version that came back stays in history, untouched by what
 * becomes of the file.
 *
 *   RESTORE-1  A file that belongs to another user than the version does gets it only if he might
 *              read the version too.
 */
#ifndef UNTORN_HISTORY_RESTORE_H
#define UNTORN_HISTORY_RESTORE_H

#include <untorn/options.h>

#include "base/error.h"
#include "file/versions.h"

/* Version `number`, provided that it is `expected` unless that is NULL; else AGAIN. As the public
 * call otherwise. */
int restore_version(const char *path, unsigned number, const struct version *expected,
                    const struct untorn_options *options, struct untorn_error *error);

/* How many versions a call that restores leaves: it shall not cost the others, unless it says so.
 */
int restore_keep(const struct untorn_options *options, size_t count);

/* [RESTORE-1] -UNTORN_DENIED if the file has another owner than the version, and he might not have
 * read that. What has the name may be his, put there by who may write the directory. */
int restore_check_owner(const struct os_stat *file, const struct os_stat *version,
                        struct untorn_error *error);

#endif
