#include "edit_judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit_scheme.h"
#include "place.h"

enum { STORIES = 6 };

static const char *const rules[EDIT_RULES] = {
    NULL,
    "an acknowledged update is there exactly once",
    "nothing is there that failed or was never begun",
    "a function saw the list it was applied to",
    "the order agrees with time",
    "no read failed or was torn",
    "no read was stale",
    "each update ended as it may",
    "the edits of an update are there together",
    "nothing is left over",
    "nobody hangs or ends by itself",
};

struct judging {
    struct edit_shared *shared;
    struct edit_verdict *verdict;
    long file;
    const struct edit_list *list;
    long stories;
};

static void tell(struct judging *judging, int rule, long number, const char *what)
{
    const struct operation *operation =
        &edit_history(judging->shared, judging->file)->operations[number];
    const struct edit_operation *edit = &edit_operations(judging->shared, judging->file)[number];
    if (judging->stories++ >= STORIES)
        return;
    fprintf(
        stderr,
        "rule %d: file %ld, operation %08ld (%s) of worker %u seat %u, status %d (%s), waited "
        "%.3f of %d ms: %s\n",
        rule, judging->file, number, edit_kind_names[edit->kind], operation->worker / EDIT_SEATS,
        operation->worker % EDIT_SEATS, edit->status, untorn_status_name(edit->status),
        operation->ended > operation->begun ? (double)(operation->ended - operation->begun) / 1e6
                                            : 0,
        edit->wait_ms, what);
}

static bool status_is_allowed(const struct judging *judging, const struct operation *operation,
                              const struct edit_operation *edit)
{
    int status = edit->status;
    long waited_ms = (long)((operation->ended - operation->begun) / 1000000);
    if (status == edit_expected_status((enum edit_kind)edit->kind))
        return true;
    if (status == -UNTORN_LOCKED)
        return edit->wait_ms < 0 || (waited_ms >= edit->wait_ms - 1 &&
                                     edit->wait_ms != (int)judging->shared->orders.wait_ms);
    return judging->shared->orders.rinsed &&
           (status > 0 || status == -UNTORN_RESTLESS || status == -UNTORN_NO_STATE);
}

static long times_in_list(const struct edit_list *list, long number)
{
    char token[24];
    long times = 0;
    snprintf(token, sizeof token, "%08ld\n", number);
    for (size_t at = 0; at < list->size; at += TOKEN_SIZE)
        times += memcmp(list->tokens + at, token, TOKEN_SIZE) == 0;
    return times;
}

/* Of what the judge of histories counted, says which updates it was. */
static void tell_stories(struct judging *judging, const struct history_verdict *counted)
{
    const struct history *history = edit_history(judging->shared, judging->file);
    if (counted->lost + counted->doubled + counted->phantoms == 0)
        return;
    for (long i = 0; i < history->limit && judging->stories < STORIES; i++) {
        int outcome = atomic_load(&history->operations[i].outcome);
        if (history->operations[i].is_read || outcome == NOT_BEGUN)
            continue;
        long times = times_in_list(judging->list, i);
        if (times > 1 || (outcome == ACKNOWLEDGED && times == 0))
            tell(judging, 1, i, times > 1 ? "applied twice" : "lost");
        else if (outcome == FAILED && times > 0)
            tell(judging, 2, i, "applied and yet failed");
    }
}

static void tell_bad_reads(struct judging *judging, const struct history_verdict *counted)
{
    const struct history *history = edit_history(judging->shared, judging->file);
    if (counted->failed_reads + counted->torn_reads == 0)
        return;
    for (long i = 0; i < history->limit && judging->stories < STORIES; i++) {
        const struct operation *read = &history->operations[i];
        int outcome = atomic_load(&read->outcome);
        if (!read->is_read || outcome == NOT_BEGUN || outcome == BEGUN)
            continue;
        size_t size = (size_t)read->read_count * TOKEN_SIZE;
        char what[96];
        snprintf(what, sizeof what, "saw %ld tokens, and not the first of the %zu at the end",
                 read->read_count, judging->list->size / TOKEN_SIZE);
        if (outcome == FAILED)
            tell(judging, 5, i, "failed");
        else if (size > judging->list->size ||
                 history_hash(judging->list->tokens, size) != read->read_hash)
            tell(judging, 5, i, what);
    }
}

