/* run: plain, budget 30
 *
 * Several processes work on the same files in every order that one preemption gives, and in each
 * order the power goes at every point, or all are killed; and again inside the recovery. What was
 * acknowledged to anyone is there, once; nothing is torn; the next call works. Equal disks are
 * looked at once, whatever the order that led to them. [LOCK-1] [TXN-2] [TXN-3] [BATCH-3] */
#include "several.h"

struct work {
    const char *name;
    sim_program *processes[4];
    const char *(*judge)(void);
    void (*next)(void *context); /* what recovers, and any next call */
    const char *start;
    void (*prepare)(void); /* the rest */
    enum untorn_level level;
    unsigned profiles, broken;
    int orders, states; /* at most so many; of states for each crash point. 0: all */
    bool quiet;
};

static enum untorn_level level;

enum { REFUSED = 8 }; /* acknowledged besides: that a process was told so */

/* ---- one list to which each adds its letter ---- */

static int add_letter(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    char text[64];
    int size =
        snprintf(text, sizeof text, "%s%c", (const char *)old->data, letter_of(*(int *)context));
    return untorn_change_set(change, text, (size_t)size);
}

static void note(int rc, int number)
{
    if (rc == 0)
        sim_ack(number);
}

static void update(void *context, int number)
{
    struct untorn_options options = {.level = level, .wait_ms = 60000};
    (void)context;
    note(untorn_update(shared_file, add_letter, &number, &options, NULL), number);
}

static void overwrite(void *context, int number)
{
    struct untorn_options options = {.level = level, .wait_ms = 60000, .keep_inode = true};
    (void)context;
    note(untorn_update(shared_file, add_letter, &number, &options, NULL), number);
}

static void append(void *context, int number)
{
    char line[] = {letter_of(number), '\n'};
    struct untorn_options options = {.level = level, .wait_ms = 60000};
    (void)context;
    note(untorn_append(shared_file, line, sizeof line, UNTORN_RECORDS_TEXT, &options, NULL),
         number);
}

static void edit(void *context, int number)
{
    struct untorn_options options = {.level = level, .wait_ms = 60000};
    (void)context;
    note(edit_shared("l[+]", letter_of(number), &options), number);
}

static const char *judge_text(const char *text)
{
    bool durable = level == UNTORN_DURABLE || sim_profile() == SIM_PROFILE_KILL;
    if (!text)
        return "the file is gone";
    for (int number = 0; number < 3; number++) {
        int found = count_letter(text, letter_of(number));
        if (found > 1)
            return "an update was made twice";
        if (found == 0 && sim_acked(number) && durable)
            return "an acknowledged update is lost";
    }
    return NULL;
}

static const char *judge_list(void)
{
    const char *text = sim_get(shared_file);
    const char *verdict = judge_text(text);
    return verdict || strncmp(text, "0", 1) == 0 ? verdict : "the beginning is lost";
}

static const char *judge_document(void)
{
    const char *text = sim_get(shared_file), *verdict = judge_is_document(text);
    return verdict ? verdict : judge_text(text);
}

/* ---- two sets that have a file in common ---- */

static int commit_both(const char *first, const char *second, const char *text)
{
    struct untorn_options options = {.level = level, .wait_ms = 60000, .keep = UNTORN_KEEP_NONE};
    struct untorn_transaction *save = NULL;
    int rc = untorn_transaction_begin(&options, &save, NULL);
    if (rc == 0)
        rc = untorn_transaction_put(save, first, text, strlen(text), NULL, NULL);
    if (rc == 0)
        rc = untorn_transaction_put(save, second, text, strlen(text), NULL, NULL);
    if (rc == 0)
        rc = untorn_transaction_commit(save, NULL);
    untorn_transaction_free(save);
    return rc;
}

static void commit(void *context, int number)
{
    (void)context;
    note(number ? commit_both("/d/other", shared_file, "0B")
                : commit_both(shared_file, "/d/other", "0A"),
         number);
}

static const char *judge_sets(void)
{
    const char *one = sim_get(shared_file), *other = sim_get("/d/other");
    if (!one || !other || strcmp(one, other) != 0)
        return "two files of a set do not belong together";
    bool some = sim_acked(0) || sim_acked(1);
    return some && strcmp(one, "0") == 0 ? "an acknowledged set is lost" : NULL;
}

