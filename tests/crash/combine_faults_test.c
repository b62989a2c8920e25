/* run: plain, budget 40
 *
 * Combined edits whose calls fail: of one who edits alone, and of one who makes the edits of two
 * that wait. Each of both is told what became of its own: after "failed" it is not there, after
 * "done" it is, whatever crash comes then; after "not settled" it is one of both, and the next call
 * settles it. [COMBINE-1] [COMBINE-2] [COMBINE-4] */
#include "several.h"

/* ---- the library's own, with what a broken one would do ---- */

#include "combine/area.h"
#include "file/batch.h"

enum {
    EDIT_DONE = 0,
    EDIT_FAILED = 8,
    EDIT_UNSETTLED = 16,
    SEEN = 24,
    NOT_SEEN = 32,
    TO_BE_NOTED = 40,
    IN_DOUBT = 48
};

/* Of what is not settled: nothing is said, or only after the batch was noted as done. */
static enum { SOUND, SWALLOWS, IS_LATE } manner;

static struct {
    struct area *area; /* NULL: nothing */
    int slot;
    struct untorn_error answer;
} late;

static void prepare_in_this_manner(struct area *area, int slot, const struct untorn_error *answer)
{
    late.area = NULL;
    if (manner == SOUND || answer->status < UNTORN_UNSETTLED_FLUSH) {
        area_prepare(area, slot, answer);
    } else if (manner == IS_LATE) {
        late.area = area;
        late.slot = slot;
        late.answer = *answer;
    }
}

static int end_in_this_manner(struct batch *batch, enum batch_verdict verdict)
{
    if (batch->number == 0)
        return 0;
    if (verdict == BATCH_DONE)
        sim_ack(TO_BE_NOTED);
    int rc = batch_end(batch, verdict);
    if (late.area)
        area_prepare(late.area, late.slot, &late.answer);
    return rc;
}

#define area_prepare prepare_in_this_manner
#define batch_end end_in_this_manner
#include "combine/combine.c"
#undef area_prepare
#undef batch_end

/* ---- alone ---- */

static int set_value(const struct trial *trial)
{
    struct untorn_edit edit = {.kind = UNTORN_SET, .key = "n", .value = "2", .value_size = 1};
    return untorn_edit(trial->path, &edit, 1, NULL, &trial->options, NULL);
}

static struct trial alone(void)
{
    return (struct trial){.path = "/d/a.json",
                          .old = "{\"n\": \"1\"}\n",
                          .new = "{\"n\": \"2\"}\n",
                          .act = set_value,
                          .prepare = with_state_folder};
}

TEST(each_call_of_one_who_edits_alone_fails)
{
    struct trial trial = alone();
    CHECK_INT(explore_faults(trial, "alone").bad, 0);
    trial.options.level = UNTORN_ORDERED;
    if (is_long())
        CHECK_INT(explore_faults(trial, "alone, ordered").bad, 0);
    trial.options.level = UNTORN_CACHE;
    trial.profiles = SIM_KILL;
    CHECK_INT(explore_faults(trial, "alone, cache").bad, 0);
}

TEST(each_call_of_one_who_makes_the_file_fails)
{
    struct trial trial = alone();
    trial.old = NULL;
    trial.new = "{\n  \"n\": 2\n}\n";
    CHECK_INT(explore_faults(trial, "alone, a new file").bad, 0);
}

/* ---- two who wait while a third holds the lock ---- */

struct asked {
    const char *name;
    sim_program *first; /* of both, and the one whose calls fail; NULL: edit */
    const struct sim_fault *faults;
    size_t count;
    int at;            /* which call fails; 0: each in turn */
    unsigned profiles; /* 0: no crash, but the living are looked at */
    int preemptions, kills;
    long orders; /* at most, of each fault; 0: all */
    bool quiet;
};

static const struct sim_fault no_fault;

static enum untorn_level level;
static int keep;
static long told[3]; /* how often each outcome was */

