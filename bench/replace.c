/* Replacing a file of 4 KiB in process, at each level, and with history. */
#include <untorn/write.h>

#include "hand.h"
#include "pairs.h"

static void write_at(enum untorn_level level)
{
    struct untorn_options options = {.level = level};
    int rc = untorn_write("ours/state.json", fresh_content(), CONTENT_SIZE, &options, NULL);
    pairs_must(rc == 0, "untorn_write");
}

static void by_hand_at(enum untorn_level level)
{
    hand_replace("hand", "hand/state.json.tmp", "hand/state.json", fresh_content(), CONTENT_SIZE,
                 level);
}

static void write_durable(void)
{
    write_at(UNTORN_DURABLE);
}

static void write_ordered(void)
{
    write_at(UNTORN_ORDERED);
}

static void write_cache(void)
{
    write_at(UNTORN_CACHE);
}

/* A file of its own for each, so that what is kept of one is no work for the other. */
static void write_keeping(const char *path, int keep)
{
    struct untorn_options options = {.keep = keep};
    int rc = untorn_write(path, fresh_content(), CONTENT_SIZE, &options, NULL);
    pairs_must(rc == 0, "untorn_write");
}

static void keep_none(void)
{
    write_keeping("ours/none.json", UNTORN_KEEP_NONE);
}

static void keep_one(void)
{
    write_keeping("ours/one.json", 1);
}

static void keep_eight(void)
{
    write_keeping("ours/eight.json", 8);
}

static void by_hand_durable(void)
{
    by_hand_at(UNTORN_DURABLE);
}

static void by_hand_ordered(void)
{
    by_hand_at(UNTORN_ORDERED);
}

static void by_hand_cache(void)
{
    by_hand_at(UNTORN_CACHE);
}

static void prepare(void)
{
    make_directory("ours");
    make_directory("hand");
}

static const struct pairs_row rows[] = {
    {.name = "replace 4 KiB, durable",
     .peer = "open, write, fdatasync, rename, fsync of the directory",
     .prepare = prepare,
     .ours = write_durable,
     .theirs = by_hand_durable,
     .target = 1.15},
    {.name = "replace 4 KiB, durable, keep 1",
     .peer = "the same with keep none",
     .prepare = prepare,
     .ours = keep_one,
     .theirs = keep_none,
     .target = 1.10},
    {.name = "replace 4 KiB, durable, keep 8",
     .peer = "the same with keep none",
     .prepare = prepare,
     .ours = keep_eight,
     .theirs = keep_none},
    {.name = "replace 4 KiB, durable, keep none",
     .peer = "open, write, fdatasync, rename, fsync of the directory",
     .prepare = prepare,
     .ours = keep_none,
     .theirs = by_hand_durable},
    {.name = "replace 4 KiB, ordered",
     .peer = "open, write, fdatasync, rename",
     .prepare = prepare,
     .ours = write_ordered,
     .theirs = by_hand_ordered},
    {.name = "replace 4 KiB, cache",
     .peer = "open, write, close, rename",
     .prepare = prepare,
     .ours = write_cache,
     .theirs = by_hand_cache,
     .unit = PAIRS_DIFFERENCE,
     .target = 35,
     .batch = 5},
};

int main(int argc, char **argv)
{
    return pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
