/* What counts as damaged when it is replaced: upward_is_damaged of file/upward.h. */
#include "harness.h"

#include <untorn.h>

#include "base/limits.h"
#include "file/interpose.h"
#include "file/support.h"
#include "file/upward.h"

/* The answer for what lies under the name now. */
static bool is_damaged(const char *path)
{
    struct untorn_options options = {.level = UNTORN_CACHE};
    struct untorn_error error;
    struct target target;
    error_begin(&error, NULL, path);
    CHECK_INT(target_open(&target, path, &options, &error), 0);
    CHECK_INT(target_lock(&target, OS_LOCK_EXCLUSIVE, &error), 0);
    int damaged = upward_is_damaged(&target, target.stat.size);
    target_close(&target);
    CHECK(damaged >= 0);
    return damaged > 0;
}

static bool damaged_text(const char *path, const char *text)
{
    put(path, text);
    return is_damaged(path);
}

TEST(json_is_strict_where_the_name_says_so)
{
    CHECK(!damaged_text("a.json", "{\"a\": [1, 2]}\n"));
    CHECK(damaged_text("a.json", "{\"a\": [1, 2,]}\n"));
    CHECK(damaged_text("a.json", "{} // c\n"));
    CHECK(damaged_text("a.json", " "));
    CHECK(!damaged_text("a.jsonc", "{\"a\": [1, 2,]} // c\n"));
    CHECK(damaged_text("a.jsonc", "{\"a\": [1, 2,]} / c\n"));
    CHECK(!damaged_text("tsconfig.json", "{} // c\n"));
}

TEST(toml_is_read_as_1_1)
{
    CHECK(!damaged_text("a.toml", "a = { b = 1,\n}\n"));
    CHECK(damaged_text("a.toml", "a = = 1\n"));
    CHECK(damaged_text("a.toml", "a = \"x"));
}

TEST(another_kind_is_never_damaged)
{
    CHECK(!damaged_text("a.txt", "{"));
    CHECK(!damaged_text("a", "= ="));
    put_bytes("a.bin", "\0\0", 2);
    CHECK(!is_damaged("a.bin"));
}

TEST(nul_bytes_are_damage)
{
    put_bytes("a.json", "{}\0\0", 4);
    CHECK(is_damaged("a.json"));
    put_bytes("a.toml", "\0\0\0", 3);
    CHECK(is_damaged("a.toml"));
}

/* `count` elements, then `end`. */
static void put_list(const char *path, size_t count, const char *element, const char *end)
{
    FILE *file = fopen(path, "w");
    CHECK(file);
    fputs("[", file);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s,", element);
    fputs(end, file);
    CHECK_INT(fclose(file), 0);
}

TEST(json_of_many_pieces_is_scanned_to_its_end)
{
    put_list("a.json", 100000, "{\"a\": [true, \"\\u00e9\"]}", "1]");
    CHECK(stat_of("a.json").st_size > 4 * LIMIT_CHUNK);
    CHECK(!is_damaged("a.json"));
    put_list("a.json", 100000, "{\"a\": [true, \"\\u00e9\"]}", "1");
    CHECK(is_damaged("a.json"));
    put_list("a.json", 100000, "{\"a\": [true, \"\\u00e9\"]}", "]");
    CHECK(is_damaged("a.json"));
}

TEST(a_token_that_is_longer_than_the_buffer_is_scanned)
{
    size_t size = 3 * LIMIT_CHUNK;
    char *text = malloc(size);
    CHECK(text);
    memset(text, '7', size);
    put_bytes("a.json", text, size);
    CHECK(!is_damaged("a.json"));
    text[size - 1] = 'e';
    put_bytes("a.json", text, size);
    CHECK(is_damaged("a.json"));
    text[0] = text[size - 1] = '"';
    put_bytes("a.json", text, size);
    CHECK(!is_damaged("a.json"));
    free(text);
}

TEST(it_needs_a_buffer_of_fixed_size)
{
    put_list("a.json", 200000, "\"0123456789012345678901234567890123456789\"", "1]");
    const struct rule *reads = watch(CALL_READ, "/a.json");
    CHECK(!is_damaged("a.json"));
    CHECK(reads->seen >= stat_of("a.json").st_size / LIMIT_CHUNK);
}

static void cut(void *context)
{
    (void)context;
    CHECK_INT(truncate("a.json", 10), 0);
}

TEST(a_file_that_is_cut_while_it_is_scanned_is_damaged)
{
    put_list("a.json", 50000, "1234567890", "1]");
    at(CALL_READ, "/a.json", 2, cut, NULL);
    CHECK(is_damaged("a.json"));
}

TEST(what_cannot_be_read_is_not_called_damaged)
{
    put("a.json", "{");
    put("a.toml", "=");
    fail_always(CALL_READ, "/a.", EIO);
    CHECK(!is_damaged("a.json"));
    CHECK(!is_damaged("a.toml"));
}

/* ---- larger than LIMIT_SCANNED ---- */

static void put_ends(const char *path, const char *first, const char *last)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    static char piece[1 << 20];
    off_t size = (off_t)LIMIT_SCANNED + 4096;
    memset(piece, 'x', sizeof piece);
    for (off_t at = 0; at < size; at += (off_t)sizeof piece)
        CHECK_INT(pwrite(file, piece, sizeof piece, at), sizeof piece);
    CHECK_INT(pwrite(file, first, strlen(first), 0), strlen(first));
    size = lseek(file, 0, SEEK_END);
    CHECK_INT(pwrite(file, last, strlen(last), size - (off_t)strlen(last)), strlen(last));
    CHECK_INT(close(file), 0);
}

TEST(of_what_is_very_large_the_ends_tell)
{
    work_in_memory();
    put_ends("a.json", "{\"a\": \"", "\"}\r\n");
    CHECK(!is_damaged("a.json"));
    put_ends("a.json", "[\"", "\"]");
    CHECK(!is_damaged("a.json"));
    put_ends("a.json", "\"", "\" \n"); /* a text as large as that is a document too */
    CHECK(!is_damaged("a.json"));
    put_ends("a.json", "{\"a\": \"", "xxxx");
    CHECK(is_damaged("a.json"));
    CHECK_INT(rename("a.json", "a.jsonc"), 0);
    CHECK(!is_damaged("a.jsonc")); /* it may end with a comment */
    int file = open("a.jsonc", O_WRONLY);
    CHECK_INT(pwrite(file, "\0", 1, stat_of("a.jsonc").st_size - 100), 1);
    close(file);
    CHECK(is_damaged("a.jsonc"));
    CHECK_INT(rename("a.jsonc", "a.toml"), 0);
    CHECK(is_damaged("a.toml"));
}
