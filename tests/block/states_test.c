/* Which choices of writes a power loss is said to leave, and that a log holds what was put in. */
#include "block/states.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "block/log.h"
#include "harness.h"

enum { MOST = 4096 };

static char blocks[64][UNIT];

/* `count` units at offsets of their own, all with different bytes. */
static struct epoch units(unsigned count)
{
    struct epoch epoch = {.units = NULL};
    for (unsigned i = 0; i < count; i++) {
        memset(blocks[i], (int)i + 1, UNIT);
        epoch_add(&epoch, (uint64_t)i * UNIT, blocks[i], UNIT);
    }
    return epoch;
}

struct seen {
    const struct epoch *epoch;
    size_t count;
    uint64_t hashes[MOST];
    char texts[MOST][256];
};

static struct seen seen;

static void see(void *context, const choice *kept)
{
    struct seen *all = context;
    CHECK(all->count < MOST);
    all->hashes[all->count] = epoch_hash(all->epoch, kept);
    choice_print(all->epoch, kept, all->texts[all->count++], sizeof all->texts[0]);
}

static size_t visit(const struct epoch *epoch, size_t limit)
{
    memset(&seen, 0, sizeof seen);
    seen.epoch = epoch;
    epoch_choices(epoch, limit, 1, see, &seen);
    for (size_t i = 0; i < seen.count; i++)
        for (size_t k = 0; k < i; k++)
            CHECK(seen.hashes[i] != seen.hashes[k]);
    return seen.count;
}

static bool saw(const char *text)
{
    for (size_t i = 0; i < seen.count; i++)
        if (strcmp(seen.texts[i], text) == 0)
            return true;
    return false;
}

TEST(all_choices_of_few_writes_are_visited)
{
    for (unsigned count = 0; count <= 8; count++) {
        struct epoch epoch = units(count);
        CHECK_INT(visit(&epoch, 256), 1 << count);
        epoch_clear(&epoch);
    }
}

TEST(of_many_writes_the_telling_choices_are_visited)
{
    struct epoch epoch = units(30);
    CHECK_INT(visit(&epoch, 200), 200);
    CHECK(saw(""));
    CHECK(saw("0-29"));
    CHECK(saw("0-16"));
    CHECK(saw("0-16,18-29"));
    CHECK(saw("17"));
    CHECK(saw("0-16,18"));
    epoch_clear(&epoch);
}

TEST(a_small_limit_is_kept_and_spread_over_all_writes)
{
    struct epoch epoch = units(60);
    CHECK_INT(visit(&epoch, 20), 20);
    bool late = false;
    for (unsigned i = 40; i < 60; i++) {
        char text[8];
        snprintf(text, sizeof text, "%u", i);
        late |= saw(text);
    }
    CHECK(late);
    epoch_clear(&epoch);
}

TEST(what_leads_to_equal_bytes_is_one_state)
{
    struct epoch epoch = units(2);
    epoch_add(&epoch, 0, blocks[5], UNIT); /* over the first */
    CHECK_INT(visit(&epoch, 256), 6);      /* first: old, one, other; second: old, new */
    epoch_clear(&epoch);
}

TEST(a_write_is_cut_at_units_and_a_discard_is_not)
{
    struct epoch epoch = {.units = NULL};
    epoch_add(&epoch, 1024, blocks[0], 2 * UNIT);
    CHECK_INT(epoch.count, 3);
    CHECK_INT(epoch.units[0].size, UNIT - 1024);
    CHECK_INT(epoch.units[1].offset, UNIT);
    CHECK_INT(epoch.units[2].size, 1024);
    CHECK(epoch.units[2].data == blocks[0] + 2 * UNIT - 1024);
    epoch_add(&epoch, 0, NULL, 10 * UNIT);
    CHECK_INT(epoch.count, 4);
    epoch_clear(&epoch);
}

TEST(a_choice_is_read_as_it_was_printed)
{
    struct epoch epoch = units(12);
    choice kept[12] = {1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1}, again[12];
    char text[64];
    choice_print(&epoch, kept, text, sizeof text);
    CHECK_TEXT(text, "0-2,4,10-11");
    CHECK(choice_parse(&epoch, text, again));
    CHECK_BYTES(again, sizeof again, kept, sizeof kept);
    CHECK(!choice_parse(&epoch, "12", again));
    CHECK(!choice_parse(&epoch, "3-1", again));
    CHECK(!choice_parse(&epoch, "1;2", again));
    epoch_clear(&epoch);
}

TEST(a_log_holds_what_was_put_in)
{
    FILE *file = fopen("log", "w");
    struct log log;
    struct record record;
    log_begin(file, 12345);
    log_add(file, RECORD_WRITE, 4096, "abc", 3);
    log_add(file, RECORD_DISCARD, 8192, NULL, 100);
    log_add(file, RECORD_FLUSH, 0, NULL, 0);
    log_add(file, RECORD_MARK, 0, "done 0 1", 8);
    fclose(file);
    log_open(&log, "log");
    CHECK_INT(log.device_size, 12345);
    CHECK(log_next(&log, &record));
    CHECK_INT(record.offset, 4096);
    CHECK_BYTES(record.data, record.size, "abc", 3);
    CHECK(log_next(&log, &record) && record.kind == RECORD_DISCARD && record.size == 100);
    CHECK(log_next(&log, &record) && record.kind == RECORD_FLUSH);
    CHECK(log_next(&log, &record) && record.kind == RECORD_MARK);
    CHECK_BYTES(record.data, record.size, "done 0 1", 8);
    CHECK(!log_next(&log, &record));
    log_close(&log);
}
