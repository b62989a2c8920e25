/* The content hash: XXH3, 128 bits, over the bytes of the file and nothing else.
 *
 * It answers "is this still the version I read", not "was this made by someone I trust": it is
 * fast, not cryptographic.
 */
#ifndef UNTORN_HASH_H
#define UNTORN_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <untorn/error.h>

struct untorn_options;

struct untorn_hash {
    uint8_t bytes[16]; /* in the order they are printed */
};

#define UNTORN_HASH_TEXT_SIZE 33 /* 32 hexadecimal digits and the final NUL */

UNTORN_BEGIN_C

UNTORN_API struct untorn_hash untorn_hash(const void *data, size_t size);

/* The hash of the file at `path`, read whole as untorn_read reads it.
 * Options: symlink, state_dir. */
UNTORN_API int untorn_hash_file(const char *path, const struct untorn_options *options,
                                struct untorn_hash *ret_hash, struct untorn_error *reterr);

UNTORN_API bool untorn_hash_equal(const struct untorn_hash *a, const struct untorn_hash *b);

/* 32 lower-case hexadecimal digits. Returns `text`. */
UNTORN_API char *untorn_hash_format(const struct untorn_hash *hash,
                                    char text[UNTORN_HASH_TEXT_SIZE]);

/* Accepts exactly what untorn_hash_format prints, in either case. */
UNTORN_API bool untorn_hash_parse(const char *text, struct untorn_hash *ret_hash);

UNTORN_END_C

#endif
