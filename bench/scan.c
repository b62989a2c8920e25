/* Scanning: is this a document? In memory; beside it a copy of the same bytes. */
#include <stdlib.h>
#include <string.h>

#include <untorn/document.h>

#include "pairs.h"
#include "shapes.h"

enum { MEGABYTE = 1000 * 1000, LARGE = 16 * MEGABYTE, LOCK_FILE = 160 * 1000 };

static struct shape shape;
static char *copy;

static void prepare(struct shape made)
{
    shape_free(&shape);
    shape = made;
    free(copy);
    copy = malloc(shape.size);
    pairs_must(copy != NULL, "memory");
}

static size_t large(void)
{
    return pairs_is_quick() ? 10000 : LARGE;
}

#define PREPARE(name)                                                                              \
    static void prepare_##name(void)                                                               \
    {                                                                                              \
        prepare(shape_##name(large()));                                                            \
    }

PREPARE(records)
PREPARE(numbers)
PREPARE(characters)
PREPARE(brackets)
PREPARE(tokens)
PREPARE(lines)
PREPARE(nested)
PREPARE(strings)
PREPARE(letters)
PREPARE(escapes)
PREPARE(codes)

static void prepare_lock_file(void)
{
    prepare(shape_packages(pairs_is_quick() ? 10000 : LOCK_FILE));
}

static void prepare_large_toml(void)
{
    prepare(shape_packages(pairs_is_quick() ? 10000 : 10 * MEGABYTE));
}

static void scan_json(void)
{
    pairs_must(untorn_document_check(shape.text, shape.size, UNTORN_JSON, NULL) == 0, "scan");
}

static void scan_toml(void)
{
    pairs_must(untorn_document_check(shape.text, shape.size, UNTORN_TOML, NULL) == 0, "scan");
}

static void copy_bytes(void)
{
    memcpy(copy, shape.text, shape.size);
}

#define ROW(name_, prepare_, scan_, target_, batch_)                                               \
    {                                                                                              \
        .name = name_, .peer = "memcpy of the same bytes", .prepare = prepare_, .ours = scan_,     \
        .theirs = copy_bytes, .unit = PAIRS_TIME, .target = target_, .batch = batch_, .count = 45  \
    }

static const struct pairs_row rows[] = {
    ROW("scan 16 MB of JSON records", prepare_records, scan_json, 16000, 1),
    ROW("scan 16 MB of JSON numbers", prepare_numbers, scan_json, 32000, 1),
    ROW("scan 16 MB of JSON characters", prepare_characters, scan_json, 32000, 1),
    ROW("scan 16 MB of JSON brackets", prepare_brackets, scan_json, 32000, 1),
    ROW("scan 16 MB of JSON tiny tokens", prepare_tokens, scan_json, 32000, 1),
    ROW("scan 16 MB of JSON tokens on lines", prepare_lines, scan_json, 32000, 1),
    ROW("scan 16 MB of JSON nested tokens", prepare_nested, scan_json, 32000, 1),
    ROW("scan 16 MB of JSON short strings", prepare_strings, scan_json, 32000, 1),
    ROW("scan 16 MB of JSON short strings, not ASCII", prepare_letters, scan_json, 32000, 1),
    ROW("scan 16 MB of JSON escapes", prepare_escapes, scan_json, 32000, 1),
    ROW("scan 16 MB of JSON escapes of characters", prepare_codes, scan_json, 32000, 1),
    ROW("scan 160 KB of TOML", prepare_lock_file, scan_toml, 533, 10),
    ROW("scan 10 MB of TOML", prepare_large_toml, scan_toml, 33333, 1),
};

int main(int argc, char **argv)
{
    return pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
