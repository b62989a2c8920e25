/* Documents of known shapes and any size, to measure scanners and edits with. */
#ifndef UNTORN_BENCH_SHAPES_H
#define UNTORN_BENCH_SHAPES_H

#include <stddef.h>

struct shape {
    char *text; /* new */
    size_t size;
};

/* At least `size` bytes each. */
struct shape shape_records(size_t size);    /* JSON, pretty: an object of records as in a lock file,
                                               the last member is `"end": 0` */
struct shape shape_numbers(size_t size);    /* JSON: floats and integers */
struct shape shape_characters(size_t size); /* JSON: strings of characters of two to four bytes */
struct shape shape_brackets(size_t size);   /* JSON: [[],{},[],... */

/* JSON that a processor cannot foresee, the same in every run. */
struct shape shape_tokens(size_t size);  /* tiny tokens in any order: [1,"a",{},[],true,... */
struct shape shape_lines(size_t size);   /* the same, each on its line behind 0 to 39 blanks */
struct shape shape_nested(size_t size);  /* the same, up to 900 levels deep */
struct shape shape_strings(size_t size); /* of 0 to 20 bytes, brackets and commas among them */
struct shape shape_letters(size_t size); /* strings of 0 to 20 characters of one to four bytes */
struct shape shape_escapes(size_t size); /* strings full of \n and \\ */
struct shape shape_codes(size_t size);   /* strings full of \u00e9 */

struct shape shape_packages(size_t size); /* TOML: [[package]] as in Cargo.lock, [metadata] last */

/* What grows in them is counted: `count` times the thing. */
struct shape shape_keys(size_t count, int toml);
struct shape shape_dotted(size_t count, int toml);
struct shape shape_tables(size_t count, int toml);
struct shape shape_elements(size_t count, int toml); /* [[element]], or objects in an array */
struct shape shape_arrays(size_t count, int toml);
struct shape shape_comments(size_t count, int toml); /* JSONC or TOML */
struct shape shape_depth(size_t count, int toml);

void shape_free(struct shape *shape);

#endif