static void judge_statuses(struct judging *judging)
{
    const struct history *history = edit_history(judging->shared, judging->file);
    const struct edit_operation *edits = edit_operations(judging->shared, judging->file);
    struct edit_verdict *verdict = judging->verdict;
    for (long i = 0; i < history->limit; i++) {
        const struct operation *operation = &history->operations[i];
        int outcome = atomic_load(&operation->outcome);
        if (outcome == NOT_BEGUN || outcome == BEGUN)
            continue;
        if (operation->is_read) {
            verdict->broken[8] += edits[i].mixed;
            continue;
        }
        verdict->late += edits[i].status == -UNTORN_LOCKED;
        verdict->unsettled += outcome == UNSETTLED;
        verdict->refused += outcome == FAILED && edits[i].status != -UNTORN_LOCKED;
        if (!status_is_allowed(judging, operation, &edits[i])) {
            verdict->broken[7]++;
            tell(judging, 7, i, "may not end so");
        }
    }
}

static void add_up(struct edit_verdict *verdict, const struct history_verdict *counted)
{
    verdict->updates += counted->writes;
    verdict->acknowledged += counted->acknowledged;
    verdict->in_doubt += counted->in_doubt;
    verdict->in_doubt_applied += counted->in_doubt_applied;
    verdict->reads += counted->reads;
    verdict->broken[1] += counted->lost + counted->doubled;
    verdict->broken[2] += counted->phantoms;
    verdict->broken[3] += counted->wrong_reads_from;
    verdict->broken[4] += counted->out_of_order;
    verdict->broken[5] += counted->torn_reads + counted->failed_reads;
    verdict->broken[6] += counted->stale_reads;
}

static void judge_file(struct edit_shared *shared, long file, struct edit_verdict *verdict)
{
    struct edit_job job = {.shared = shared, .file = file};
    struct edit_list list = {0};
    struct history_verdict counted;
    edit_file_name(atomic_load(&shared->epoch), file, job.name);
    if (!edit_scheme_read(&job, &list)) {
        fprintf(stderr, "rule 5: %s cannot be read at the end\n", job.name);
        verdict->broken[5]++;
    }
    verdict->broken[8] += list.mixed;
    struct judging judging = {shared, verdict, file, &list, 0};
    history_judge(edit_history(shared, file), list.tokens, list.size, &counted);
    add_up(verdict, &counted);
    judge_statuses(&judging);
    tell_stories(&judging, &counted);
    tell_bad_reads(&judging, &counted);
    edit_list_free(&list);
}

static void judge_leftovers(struct edit_shared *shared, struct edit_verdict *verdict)
{
    char allowed[EDIT_FILES * (2 * EDIT_NAME + 8)] = EDIT_DETOUR " ", name[EDIT_NAME], problem[512];
    for (long i = 0; i < shared->orders.files; i++) {
        edit_file_name(atomic_load(&shared->epoch), i, name);
        size_t used = strlen(allowed);
        snprintf(allowed + used, sizeof allowed - used, "%s %s.lock ", name, name);
    }
    if (!place_is_tidy(".", allowed, problem, sizeof problem)) {
        fprintf(stderr, "rule 9: %s\n", problem);
        verdict->broken[9]++;
    }
}

void edit_judge(struct edit_shared *shared, struct edit_verdict *verdict)
{
    for (long i = 0; i < shared->orders.files; i++)
        judge_file(shared, i, verdict);
    if (!shared->orders.rinsed)
        judge_leftovers(shared, verdict);
}

bool edit_verdict_is_good(const struct edit_verdict *verdict)
{
    long broken = 0;
    for (int i = 1; i < EDIT_RULES; i++)
        broken += verdict->broken[i];
    return broken == 0;
}

void edit_verdict_print(const struct edit_verdict *verdict)
{
    for (int i = 1; i < EDIT_RULES; i++)
        if (verdict->broken[i] > 0)
            printf("    broken: rule %d, %s (%ld times)\n", i, rules[i], verdict->broken[i]);
}
