/* Several files that change together: all or none.
 *
 *     struct untorn_transaction *save = NULL;
 *     int rc = untorn_transaction_begin(NULL, &save, &error);
 *     if (rc == 0)
 *         rc = untorn_transaction_put(save, "a.json", a, a_size, NULL, &error);
 *     if (rc == 0)
 *         rc = untorn_transaction_put(save, "b.json", b, b_size, NULL, &error);
 *     if (rc == 0)
 *         rc = untorn_transaction_commit(save, &error);
 *     untorn_transaction_free(save);
 *
 * Until the commit nothing is written and nothing is locked. The commit locks all members in one
 * order that all processes share, looks at their conditions, and makes all of them new, or none:
 * also through kill -9, and at the levels durable and ordered through a power loss. What was
 * interrupted is finished, or undone, by whoever next locks or changes one of the files through
 * untorn; untorn's readers see all of them new, or all old, before that too.
 *
 * The members may lie in any directories, also on several file systems. Two paths of one file are
 * refused at the commit, two hard links of it too. A member that is named again is changed again: a
 * put forgets what was before it, an edit or a change goes on from there: under the conditions
 * before it too (-UNTORN_CHANGED if both cannot hold), and with the other options where it has none
 * of its own. While a transaction is open, a write, update or edit of one of its members by the
 * same thread joins it: a streaming writer when that is committed; an update's function is called
 * at once, and if what it made goes on from the file itself, the commit is -UNTORN_CHANGED where
 * that has changed meanwhile (-UNTORN_EXISTS where there was none). An append, restore or undo of a
 * member is refused. A relative path is looked up at the commit: changing the directory before that
 * moves it.
 *
 * Threads: a transaction is used by one thread.
 */
#ifndef UNTORN_TRANSACTION_H
#define UNTORN_TRANSACTION_H

#include <untorn/document.h>
#include <untorn/error.h>
#include <untorn/options.h>
#include <untorn/read.h>
#include <untorn/update.h>

struct untorn_transaction;

UNTORN_BEGIN_C

/* Options: level, wait_ms, strict, keep, state_dir. The strings in them are copied. */
UNTORN_API int untorn_transaction_begin(const struct untorn_options *options,
                                        struct untorn_transaction **ret_transaction,
                                        struct untorn_error *reterr);

/* Adds a member; nothing happens to it yet. The bytes are copied.
 * Options of the member: symlink, mode, if_match, if_changed, exclusive, keep_inode, parents. */
UNTORN_API int untorn_transaction_put(struct untorn_transaction *transaction, const char *path,
                                      const void *data, size_t size,
                                      const struct untorn_options *options,
                                      struct untorn_error *reterr);

/* The new content is what the function makes of the old one, at the commit, with all locks held; it
 * may be called more than once (untorn/update.h). It must not write members: a write, update or
 * edit of one is -UNTORN_INVALID by then, and nothing is written. */
UNTORN_API int untorn_transaction_change(struct untorn_transaction *transaction, const char *path,
                                         untorn_change_function *function, void *context,
                                         const struct untorn_options *options,
                                         struct untorn_error *reterr);

/* Edits of a document (untorn/document.h), done at the commit. Copied. */
UNTORN_API int untorn_transaction_edit(struct untorn_transaction *transaction, const char *path,
                                       const struct untorn_edit *edits, size_t count,
                                       const struct untorn_edit_options *how,
                                       const struct untorn_options *options,
                                       struct untorn_error *reterr);

/* A file that is not there when the others change is UNTORN_MISSING at the commit. */
UNTORN_API int untorn_transaction_remove(struct untorn_transaction *transaction, const char *path,
                                         const struct untorn_options *options,
                                         struct untorn_error *reterr);

/* At most once; the error names the member at fault. Two paths of one file are -UNTORN_INVALID, two
 * hard links of it too. Below 0: no member was changed. Above 0, not
 * settled: it counts, and the next call on any member puts the rest in place. */
UNTORN_API int untorn_transaction_commit(struct untorn_transaction *transaction,
                                         struct untorn_error *reterr);

/* Forgets all members; the transaction can be used anew. */
UNTORN_API void untorn_transaction_abort(struct untorn_transaction *transaction);

/* Aborts unless committed. Accepts NULL. */
UNTORN_API void untorn_transaction_free(struct untorn_transaction *transaction);

/* Reads several files as they were at one moment between commits, never a mixture. Takes no lock
 * unless commits follow each other too closely, creates nothing, and works without the right to
 * write. contents[i] belongs to paths[i]; a file that is missing has data NULL. All are zeroed on
 * failure.
 *
 * If the files were committed together before, they are compared with what that commit made: if
 * some of them are from before it (a restored backup, a program that knows nothing of untorn),
 * -UNTORN_MIXED, with all contents given nevertheless and the old ones named in error.detail; if
 * some were only edited since, 0 and UNTORN_FLAG_EDITED. Edited is a file whose content is not what
 * the last commit of several files that named it left: by whom does not matter, also a write or
 * update of it alone through untorn, an undo of it alone, or a commit that changed no other file. A
 * commit that comes while the set is read never makes it edited. Options: symlink, wait_ms,
 * state_dir. */
UNTORN_API int untorn_read_set(const char *const *paths, size_t count,
                               const struct untorn_options *options,
                               struct untorn_content *ret_contents, struct untorn_error *reterr);

UNTORN_END_C

#endif
