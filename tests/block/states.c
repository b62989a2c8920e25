#include "states.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/place.h"

enum { EXHAUSTIVE = 20 }; /* units of which all choices might be visited */

static uint64_t mixed(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

static uint64_t hash_of(uint64_t offset, const char *data, uint64_t size)
{
    uint64_t hash = mixed(offset, size), word;
    for (uint64_t at = 0; data != NULL && at + sizeof word <= size; at += sizeof word) {
        memcpy(&word, data + at, sizeof word);
        hash = mixed(hash, word);
    }
    return hash;
}

/* ---- an epoch ---- */

static void add_unit(struct epoch *epoch, uint64_t offset, const char *data, uint64_t size)
{
    if (epoch->count == epoch->room) {
        epoch->room = epoch->room > 0 ? 2 * epoch->room : 64;
        epoch->units = realloc(epoch->units, epoch->room * sizeof *epoch->units);
        if (epoch->units == NULL)
            place_die("no memory", "an epoch");
    }
    epoch->units[epoch->count++] = (struct unit){offset, size, data, hash_of(offset, data, size)};
}

void epoch_add(struct epoch *epoch, uint64_t offset, const char *data, uint64_t size)
{
    if (data == NULL) { /* a discard happens or not */
        add_unit(epoch, offset, NULL, size);
        return;
    }
    while (size > 0) {
        uint64_t part = UNIT - offset % UNIT;
        part = part < size ? part : size;
        add_unit(epoch, offset, data, part);
        offset += part;
        data += part;
        size -= part;
    }
}

void epoch_clear(struct epoch *epoch)
{
    free(epoch->units);
    *epoch = (struct epoch){.units = NULL};
}

/* A unit is hidden if a later one that is kept covers it. */
static bool is_hidden(const struct epoch *epoch, const choice *kept, size_t index)
{
    const struct unit *unit = &epoch->units[index];
    for (size_t i = index + 1; i < epoch->count; i++) {
        const struct unit *later = &epoch->units[i];
        if (kept[i] && later->offset <= unit->offset &&
            later->offset + later->size >= unit->offset + unit->size)
            return true;
    }
    return false;
}

uint64_t epoch_hash(const struct epoch *epoch, const choice *kept)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < epoch->count; i++)
        if (kept[i] && !is_hidden(epoch, kept, i))
            hash = mixed(hash, epoch->units[i].hash);
    return hash;
}

/* ---- visiting ---- */

struct walk {
    const struct epoch *epoch;
    size_t limit, seen_count;
    uint64_t *seen; /* hashes of what was visited */
    choice *kept;
    visit_choice *visit;
    void *context;
};

static void try_choice(struct walk *walk)
{
    if (walk->seen_count == walk->limit)
        return;
    uint64_t hash = epoch_hash(walk->epoch, walk->kept);
    for (size_t i = 0; i < walk->seen_count; i++)
        if (walk->seen[i] == hash)
            return;
    walk->seen[walk->seen_count++] = hash;
    walk->visit(walk->context, walk->kept);
}

static void all_choices(struct walk *walk)
{
    size_t count = walk->epoch->count;
    for (uint64_t bits = 0; bits < 1ull << count; bits++) {
        for (size_t i = 0; i < count; i++)
            walk->kept[i] = bits >> i & 1;
        try_choice(walk);
    }
}

/* Of every `step`-th unit: what begins before it, all but it, it alone, it in place of the one
 * before. */
static void regular_choices(struct walk *walk, size_t step)
{
    size_t count = walk->epoch->count;
    for (size_t n = 0; n < count; n += step) {
        memset(walk->kept, 0, count);
        memset(walk->kept, 1, n);
        try_choice(walk);
        memset(walk->kept, 1, count);
        walk->kept[n] = 0;
        try_choice(walk);
        memset(walk->kept, 0, count);
        walk->kept[n] = 1;
        try_choice(walk);
        if (n + 1 < count) { /* the later without the earlier, at the end of a beginning */
            memset(walk->kept, 1, n);
            walk->kept[n] = 0;
            walk->kept[n + 1] = 1;
            try_choice(walk);
        }
    }
    memset(walk->kept, 1, count);
    try_choice(walk);
}

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return mixed(*state, *state >> 31);
}

/* Each time with another share of units that are kept. */
static void random_choices(struct walk *walk, uint64_t seed)
{
    size_t count = walk->epoch->count;
    for (size_t tries = 0; tries < 2 * walk->limit && walk->seen_count < walk->limit; tries++) {
        uint64_t share = next_random(&seed) % 255 + 1;
        for (size_t i = 0; i < count; i++)
            walk->kept[i] = (next_random(&seed) >> 20) % 256 < share;
        try_choice(walk);
    }
}

void epoch_choices(const struct epoch *epoch, size_t limit, uint64_t seed, visit_choice *visit,
                   void *context)
{
    struct walk walk = {.epoch = epoch, .limit = limit, .visit = visit, .context = context};
    walk.seen = calloc(limit + 1, sizeof *walk.seen);
    walk.kept = calloc(epoch->count + 1, sizeof *walk.kept);
    if (walk.seen == NULL || walk.kept == NULL)
        place_die("no memory", "choices");
    if (epoch->count <= EXHAUSTIVE && 1ull << epoch->count <= limit) {
        all_choices(&walk);
    } else {
        size_t regular = 4 * epoch->count + 1, most = limit * 3 / 4 + 1;
        regular_choices(&walk, (regular + most - 1) / most);
        random_choices(&walk, seed);
    }
    free(walk.seen);
    free(walk.kept);
}

/* ---- as text ---- */

void choice_print(const struct epoch *epoch, const choice *kept, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; i < epoch->count && used < size; i++) {
        size_t end = i;
        while (kept[i] && end + 1 < epoch->count && kept[end + 1])
            end++;
        if (kept[i] && end > i)
            used += (size_t)snprintf(text + used, size - used, "%s%zu-%zu", used > 0 ? "," : "", i,
                                     end);
        else if (kept[i])
            used += (size_t)snprintf(text + used, size - used, "%s%zu", used > 0 ? "," : "", i);
        i = end;
    }
}

bool choice_parse(const struct epoch *epoch, const char *text, choice *ret_kept)
{
    memset(ret_kept, 0, epoch->count);
    while (*text != 0) {
        char *end;
        size_t from = strtoul(text, &end, 10), to = from;
        if (end == text)
            return false;
        if (*end == '-')
            to = strtoul(end + 1, &end, 10);
        if (to < from || to >= epoch->count || (*end != 0 && *end != ','))
            return false;
        memset(ret_kept + from, 1, to - from + 1);
        text = *end == ',' ? end + 1 : end;
    }
    return true;
}
