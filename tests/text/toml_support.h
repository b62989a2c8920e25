/* What the tests of the TOML scanner share. */
#ifndef UNTORN_TESTS_TEXT_TOML_SUPPORT_H
#define UNTORN_TESTS_TEXT_TOML_SUPPORT_H

#include "text/parsed.h"

/* Scans a copy in a block of exactly its size, so that a sanitizer sees a byte too many. */
int toml_scan_exact(const char *text, size_t size, enum untorn_format format, struct parsed *parsed,
                    struct flaw *flaw);
/* Of what that made: the copy too. */
void toml_free_exact(struct parsed *parsed);

/* The data of a document as one line: {a=i:1, b={c=s:x}, d=[f:1.5, b:true]}; borrowed until the
 * next call. A document that is refused: "position: what", with " (end)" behind it if it stops
 * early. */
const char *toml_data(const char *text);
const char *toml_data_1_0(const char *text);
/* The same, and behind each key that has one the table's origin: a(header)={...}. */
const char *toml_origins(const char *text);

/* Each of them is a document, or none, in 1.1 and 1.0. */
void toml_check_all(const char *const *texts, size_t count, bool valid);
/* Each of them is a document in 1.1 and none in 1.0. */
void toml_check_newer(const char *const *texts, size_t count);

#define TOML_VALID(texts) toml_check_all(texts, sizeof texts / sizeof *texts, true)
#define TOML_INVALID(texts) toml_check_all(texts, sizeof texts / sizeof *texts, false)
#define TOML_NEWER(texts) toml_check_newer(texts, sizeof texts / sizeof *texts)

#endif