struct look {
    char letter;
    bool seen;
};

/* The next call: what it finds is what it leaves. */
static int look_and_add(void *context, const struct untorn_content *old,
                        struct untorn_change *change)
{
    struct look *look = context;
    const char *text = old->data;
    char made[200];
    look->seen = strchr(text, look->letter) != NULL;
    int size = snprintf(made, sizeof made, "{\"x\": 0,%s", text + 1);
    return untorn_change_set(change, made, (size_t)size);
}

static void settle(int number, const struct untorn_options *options)
{
    struct look look = {.letter = letter_of(number)};
    if (untorn_update(shared_file, look_and_add, &look, options, NULL) == 0)
        sim_ack((look.seen ? SEEN : NOT_SEEN) + number);
}

static void edit(void *context, int number)
{
    struct untorn_options options = {.level = level, .wait_ms = 200, .keep = keep};
    (void)context;
    int rc = edit_shared("l[+]", letter_of(number), &options);
    told[rc == 0 ? DONE : rc < 0 ? FAILED : UNSETTLED]++;
    sim_ack((rc == 0 ? EDIT_DONE : rc < 0 ? EDIT_FAILED : EDIT_UNSETTLED) + number);
    if (rc > 0) {
        os_sleep_ns(1000000); /* until the other knows what it is told */
        settle(number, &options);
    }
}

/* Of an edit that cannot be made nothing is ever in doubt. */
static void edit_nonsense(void *context, int number)
{
    struct untorn_options options = {.level = level, .wait_ms = 200};
    (void)context;
    int rc = edit_shared("l.x", letter_of(number), &options);
    told[rc == 0 ? DONE : rc < 0 ? FAILED : UNSETTLED]++;
    if (rc >= 0)
        sim_ack(IN_DOUBT + number);
}

/* With `kills` the one may die whose flush has failed before it could say so: then nobody can know.
 * Once it is about to be noted that the batch is done, everybody does. */
static bool may_be_lost(const struct asked *asked)
{
    return asked->kills > 0 && asked->faults != &no_fault && !sim_acked(TO_BE_NOTED);
}

static const char *judge_letter(const struct asked *asked, int number, int found)
{
    bool durable =
        (level == UNTORN_DURABLE || sim_profile() == SIM_PROFILE_KILL) && !may_be_lost(asked);
    if (sim_acked(IN_DOUBT + number))
        return "an edit that cannot be made did not fail";
    if (found > 1)
        return "an edit was made twice";
    if (sim_acked(EDIT_FAILED + number) && found > 0)
        return "an edit that failed was made";
    if (sim_acked(EDIT_DONE + number) && found == 0 && durable)
        return "an edit that was done is lost";
    if (sim_acked(SEEN + number) && found == 0 && durable)
        return "an edit is lost that the next call had settled";
    if (sim_acked(NOT_SEEN + number) && found > 0)
        return "an edit came after the next call had found it missing";
    return NULL;
}

static const char *verify(void *context)
{
    const char *text = sim_get(shared_file), *verdict = judge_is_document(text);
    for (int number = 0; number < 4 && !verdict; number++)
        verdict = judge_letter(context, number, count_letter(text, letter_of(number)));
    return verdict;
}

static void setup(void *context)
{
    static const char start[] = "{\"l\": []}";
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    (void)context;
    sim_put(shared_file, "{}");
    CHECK_INT(untorn_write(shared_file, start, strlen(start), &options, NULL), 0);
    sim_settle();
}

