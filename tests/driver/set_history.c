#include "set_history.h"

#include <stdlib.h>
#include <string.h>

const char *const set_files[SET_FILES] = {"a", "b", "one/c", "two/d", "two/e"};
const int set_members[SETS][SET_MEMBERS] = {{0, 1, 2}, {2, 3, 4}};

struct judge {
    const struct history *history;
    const struct set_operation *operations;
    struct set_verdict *verdict;
    long known;
    long *lists[SET_FILES]; /* the tokens of each file */
    long counts[SET_FILES];
    long *places[SET_FILES]; /* of each operation in each file; -1: not there */
    uint64_t *hashes[SET_FILES];
};

static bool concerns(const struct set_operation *operation, int file)
{
    if (operation->set < 0)
        return operation->file == file;
    for (int i = 0; i < SET_MEMBERS; i++)
        if (set_members[operation->set][i] == file)
            return true;
    return false;
}

static void read_list(struct judge *judge, int file, const char *data, size_t size)
{
    long count = (long)(size / TOKEN_SIZE);
    judge->counts[file] = count;
    judge->lists[file] = calloc((size_t)count + 1, sizeof(long));
    judge->hashes[file] = calloc((size_t)count + 1, sizeof(uint64_t));
    judge->places[file] = malloc((size_t)judge->known * sizeof(long) + 1);
    for (long i = 0; i < judge->known; i++)
        judge->places[file][i] = -1;
    for (long i = 0; i < count; i++) {
        long token = strtol(data + i * TOKEN_SIZE, NULL, 10);
        judge->lists[file][i] = token;
        judge->hashes[file][i] = history_hash(data, (size_t)i * TOKEN_SIZE);
        if (token < 0 || token >= judge->known || judge->history->operations[token].is_read ||
            !concerns(&judge->operations[token], file)) {
            judge->verdict->phantoms++;
            judge->lists[file][i] = -1;
        } else if (judge->places[file][token] >= 0) {
            judge->verdict->doubled++;
        } else {
            judge->places[file][token] = i;
        }
    }
    judge->hashes[file][count] = history_hash(data, (size_t)count * TOKEN_SIZE);
    if (size % TOKEN_SIZE != 0)
        judge->verdict->phantoms++;
}

/* Rules 1 and 2 of one operation. */
static void judge_write(struct judge *judge, long number)
{
    const struct set_operation *operation = &judge->operations[number];
    struct set_verdict *verdict = judge->verdict;
    int outcome = judge->history->operations[number].outcome;
    int wanted = operation->set < 0 ? 1 : SET_MEMBERS, found = 0;
    for (int file = 0; file < SET_FILES; file++)
        found += judge->places[file][number] >= 0;
    if (operation->set < 0)
        verdict->updates++;
    else
        verdict->commits++;
    if (found != 0 && found != wanted)
        verdict->torn_sets++;
    if (outcome == ACKNOWLEDGED) {
        verdict->acknowledged++;
        verdict->lost += found == 0;
    } else if (outcome == FAILED) {
        verdict->failed++;
        verdict->phantoms += found != 0;
    } else {
        verdict->in_doubt++;
        verdict->in_doubt_applied += found == wanted;
    }
}

/* Rule 4, and with it rule 3 as far as time tells. */
static void judge_order(struct judge *judge, int file)
{
    uint64_t latest_begin = 0;
    for (long i = 0; i < judge->counts[file]; i++) {
        long token = judge->lists[file][i];
        if (token < 0)
            continue;
        const struct operation *operation = &judge->history->operations[token];
        if (operation->outcome == ACKNOWLEDGED && operation->ended < latest_begin)
            judge->verdict->out_of_order++;
        if (operation->begun > latest_begin)
            latest_begin = operation->begun;
    }
}

/* The next token of `set` in a file from *place on; -1 behind the last. */
static long next_of_set(const struct judge *judge, int file, int set, long limit, long *place)
{
    while (*place < limit) {
        long token = judge->lists[file][(*place)++];
        if (token >= 0 && judge->operations[token].set == set)
            return token;
    }
    return -1;
}

