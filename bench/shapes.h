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
struct shape shape_packages(size_t size); /* TOML: [[package]] as in Cargo.lock, [metadata] last */

/* What grows in them is counted: `count` times the thing. */
struct shape shape_keys(size_t count, int toml);
struct shape shape_tables(size_t count, int toml);
struct shape shape_arrays(size_t count, int toml);
struct shape shape_comments(size_t count, int toml); /* JSONC or TOML */
struct shape shape_depth(size_t count, int toml);

void shape_free(struct shape *shape);

#endif