static struct sim_interleavings run(struct asked asked, struct sim_report *ret_crashes)
{
    struct sim_interleavings orders;
    struct sim_scenario scenario = {.name = asked.name,
                                    .recover = touch_shared,
                                    .verify = verify,
                                    .context = &asked,
                                    .profiles = asked.profiles,
                                    .options = {.unit = 512, .reuse = SIM_REUSE_AFTER_RESTART},
                                    .limit = is_long() ? 5000 : 200,
                                    .quiet = asked.quiet};
    struct sim_interleaving two = {
        .name = asked.name,
        .setup = setup,
        .processes = {hold_for_a_while, asked.first ? asked.first : edit, edit},
        .verify = verify,
        .context = &asked,
        .options = scenario.options,
        .preemptions = asked.preemptions,
        .kills = asked.kills,
        .limit = asked.orders,
        .steps = 20000, /* for who is interrupted each time */
        .every_order = asked.profiles != 0,
        .crashes = asked.profiles ? &scenario : NULL,
        .crash_report = ret_crashes,
        .quiet = asked.quiet};
    *ret_crashes = (struct sim_report){0};
    memset(told, 0, sizeof told);
    two.fault = *asked.faults;
    two.fault.at = asked.at;
    if (asked.at || asked.faults == &no_fault)
        sim_interleave(&two, &orders);
    else
        sim_interleave_faults(&two, asked.faults, asked.count, &orders);
    sim_print_interleavings(&two, &orders);
    if (asked.profiles)
        sim_print(&scenario, ret_crashes);
    printf("      told: %ld done, %ld failed, %ld not settled\n", told[DONE], told[FAILED],
           told[UNSETTLED]);
    CHECK_INT(orders.cut, 0);
    orders.bad += ret_crashes->bad;
    return orders;
}

/* Of the first of both who edit. Which of them makes the edits of both, the order says. */
enum { FIRST = 2 };

static const struct sim_fault failing_flushes[] = {
    {.error = EIO, .verbs = SIM_ONLY(SIM_FLUSH) | SIM_ONLY(SIM_FLUSH_DIR), .process = FIRST},
    {.error = EIO,
     .verbs = SIM_ONLY(SIM_FLUSH) | SIM_ONLY(SIM_FLUSH_DIR),
     .forever = true,
     .process = FIRST},
    {.error = EIO, .effect = SIM_REVERTED, .verbs = SIM_ONLY(SIM_FLUSH), .process = FIRST},
};
static const struct sim_fault failing_name = {
    .error = EIO, .verbs = SIM_ONLY(SIM_FLUSH_DIR), .process = FIRST};
enum { FAILING_FLUSHES = sizeof failing_flushes / sizeof *failing_flushes };

/* All in a long run; else one error stands for those that are met alike. */
static const struct sim_fault *usual(size_t *ret_count)
{
    static struct sim_fault faults[32];
    size_t count = 0;
    CHECK(sim_usual_fault_count <= sizeof faults / sizeof *faults);
    for (size_t i = 0; i < sim_usual_fault_count; i++) {
        const struct sim_fault *fault = &sim_usual_faults[i];
        bool alike = fault->error == EACCES || fault->error == EROFS ||
                     (fault->error == ENOSPC && !fault->effect) ||
                     (fault->error == EINTR && fault->forever);
        if (alike && !is_long())
            continue;
        faults[count] = *fault;
        faults[count++].process = FIRST;
    }
    *ret_count = count;
    return faults;
}

TEST(each_call_of_one_who_makes_the_edits_of_both_fails)
{
    struct sim_report crashes;
    struct asked asked = {.name = "two"};
    asked.faults = usual(&asked.count);
    CHECK_INT(run(asked, &crashes).bad, 0);
    CHECK(told[DONE] > 0 && told[FAILED] > 0 && told[UNSETTLED] > 0);
    level = UNTORN_CACHE;
    asked.name = "two, cache";
    if (is_long())
        CHECK_INT(run(asked, &crashes).bad, 0);
    level = UNTORN_DURABLE;
    asked.name = "two, a preemption";
    asked.count = 1;
    asked.preemptions = 1;
    if (is_long())
        CHECK_INT(run(asked, &crashes).bad, 0);
}

