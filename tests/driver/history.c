#include "history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

uint64_t history_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

size_t history_size(long limit)
{
    return sizeof(struct history) + (size_t)limit * sizeof(struct operation);
}

void history_reset(struct history *history, long limit)
{
    memset(history, 0, history_size(limit));
    history->limit = limit;
}

struct history *history_make(long limit)
{
    struct history *history =
        mmap(NULL, history_size(limit), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (history == MAP_FAILED) {
        perror("history");
        exit(125);
    }
    history->limit = limit;
    return history;
}

long history_begin(struct history *history, bool is_read, uint32_t worker)
{
    long number = atomic_fetch_add(&history->used, 1);
    if (number >= history->limit)
        return -1;
    struct operation *operation = &history->operations[number];
    operation->is_read = is_read;
    operation->worker = worker;
    operation->read_count = READ_UNKNOWN;
    operation->begun = history_now();
    atomic_store(&operation->outcome, BEGUN);
    return number;
}

void history_end(struct history *history, long number, enum outcome outcome)
{
    history->operations[number].ended = history_now();
    atomic_store(&history->operations[number].outcome, outcome);
}

uint64_t history_hash(const char *data, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)data[i]) * 1099511628211u;
    return hash;
}

/* ---- the judge ---- */

struct judge {
    const struct history *history;
    struct history_verdict *verdict;
    const char *data;
    long count;       /* tokens in the final list */
    long known;       /* operations in the history */
    long *list;       /* the final list; -1 where there is no token */
    long *places;     /* of each operation in it; -1: not there */
    uint64_t *hashes; /* of the first n tokens of it */
    struct acked {
        uint64_t ended;
        long place;
    } * acked; /* by end; place: largest up to here */
    long acked_count;
};

static void read_list(struct judge *judge)
{
    uint64_t hash = history_hash(NULL, 0);
    judge->hashes[0] = hash;
    for (long i = 0; i < judge->count; i++) {
        const char *token = judge->data + i * TOKEN_SIZE;
        for (int k = 0; k < TOKEN_SIZE; k++)
            hash = (hash ^ (unsigned char)token[k]) * 1099511628211u;
        judge->hashes[i + 1] = hash;
        char *end = NULL;
        long number = strtol(token, &end, 10);
        bool good = end == token + TOKEN_SIZE - 1 && *end == '\n' && number >= 0 &&
                    number < judge->known && !judge->history->operations[number].is_read;
        judge->list[i] = good ? number : -1;
        if (!good)
            judge->verdict->phantoms++;
        else if (judge->places[number] >= 0)
            judge->verdict->doubled++;
        else
            judge->places[number] = i;
    }
}

static bool read_what_is_before(const struct judge *judge, const struct operation *operation,
                                long place)
{
    return operation->read_count == READ_UNKNOWN ||
           (operation->read_count == place &&
            (operation->read_hash == 0 || operation->read_hash == judge->hashes[place]));
}

static void judge_writes(struct judge *judge)
{
    struct history_verdict *verdict = judge->verdict;
    for (long i = 0; i < judge->known; i++) {
        const struct operation *operation = &judge->history->operations[i];
        int outcome = atomic_load(&operation->outcome);
        if (operation->is_read || outcome == NOT_BEGUN)
            continue;
        verdict->writes++;
        bool there = judge->places[i] >= 0;
        if (outcome == ACKNOWLEDGED) {
            verdict->acknowledged++;
            verdict->lost += !there;
        } else if (outcome == FAILED) {
            verdict->failed++;
            verdict->phantoms += there;
        } else {
            verdict->in_doubt++;
            verdict->in_doubt_applied += there;
        }
        if (there && !read_what_is_before(judge, operation, judge->places[i]))
            verdict->wrong_reads_from++;
    }
}