static void touch_both(void *context)
{
    (void)untorn_update("/d/other", leave, NULL, NULL, NULL);
    touch_shared(context);
}

/* ---- one who goes back to an earlier version, and one who writes ---- */

/* "0x" and "0y" are versions of the list, which is "0z". */
static const char list[] = "/d/list";
static const struct untorn_options keeping = {.wait_ms = 60000, .keep = 8};

static void make_versions(void)
{
    for (const char *letter = "xyz"; *letter; letter++) {
        char text[] = {'0', *letter, '\0'};
        CHECK_INT(untorn_write(list, text, 2, &keeping, NULL), 0);
    }
}

static void write_list(void *context, int number)
{
    (void)context;
    note(untorn_update(list, add_letter, &number, &keeping, NULL), number);
}

static void undo(void *context, int number)
{
    (void)context;
    note(untorn_undo(list, NULL, NULL, &keeping, NULL), number);
}

static void restore_second(void *context, int number)
{
    (void)context;
    note(untorn_restore(list, 2, &keeping, NULL), number);
}

/* All versions, one behind the other; NULL if one cannot be read. */
static const char *all_versions(void)
{
    static char texts[200];
    size_t used = 0;
    texts[0] = '\0';
    for (unsigned number = 1;; number++) {
        struct untorn_content content;
        int rc = untorn_version_read(list, number, NULL, &content, NULL);
        if (rc == 0)
            used +=
                (size_t)snprintf(texts + used, sizeof texts - used, "%s ", (char *)content.data);
        untorn_content_free(&content);
        if (rc == -UNTORN_NO_VERSION)
            return texts;
        if (rc != 0)
            return NULL;
    }
}

/* `first`: what the first process brings back before the other writes, `then`: after that. */
static const char *judge_return(const char *first, const char *then)
{
    char written[8], changed[8];
    const char *text = sim_get(list), *versions = all_versions();
    if (!text || !versions)
        return text ? "a version is damaged" : "the file is gone";
    snprintf(written, sizeof written, "%sB", first);
    snprintf(changed, sizeof changed, "%sB", "0z");
    bool is_first = strcmp(text, first) == 0 || strcmp(text, written) == 0;
    bool is_then = strcmp(text, then) == 0 && strstr(versions, changed);
    if (!is_first && !is_then && strcmp(text, "0z") != 0 && strcmp(text, changed) != 0)
        return "the content is none that any order gives";
    if (sim_acked(0) && !is_first && !is_then)
        return "a return that was done is lost";
    if (sim_acked(1) && !strchr(text, 'B') && !strchr(versions, 'B'))
        return "an update that was done is lost";
    for (const char *letter = "xyz"; *letter; letter++) {
        char version[] = {'0', *letter, '\0'};
        if (!strstr(versions, version) && strcmp(text, version) != 0)
            return "a version is lost";
    }
    return NULL;
}

static const char *judge_undo(void)
{
    return judge_return("0y", "0z");
}

static const char *judge_restore(void)
{
    return judge_return("0x", "0y");
}

static void touch_list(void *context)
{
    (void)context;
    (void)untorn_update(list, leave, NULL, &keeping, NULL);
}

/* ---- one who takes back a set, and one who writes a file of it ---- */

static int commit_keeping(const char *text)
{
    struct untorn_transaction *save = NULL;
    int rc = untorn_transaction_begin(&keeping, &save, NULL);
    if (rc == 0)
        rc = untorn_transaction_put(save, list, text, strlen(text), NULL, NULL);
    if (rc == 0)
        rc = untorn_transaction_put(save, "/d/other", text, strlen(text), NULL, NULL);
    if (rc == 0)
        rc = untorn_transaction_commit(save, NULL);
    untorn_transaction_free(save);
    return rc;
}

static void make_sets(void)
{
    CHECK_INT(commit_keeping("0"), 0);
    CHECK_INT(commit_keeping("0N"), 0);
}

static void undo_set(void *context, int number)
{
    (void)context;
    int rc = untorn_undo(list, NULL, NULL, &keeping, NULL);
    note(rc, number);
    if (rc < 0)
        sim_ack(REFUSED + number);
}

static void write_other(void *context, int number)
{
    (void)context;
    note(untorn_update("/d/other", add_letter, &number, &keeping, NULL), number);
}

