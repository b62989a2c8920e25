/* Replace a file: whole or not at all.
 *
 * One call:
 *
 *     untorn_write("state.json", data, size, NULL, &error);
 *
 * Streaming, for content that does not fit in memory or is made piece by piece:
 *
 *     struct untorn_writer *writer = NULL;
 *     int rc = untorn_writer_begin("big.json", NULL, &writer, &error);
 *     while (rc == 0 && (n = next_piece(buffer)) > 0)
 *         rc = untorn_writer_write(writer, buffer, n, &error);
 *     if (rc == 0)
 *         rc = untorn_writer_commit(writer, &error);
 *     untorn_writer_free(writer);
 *
 * Until commit succeeds nobody sees anything of it; after it everybody sees all of it. Mode,
 * owner, group, ACL and extended attributes of an existing file are kept; symbolic links are
 * followed to the real file. A write is last-writer-wins: to change what is there, use
 * untorn/update.h, or give `if_match`.
 *
 * Options: all.
 *
 * Where rename cannot serve (a file that is itself a mount point, an owner that cannot be given,
 * keep_inode) the file is overwritten in place through a journal, and UNTORN_FLAG_IN_PLACE says
 * so: other programs may then see a mixture for a moment, readers through untorn never do.
 */
#ifndef UNTORN_WRITE_H
#define UNTORN_WRITE_H

#include <untorn/error.h>
#include <untorn/options.h>

UNTORN_BEGIN_C

UNTORN_API int untorn_write(const char *path, const void *data, size_t size,
                            const struct untorn_options *options, struct untorn_error *reterr);

struct untorn_writer;

/* Prepares a new version; takes no lock yet. *ret_writer is new, and NULL on failure. The strings
 * and the hash in `options` are copied. */
UNTORN_API int untorn_writer_begin(const char *path, const struct untorn_options *options,
                                   struct untorn_writer **ret_writer, struct untorn_error *reterr);

/* After a failure the writer can only be freed. */
UNTORN_API int untorn_writer_write(struct untorn_writer *writer, const void *data, size_t size,
                                   struct untorn_error *reterr);

/* Locks, checks, flushes, renames, flushes. At most once per writer; free it afterwards. Of a
 * member of a transaction that this thread has open, it joins that (untorn/transaction.h): the
 * content is then held in memory. */
UNTORN_API int untorn_writer_commit(struct untorn_writer *writer, struct untorn_error *reterr);

/* The hash of all that was written so far: after a commit, that of the file. */
UNTORN_API struct untorn_hash untorn_writer_hash(const struct untorn_writer *writer);

/* Aborts unless committed. Accepts NULL, half-built and finished writers. */
UNTORN_API void untorn_writer_free(struct untorn_writer *writer);

UNTORN_END_C

#endif
