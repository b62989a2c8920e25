/* Add records to a log: no torn line, no two lines fused into one.
 *
 *     untorn_append("events.jsonl", "{\"n\":1}\n", 8, UNTORN_RECORDS_BY_NAME, NULL, &error);
 *
 * Under the lock. Before anything is added the end of the file is put right: a last line that
 * lacks its newline gains it; a torn JSON record, which only a crash in mid-append leaves, is
 * durably kept aside (see untorn/check.h) and cut. If the write fails half way, it is cut back.
 * A missing final newline in `data` is added.
 *
 * A reader may see the last record partly written for a moment; it ends with a newline when it is
 * whole.
 *
 * Options: level, symlink, wait_ms, mode (new files), parents, strict, state_dir, lock_file.
 */
#ifndef UNTORN_APPEND_H
#define UNTORN_APPEND_H

#include <untorn/error.h>
#include <untorn/options.h>

enum untorn_records {
    UNTORN_RECORDS_BY_NAME = 0, /* JSON for .jsonl, .ndjson; else text */
    UNTORN_RECORDS_TEXT = 1,    /* lines of anything */
    UNTORN_RECORDS_JSON = 2,    /* one JSON value a line; `data` too, else UNTORN_DAMAGED */
};

UNTORN_BEGIN_C

UNTORN_API int untorn_append(const char *path, const void *data, size_t size,
                             enum untorn_records records, const struct untorn_options *options,
                             struct untorn_error *reterr);

UNTORN_END_C

#endif