/* Whether the commits of the set among the first `limits` tokens of its files are the same. */
static bool same_commits(const struct judge *judge, int set, const long limits[SET_MEMBERS])
{
    long places[SET_MEMBERS] = {0}, first;
    do {
        first = next_of_set(judge, set_members[set][0], set, limits[0], &places[0]);
        for (int i = 1; i < SET_MEMBERS; i++)
            if (next_of_set(judge, set_members[set][i], set, limits[i], &places[i]) != first)
                return false;
    } while (first >= 0);
    return true;
}

/* Rule 6: of the acknowledged tokens of this file the latest place that ended before. */
static bool is_fresh(const struct judge *judge, int file, long seen, uint64_t begun)
{
    for (long i = seen; i < judge->counts[file]; i++) {
        long token = judge->lists[file][i];
        if (token < 0)
            continue;
        const struct operation *operation = &judge->history->operations[token];
        if (operation->outcome == ACKNOWLEDGED && operation->ended < begun)
            return false;
    }
    return true;
}

/* Rule 7. */
static bool was_updated(const struct judge *judge, int set, const long limits[SET_MEMBERS])
{
    for (int i = 0; i < SET_MEMBERS; i++) {
        long last = limits[i] > 0 ? judge->lists[set_members[set][i]][limits[i] - 1] : -1;
        if (last >= 0 && judge->operations[last].set < 0)
            return true;
    }
    return false;
}

static void judge_read(struct judge *judge, long number)
{
    const struct set_operation *read = &judge->operations[number];
    const struct operation *operation = &judge->history->operations[number];
    long limits[SET_MEMBERS];
    judge->verdict->reads++;
    if (operation->outcome != ACKNOWLEDGED) {
        judge->verdict->failed_reads += operation->outcome == FAILED;
        return;
    }
    bool whole = true, fresh = true;
    for (int i = 0; i < SET_MEMBERS; i++) {
        int file = set_members[read->set][i];
        limits[i] = (long)(read->sizes[i] / TOKEN_SIZE);
        whole = whole && limits[i] <= judge->counts[file] && read->sizes[i] % TOKEN_SIZE == 0 &&
                judge->hashes[file][limits[i]] == read->hashes[i];
        fresh = fresh && is_fresh(judge, file, limits[i], operation->begun);
    }
    judge->verdict->mixed_reads += !whole || !same_commits(judge, read->set, limits);
    judge->verdict->stale_reads += !fresh;
    judge->verdict->edited_reads += read->edited;
    judge->verdict->falsely_edited +=
        read->edited && whole && !was_updated(judge, read->set, limits);
}

bool set_history_judge(const struct history *history, const struct set_operation *operations,
                       char *const data[SET_FILES], const size_t sizes[SET_FILES],
                       struct set_verdict *ret)
{
    struct judge judge = {.history = history, .operations = operations, .verdict = ret};
    *ret = (struct set_verdict){0};
    judge.known = history->used < history->limit ? history->used : history->limit;
    for (int file = 0; file < SET_FILES; file++)
        read_list(&judge, file, data[file], sizes[file]);
    for (long i = 0; i < judge.known; i++) {
        if (history->operations[i].outcome == NOT_BEGUN)
            continue;
        if (history->operations[i].is_read)
            judge_read(&judge, i);
        else
            judge_write(&judge, i);
    }
    for (int set = 0; set < SETS; set++) {
        long all[SET_MEMBERS];
        for (int i = 0; i < SET_MEMBERS; i++)
            all[i] = judge.counts[set_members[set][i]];
        ret->out_of_order += !same_commits(&judge, set, all);
    }
    for (int file = 0; file < SET_FILES; file++) {
        judge_order(&judge, file);
        free(judge.lists[file]), free(judge.places[file]), free(judge.hashes[file]);
    }
    return ret->lost + ret->torn_sets + ret->doubled + ret->phantoms + ret->out_of_order +
               ret->mixed_reads + ret->stale_reads + ret->failed_reads + ret->falsely_edited ==
           0;
}
