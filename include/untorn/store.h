/* Stores: documents in which a program keeps its state, and values that are made when they are
 * first asked for.
 *
 *     char uuid[UNTORN_UUID_SIZE];
 *     const char *key[] = {"/srv/my.project"};
 *     untorn_uuid(uuid);
 *     struct untorn_edit edit = {.segments = key, .segment_count = 1, .value = uuid,
 *                                .value_size = strlen(uuid), .syntax = UNTORN_AS_STRING};
 *     struct untorn_document *document;
 *     const struct untorn_node *node;
 *     if (untorn_ensure("map.json", &edit, NULL, NULL, &document, &node, &error) == 0)
 *         puts(untorn_node_text(node, NULL));
 *     untorn_document_free(document);
 *
 * However many processes ask for one key at once, one of them creates it and all get its value.
 * A file that does not parse is never taken for an empty one, and never replaced.
 */
#ifndef UNTORN_STORE_H
#define UNTORN_STORE_H

#include <stdbool.h>

#include <untorn/document.h>
#include <untorn/error.h>
#include <untorn/hash.h>
#include <untorn/options.h>
#include <untorn/update.h>

/* ---- get or create ---- */

/* For a value that is more than a text: see untorn_ensure_with. */
struct untorn_maker {
    /* Whether what is there still counts. NULL: whatever it is. */
    bool (*is_valid)(void *context, const struct untorn_node *node);

    /* Makes the value, and what belongs to it, and gives its bytes to untorn_change_set; they are
     * read by the edit's `syntax` (UNTORN_PLAIN: of the type of `old`). `old` is what is there and
     * does not count, or NULL. Return 0; anything else is a failure: nothing changes,
     * -UNTORN_REFUSED, and the number is in error.os_error. */
    int (*create)(void *context, const struct untorn_node *old, struct untorn_change *value);

    void *context;
};

#define UNTORN_UUID_SIZE 37

UNTORN_BEGIN_C

/* The value at the edit's key, which becomes the edit's value if there is none; `kind` is not
 * looked at. As untorn_edit otherwise: the file and the objects on the way are made, others' edits
 * are made together with this one.
 *
 * *ret_node is borrowed from *ret_document, which holds it and perhaps nothing else; both are NULL
 * unless 0 is returned. With UNTORN_FLAG_UNCHANGED the key was there, and *ret_node is what it had
 * at a moment of this call; without, this call created it, and *ret_node is that. */
UNTORN_API int untorn_ensure(const char *path, const struct untorn_edit *edit,
                             const struct untorn_edit_options *how,
                             const struct untorn_options *options,
                             struct untorn_document **ret_document,
                             const struct untorn_node **ret_node, struct untorn_error *reterr);

/* The same with functions of the caller, which run while the file is locked: nobody else who asks
 * for the key sees a moment between "it does not count" and the new value. They may use untorn, on
 * the same file too. If the file is replaced meanwhile, by them or by a program that knows nothing
 * of untorn, they are called again. The edit's `value` is not looked at. */
UNTORN_API int untorn_ensure_with(const char *path, const struct untorn_edit *edit,
                                  const struct untorn_maker *maker,
                                  const struct untorn_edit_options *how,
                                  const struct untorn_options *options,
                                  struct untorn_document **ret_document,
                                  const struct untorn_node **ret_node, struct untorn_error *reterr);

/* A new random UUID (version 4), 36 characters. 0, or -UNTORN_FAILED, and the text is empty. */
UNTORN_API int untorn_uuid(char ret_text[UNTORN_UUID_SIZE]);

/* ---- a whole store ---- */

struct untorn_store {
    struct untorn_document *document; /* new: look at it and edit it with untorn/document.h */
    struct untorn_hash hash;          /* of the file when it was loaded or saved */
    bool exists;                      /* false: there was no file, the document is the default */
};

/* Loads it; where there is no file, the document is `fallback`, NULL for an empty one.
 * -UNTORN_DAMAGED for one that does not parse, empty files among them. Options: symlink,
 * state_dir. On failure it is zeroed. */
UNTORN_API int untorn_store_load(const char *path, const char *fallback,
                                 const struct untorn_edit_options *how,
                                 const struct untorn_options *options,
                                 struct untorn_store *ret_store, struct untorn_error *reterr);

/* Saves it if nobody else did since: else -UNTORN_CHANGED or -UNTORN_EXISTS, and the caller loads
 * again. May be called again. Options: all but if_match, if_changed and exclusive. */
UNTORN_API int untorn_store_save(const char *path, struct untorn_store *store,
                                 const struct untorn_options *options, struct untorn_error *reterr);

/* Accepts a zeroed one. */
UNTORN_API void untorn_store_free(struct untorn_store *store);

/* Changes the document. 0 to save it, if it has changed; anything else refuses, as the function of
 * untorn_update does. May be called again, with the newer version. */
typedef int untorn_store_function(void *context, struct untorn_document *document);

/* Load, change, save, under one lock: nobody has to load again. */
UNTORN_API int untorn_store_update(const char *path, const char *fallback,
                                   untorn_store_function *function, void *context,
                                   const struct untorn_edit_options *how,
                                   const struct untorn_options *options,
                                   struct untorn_error *reterr);

UNTORN_END_C

#endif