static const char *judge_set_undo(void)
{
    const char *one = sim_get(list), *other = sim_get("/d/other");
    bool undone = one && strcmp(one, "0") == 0;
    if (!one || !other || (!undone && strcmp(one, "0N") != 0))
        return "the content is none that any order gives";
    if (strcmp(other, undone ? "0" : "0N") != 0 && strcmp(other, undone ? "0B" : "0NB") != 0)
        return "two files of a set do not belong together";
    if (undone ? sim_acked(REFUSED) : sim_acked(0))
        return "what the undo said is not so";
    return sim_acked(1) && !strchr(other, 'B') ? "an acknowledged update is lost" : NULL;
}

static void touch_set(void *context)
{
    (void)untorn_update("/d/other", leave, NULL, &keeping, NULL);
    touch_list(context);
}

/* ---- two who replace what is damaged ---- */

static const char damaged[] = "{\"l\": [";

static void make_damaged(void)
{
    CHECK_INT(untorn_write(shared_file, damaged, strlen(damaged), NULL, NULL), 0);
}

static void write_document(void *context, int number)
{
    char text[] = "{\"n\": 0}";
    struct untorn_options options = {.level = level, .wait_ms = 60000};
    (void)context;
    text[strlen(text) - 2] = (char)('0' + number);
    note(untorn_write(shared_file, text, strlen(text), &options, NULL), number);
}

static bool is_kept_aside(void)
{
    static const char folder[] = "/d/.untorn/kept/damaged-a.json.";
    char path[256];
    for (const char *tree = sim_tree("/d"); *tree; tree += strcspn(tree, "\n") + 1) {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(tree, "\n"), tree);
        if (strncmp(path, folder, sizeof folder - 1) == 0 && is_text(sim_get(path), damaged))
            return true;
    }
    return false;
}

static const char *judge_damaged(void)
{
    const char *text = sim_get(shared_file);
    bool some = sim_acked(0) || sim_acked(1);
    if (!text)
        return "the file is gone";
    if (strcmp(text, damaged) == 0)
        return some ? "an acknowledged write is lost" : NULL;
    if (strcmp(text, "{\"n\": 0}") != 0 && strcmp(text, "{\"n\": 1}") != 0)
        return "the content is none that any order gives";
    return is_kept_aside() ? NULL : "the damaged content is gone";
}

/* ---- running ---- */

static void setup(void *context)
{
    const struct work *work = context;
    sim_put(shared_file, "before");
    sim_put("/d/other", "before");
    struct untorn_options options = {.keep = UNTORN_KEEP_NONE};
    for (int i = 0; i < 2; i++) {
        const char *path = i ? "/d/other" : shared_file;
        CHECK_INT(untorn_write(path, work->start, strlen(work->start), &options, NULL), 0);
    }
    if (work->judge == judge_sets) /* their slot is there */
        CHECK_INT(commit_both(shared_file, "/d/other", work->start), 0);
    if (work->prepare)
        work->prepare();
    sim_settle();
}

static const char *verify(void *context)
{
    const struct work *work = context;
    const char *verdict = work->judge();
    if (!verdict && has_entry("/stage/"))
        return "a stage is left over";
    return verdict;
}

static const char *verify_living(void *context)
{
    const struct work *work = context;
    return work->judge();
}

static void recover(void *context)
{
    const struct work *work = context;
    work->next(context);
}

static struct sim_report run(struct work work)
{
    struct sim_report crashes;
    struct sim_interleavings orders;
    struct sim_scenario scenario = {.name = work.name,
                                    .recover = recover,
                                    .verify = verify,
                                    .context = &work,
                                    .profiles =
                                        work.profiles ? work.profiles : (unsigned)SIM_ALL_GATES,
                                    .options = {.unit = 512, .reuse = SIM_REUSE_AFTER_RESTART},
                                    .broken = work.broken,
                                    .limit = work.states ? work.states : SIM_NO_LIMIT,
                                    .quiet = work.quiet};
    struct sim_interleaving asked = {.name = work.name,
                                     .setup = setup,
                                     .verify = verify_living,
                                     .context = &work,
                                     .options = scenario.options,
                                     .broken = work.broken,
                                     .preemptions = 1,
                                     .every_order = true,
                                     .limit = work.orders,
                                     .crashes = &scenario,
                                     .crash_report = &crashes,
                                     .quiet = work.quiet};
    memcpy(asked.processes, work.processes, sizeof asked.processes);
    level = work.level;
    sim_interleave(&asked, &orders);
    sim_print_interleavings(&asked, &orders);
    sim_print(&scenario, &crashes);
    CHECK(orders.schedules > 5);
    CHECK(crashes.deeper > 0);
    crashes.bad += orders.bad;
    return crashes;
}

