/* Fuzzing: one file of this folder is one target, which takes any bytes and may only return.
 *
 *     int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
 *     {
 *         struct fuzz_input input = {data, size};
 *         ...
 *         REQUIRE(parsed == valid);
 *         return 0;
 *     }
 *
 * libFuzzer and AFL++ call it with what they make up; replay.c calls it with the bytes of files, so
 * that what they found is a test. A property that does not hold ends the process: to a fuzzer that
 * is a crash like any other. Run by `make fuzz`; docs/testing.md says how.
 */
#ifndef UNTORN_FUZZ_H
#define UNTORN_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/parsed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_fail(const char *file, int line, const char *what);

/* ---- the input, taken apart from its front ---- */

struct fuzz_input {
    const uint8_t *at;
    size_t left;
};

uint8_t fuzz_byte(struct fuzz_input *input); /* 0 at the end */

/* A block of exactly its size, so that the sanitizer sees who reads beyond it; free it. */
struct fuzz_text {
    char *data;
    size_t size;
};

struct fuzz_text fuzz_copy(const void *data, size_t size);
/* Up to a NUL, which is left out, or the end. */
struct fuzz_text fuzz_field(struct fuzz_input *input);
char *fuzz_string(struct fuzz_input *input); /* the same, terminated */
struct fuzz_text fuzz_rest(struct fuzz_input *input);
bool fuzz_same_text(const struct fuzz_text *one, const struct fuzz_text *other);

/* "jctT": JSON, JSONC, TOML, TOML 1.0. Any other byte is one of them too. */
enum untorn_format fuzz_format(struct fuzz_input *input);

/* Kind, syntax ("psjt"), key and value, each of the last two ended by NUL. `kinds` is "suire" or
 * its beginning: set, unset, insert, rename, ensure. Any other byte is one of them too. */
struct untorn_edit fuzz_edit(struct fuzz_input *input, const char *kinds);
void fuzz_edit_free(struct untorn_edit *edit);

/* Numbers that depend on the bytes alone. */
uint32_t fuzz_hash(const void *data, size_t size);
uint32_t fuzz_random(uint32_t *state);

/* ---- trees ---- */

/* In the order of the text, from the root; NULL behind the last. */
struct untorn_node *fuzz_next_node(const struct untorn_node *node);
size_t fuzz_count_nodes(const struct untorn_node *root);
struct untorn_node *fuzz_nth_node(struct untorn_node *root, size_t number);

/* Whether an object in the tree has a key twice. */
bool fuzz_has_repeated(const struct untorn_node *root);

/* A JSON Pointer to it; NULL for what cannot be told by one: below a key that is there twice, with
 * a NUL in it or half a surrogate pair. */
const char *fuzz_pointer(const struct untorn_node *node, struct arena *arena);

/* Parses what must be a document. */
struct parsed fuzz_parse(const char *text, size_t size, enum untorn_format format);

/* Arrays and objects inside each other, the root among them, and a scalar in the innermost. */
size_t fuzz_depth(const struct untorn_node *root);

/* The same data in another layout: a text of its own; free it. */
void fuzz_rewrite(const struct parsed *parsed, struct fuzz_text *ret_text);

#endif