TEST(what_each_was_told_holds_after_every_crash)
{
    static const struct sim_fault faults[] = {{.error = EIO, .process = FIRST},
                                              {.error = EIO, .forever = true, .process = FIRST}};
    struct sim_report crashes;
    struct asked asked = {
        .name = "two, crashes", .faults = faults, .count = 2, .profiles = SIM_KILL | SIM_POSIX};
    asked.orders = is_long() ? 6 : 2;
    if (is_long())
        asked.faults = usual(&asked.count);
    CHECK_INT(run(asked, &crashes).bad, 0);
    CHECK(crashes.deeper > 0);
    asked.name = "two, flushes";
    asked.faults = failing_flushes;
    asked.count = FAILING_FLUSHES;
    asked.profiles = is_long() ? SIM_ALL_GATES : SIM_KILL | SIM_POSIX;
    asked.preemptions = is_long();
    asked.orders = is_long() ? 200 : 0;
    CHECK_INT(run(asked, &crashes).bad, 0);
    level = UNTORN_ORDERED;
    asked.name = "two, flushes, ordered";
    CHECK_INT(run(asked, &crashes).bad, 0);
}

TEST(what_is_not_settled_is_told_although_its_maker_is_killed)
{
    struct sim_report crashes;
    struct asked asked = {
        .name = "two, a kill", .faults = &failing_name, .at = 1, .profiles = SIM_POSIX, .kills = 1};
    keep = UNTORN_KEEP_NONE; /* then the first such flush is that of the name */
    asked.orders = is_long() ? 0 : 1500;
    CHECK_INT(run(asked, &crashes).bad, 0);
    asked.name = "two, a kill, told late";
    asked.quiet = true;
    manner = IS_LATE;
    CHECK(run(asked, &crashes).bad > 0);
}

/* The next who has the lock makes durable what the dead one did, before anybody is told. */
TEST(what_one_made_who_was_killed_is_durable_for_whom_it_was_made)
{
    struct sim_report crashes;
    struct asked asked = {.name = "two, a kill and no failure",
                          .faults = &no_fault,
                          .profiles = SIM_POSIX,
                          .kills = 1};
    keep = UNTORN_KEEP_NONE;
    asked.orders = is_long() ? 0 : 1500;
    CHECK_INT(run(asked, &crashes).bad, 0);
    CHECK(told[DONE] > 0);
}

TEST(who_cannot_make_its_own_edit_is_told_just_that)
{
    struct sim_report crashes;
    struct asked asked = {.name = "one makes nonsense",
                          .first = edit_nonsense,
                          .faults = failing_flushes,
                          .count = FAILING_FLUSHES};
    if (is_long())
        asked.faults = usual(&asked.count);
    CHECK_INT(run(asked, &crashes).bad, 0);
    CHECK(told[UNSETTLED] > 0); /* the other */
}

/* ---- what is broken shows ---- */

TEST(an_edit_that_is_acknowledged_though_its_flush_failed_is_caught)
{
    struct sim_report crashes;
    struct asked asked = {.name = "a failure that is kept to itself",
                          .faults = failing_flushes,
                          .count = 1,
                          .profiles = SIM_POSIX,
                          .quiet = true};
    manner = SWALLOWS;
    CHECK(run(asked, &crashes).bad > 0);
    asked.profiles = SIM_KILL;
    CHECK_INT(run(asked, &crashes).bad, 0);
}

TEST(a_flush_that_is_forgotten_is_caught)
{
    static const struct sim_fault forgotten = {.effect = SIM_OMITTED,
                                               .verbs =
                                                   SIM_ONLY(SIM_FLUSH) | SIM_ONLY(SIM_FLUSH_DIR),
                                               .process = FIRST};
    struct sim_report crashes;
    struct asked asked = {.name = "a flush is forgotten",
                          .faults = &forgotten,
                          .count = 1,
                          .profiles = SIM_POSIX,
                          .quiet = true};
    CHECK(run(asked, &crashes).bad > 0);
}