static void judge_order(struct judge *judge)
{
    uint64_t latest_begin = 0;
    for (long i = 0; i < judge->count; i++) {
        if (judge->list[i] < 0)
            continue;
        const struct operation *operation = &judge->history->operations[judge->list[i]];
        if (operation->begun > latest_begin)
            latest_begin = operation->begun;
        if (atomic_load(&operation->outcome) == ACKNOWLEDGED && operation->ended < latest_begin)
            judge->verdict->out_of_order++;
    }
}

static int by_end(const void *a, const void *b)
{
    const struct acked *left = a, *right = b;
    return left->ended < right->ended ? -1 : left->ended > right->ended;
}

static void sort_acknowledged(struct judge *judge)
{
    for (long i = 0; i < judge->known; i++) {
        const struct operation *operation = &judge->history->operations[i];
        if (!operation->is_read && atomic_load(&operation->outcome) == ACKNOWLEDGED &&
            judge->places[i] >= 0)
            judge->acked[judge->acked_count++] = (struct acked){operation->ended, judge->places[i]};
    }
    qsort(judge->acked, (size_t)judge->acked_count, sizeof judge->acked[0], by_end);
    for (long i = 1; i < judge->acked_count; i++)
        if (judge->acked[i].place < judge->acked[i - 1].place)
            judge->acked[i].place = judge->acked[i - 1].place;
}

/* The place of the last token that was acknowledged before `time`, or -1. */
static long acknowledged_before(const struct judge *judge, uint64_t time)
{
    long low = 0, high = judge->acked_count;
    while (low < high) {
        long middle = low + (high - low) / 2;
        if (judge->acked[middle].ended < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? -1 : judge->acked[low - 1].place;
}

static void judge_reads(struct judge *judge)
{
    for (long i = 0; i < judge->known; i++) {
        const struct operation *operation = &judge->history->operations[i];
        if (!operation->is_read || atomic_load(&operation->outcome) == NOT_BEGUN ||
            atomic_load(&operation->outcome) == BEGUN)
            continue;
        judge->verdict->reads++;
        long count = operation->read_count;
        if (atomic_load(&operation->outcome) != ACKNOWLEDGED)
            judge->verdict->failed_reads++;
        else if (count < 0 || count > judge->count || judge->hashes[count] != operation->read_hash)
            judge->verdict->torn_reads++;
        else if (acknowledged_before(judge, operation->begun) >= count)
            judge->verdict->stale_reads++;
    }
}

bool history_judge(const struct history *history, const char *data, size_t size,
                   struct history_verdict *ret)
{
    long used = atomic_load(&history->used);
    *ret = (struct history_verdict){0};
    struct judge judge = {.history = history, .verdict = ret, .data = data};
    judge.known = used < history->limit ? used : history->limit;
    judge.count = (long)(size / TOKEN_SIZE);
    judge.list = calloc((size_t)judge.count + 1, sizeof judge.list[0]);
    judge.places = calloc((size_t)judge.known + 1, sizeof judge.places[0]);
    judge.hashes = calloc((size_t)judge.count + 1, sizeof judge.hashes[0]);
    judge.acked = calloc((size_t)judge.known + 1, sizeof judge.acked[0]);
    if (!judge.list || !judge.places || !judge.hashes || !judge.acked)
        exit(125);
    memset(judge.places, 0xff, (size_t)judge.known * sizeof judge.places[0]);
    ret->tokens = judge.count;
    ret->phantoms = size % TOKEN_SIZE != 0;
    read_list(&judge);
    judge_writes(&judge);
    judge_order(&judge);
    sort_acknowledged(&judge);
    judge_reads(&judge);
    free(judge.list);
    free(judge.places);
    free(judge.hashes);
    free(judge.acked);
    return ret->lost + ret->doubled + ret->phantoms + ret->wrong_reads_from + ret->out_of_order +
               ret->torn_reads + ret->stale_reads + ret->failed_reads ==
           0;
}

void history_tally(long updates, long kills)
{
    printf("    tally: concurrent updates %ld\n    tally: kills %ld\n", updates, kills);
}