#define LIST .judge = judge_list, .next = touch_shared, .start = "0"

TEST(two_who_replace)
{
    CHECK_INT(run((struct work){"replace", {update, update}, LIST}).bad, 0);
}

TEST(two_who_replace_at_level_ordered)
{
    CHECK_INT(run((struct work){"ordered", {update, update}, LIST, .level = UNTORN_ORDERED}).bad,
              0);
}

TEST(two_who_write_in_place)
{
    CHECK_INT(run((struct work){"in place", {overwrite, overwrite}, LIST}).bad, 0);
}

TEST(one_who_replaces_and_one_who_writes_in_place)
{
    CHECK_INT(run((struct work){"both ways", {update, overwrite}, LIST}).bad, 0);
}

TEST(two_who_append)
{
    struct work work = {"append", {append, append}, LIST};
    work.start = "0\n";
    CHECK_INT(run(work).bad, 0);
}

TEST(two_whose_edits_are_combined)
{
    struct work work = {"combined",
                        {hold_for_a_while, edit, edit},
                        .judge = judge_document,
                        .next = touch_shared,
                        .start = "{\"l\": []}"};
    work.orders = is_long() ? 0 : 400;
    CHECK_INT(run(work).bad, 0);
}

TEST(two_who_commit_sets)
{
    struct work work = {"sets", {commit, commit}, .judge = judge_sets, .next = touch_both};
    work.start = "0";
    work.orders = is_long() ? 0 : 40;
    work.states = is_long() ? 200 : 20;
    CHECK_INT(run(work).bad, 0);
}

#define VERSIONS(judging)                                                                          \
    .judge = judging, .next = touch_list, .start = "0", .prepare = make_versions

/* [PAST-1] [VERSIONS-3] */
TEST(one_who_undoes_and_one_who_writes)
{
    struct work work = {"undo", {undo, write_list}, VERSIONS(judge_undo)};
    CHECK_INT(run(work).bad, 0);
}

TEST(one_who_restores_and_one_who_writes)
{
    struct work work = {"restore", {restore_second, write_list}, VERSIONS(judge_restore)};
    CHECK_INT(run(work).bad, 0);
}

TEST(one_who_takes_back_a_set_and_one_who_writes_a_file_of_it)
{
    struct work work = {
        "undo of a set", {undo_set, write_other}, .judge = judge_set_undo, .next = touch_set,
        .start = "0",    .prepare = make_sets};
    work.orders = is_long() ? 0 : 20;
    work.states = is_long() ? 200 : 20;
    CHECK_INT(run(work).bad, 0);
}

/* [QUARANTINE-1] */
TEST(two_who_replace_what_is_damaged)
{
    struct work work = {"damaged",
                        {write_document, write_document},
                        .judge = judge_damaged,
                        .next = touch_shared,
                        .start = "0",
                        .prepare = make_damaged};
    CHECK_INT(run(work).bad, 0);
}

/* ---- what is broken shows ---- */

TEST(versions_are_mixed_up_where_locks_lie)
{
    struct work work = {"undo, no lock",
                        {undo, write_list},
                        VERSIONS(judge_undo),
                        .broken = SIM_LOCK_LIES,
                        .quiet = true};
    work.orders = 60;
    work.states = 20;
    CHECK(run(work).bad > 0);
}

TEST(a_lock_that_locks_nothing_is_caught)
{
    struct work work = {"no lock", {update, update}, LIST, .broken = SIM_LOCK_LIES, .quiet = true};
    CHECK(run(work).bad > 0);
}

TEST(a_flush_that_does_nothing_is_caught_though_no_process_notices)
{
    struct work work = {
        "no flush", {update, update}, LIST, .broken = SIM_FLUSH_LIES, .quiet = true};
    CHECK(run(work).bad > 0);
    work.profiles = SIM_KILL;
    CHECK_INT(run(work).bad, 0);
}
