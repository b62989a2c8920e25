/* run: plain, budget 40, timeout 7000
 *
 * Combined edits on the simulated machine: several processes add to one list, in every order within
 * bounds, and each may be killed before any of its steps. Each acknowledged value is there once,
 * each other one at most once, what failed is not there, and nobody waits for ever. */
#include "several.h"

/* Acknowledged besides: that a process was told so. */
enum { LETTERS = 5, EDIT_FAILED = 8, EDIT_UNSETTLED = 16, ENSURED = 24 };

/* Of one bound, what it is in `make check`, in a long run, and in one that takes as long as it
 * takes (UNTORN_LONG=all). */
static int bound(int usual, int in_long_run, int at_last)
{
    return is_exhaustive() ? at_last : is_long() ? in_long_run : usual;
}

static void setup(void *context)
{
    (void)context;
    sim_put(shared_file, "{\"l\": []}");
}

static const char *verify(void *context)
{
    const char *text = sim_get(shared_file), *verdict = judge_is_document(text);
    (void)context;
    for (int i = 0; i < LETTERS && !verdict; i++) {
        int found = count_letter(text, letter_of(i));
        if (found > 1)
            return "an update was made twice";
        if (sim_acked(i) && found != 1)
            return "an acknowledged update is lost";
        if (sim_acked(EDIT_FAILED + i) && found != 0)
            return "an update that failed was made";
        if (sim_acked(EDIT_UNSETTLED + i))
            return "an update is not settled without need";
    }
    return verdict;
}

static void note(int rc, int number)
{
    sim_ack(rc == 0 ? number : rc < 0 ? EDIT_FAILED + number : EDIT_UNSETTLED + number);
}

static int edit(const char *key, int number, int wait_ms)
{
    struct untorn_options options = {.level = UNTORN_CACHE, .wait_ms = wait_ms};
    return edit_shared(key, letter_of(number), &options);
}

static void add(void *context, int number)
{
    (void)context;
    note(edit("l[+]", number, 60000), number);
}

/* The second time it knows where the others wait. [AREA-6] */
static void add_two(void *context, int number)
{
    add(context, number);
    os_sleep_ns(2000000);
    add(context, number + 2);
}

static void add_impatiently(void *context, int number)
{
    (void)context;
    note(edit("l[+]", number, 4), number);
}

static void add_nonsense(void *context, int number)
{
    (void)context;
    CHECK_INT(edit("l.x", number, 60000), -UNTORN_TYPE);
    sim_ack(EDIT_FAILED + number);
}

static int add_by_function(void *context, const struct untorn_content *old,
                           struct untorn_change *change)
{
    char text[200];
    const char *end = strrchr(old->data, ']');
    bool first = end[-1] == '[';
    int size =
        snprintf(text, sizeof text, "%.*s%s\"%c\"%s", (int)(end - (const char *)old->data),
                 (const char *)old->data, first ? "" : ", ", letter_of(*(int *)context), end);
    return untorn_change_set(change, text, (size_t)size);
}

static void add_alone(void *context, int number)
{
    struct untorn_options options = {.level = UNTORN_CACHE, .wait_ms = 60000};
    (void)context;
    note(untorn_update(shared_file, add_by_function, &number, &options, NULL), number);
}

/* What comes behind the holder is not spoilt by how it began; again until they have come back. */
static void hold_twice(void *context, int number)
{
    hold_for_a_while(context, number);
    os_sleep_ns(1000000);
    hold_for_a_while(context, number);
}

static void search(struct sim_interleaving asked)
{
    struct sim_interleavings report;
    asked.setup = setup;
    asked.verify = asked.verify ? asked.verify : verify;
    /* Where nobody dies everybody is woken: none sleeps until it looks by itself. */
    asked.patience = asked.kills > 0 || asked.hurries > 0 ? 20000000000 : 5000000;
    sim_interleave(&asked, &report);
    sim_print_interleavings(&asked, &report);
    CHECK_INT(report.bad, 0);
    CHECK_INT(report.cut, 0);
    CHECK(report.schedules > 10);
}

TEST(two_writers)
{
    search((struct sim_interleaving){
        .name = "two", .processes = {add, add}, .preemptions = bound(2, 3, 4)});
}

TEST(two_writers_one_of_them_killed)
{
    search((struct sim_interleaving){.name = "two, a kill",
                                     .processes = {add, add},
                                     .preemptions = bound(1, 2, 3),
                                     .kills = 1,
                                     .hurries = bound(0, 1, 1)});
}

TEST(two_who_wait)
{
    search((struct sim_interleaving){.name = "two wait",
                                     .processes = {hold_for_a_while, add, add},
                                     .preemptions = bound(1, 1, 2),
                                     .hurries = bound(0, 1, 1)});
}

TEST(two_who_wait_one_of_them_killed)
{
    search((struct sim_interleaving){.name = "two wait, a kill",
                                     .processes = {hold_for_a_while, add, add},
                                     .preemptions = bound(1, 1, 2),
                                     .kills = 1});
}

TEST(two_who_come_back)
{
    search((struct sim_interleaving){.name = "two come back",
                                     .processes = {hold_twice, add_two, add_two},
                                     .preemptions = bound(1, 1, 2)});
}

TEST(two_who_come_back_one_of_them_killed)
{
    search((struct sim_interleaving){.name = "two come back, a kill",
                                     .processes = {hold_twice, add_two, add_two},
                                     .preemptions = bound(0, 0, 1),
                                     .kills = 1});
}

TEST(three_who_wait)
{
    search((struct sim_interleaving){.name = "three wait",
                                     .processes = {hold_for_a_while, add, add, add},
                                     .preemptions = bound(0, 0, 2),
                                     .kills = 1});
}

TEST(one_who_does_not_wait_long)
{
    search((struct sim_interleaving){.name = "one impatient",
                                     .processes = {hold_for_a_while, add, add_impatiently},
                                     .preemptions = bound(1, 1, 2),
                                     .kills = bound(0, 1, 1),
                                     .hurries = 1});
}

TEST(one_whose_update_fails)
{
    search((struct sim_interleaving){.name = "one fails",
                                     .processes = {hold_for_a_while, add, add_nonsense},
                                     .preemptions = bound(1, 1, 2),
                                     .kills = bound(0, 1, 1)});
}

TEST(one_who_takes_the_lock_alone)
{
    search((struct sim_interleaving){.name = "one by a function",
                                     .processes = {hold_for_a_while, add, add_alone, add},
                                     .preemptions = bound(0, 0, 1),
                                     .kills = bound(0, 1, 1)});
}

/* Whoever creates it, and whoever is killed: those who are told are told the same, and it is there.
 * Letters of the list are not used: the value is the process that created it. */
static void ensure(void *context, int number)
{
    char value[] = {(char)('0' + number), '\0'};
    struct untorn_edit edit = {.key = "k", .value = value, .value_size = 1};
    struct untorn_options options = {.level = UNTORN_CACHE, .wait_ms = 60000};
    struct untorn_document *document;
    const struct untorn_node *node;
    (void)context;
    if (untorn_ensure(shared_file, &edit, NULL, &options, &document, &node, NULL) == 0)
        sim_ack(ENSURED + *untorn_node_text(node, NULL) - '0');
    untorn_document_free(document);
}

static const char *verify_ensured(void *context)
{
    const char *text = sim_get(shared_file), *at = text ? strstr(text, "\"k\": ") : NULL;
    (void)context;
    for (int i = 0; i < 4; i++)
        if (sim_acked(ENSURED + i) && (!at || at[5] != '0' + i))
            return "somebody was told a value that is not there";
    return NULL;
}

TEST(two_who_ensure_one_key)
{
    search((struct sim_interleaving){.name = "two ensure",
                                     .processes = {hold_for_a_while, ensure, ensure},
                                     .verify = verify_ensured,
                                     .preemptions = bound(0, 1, 1),
                                     .kills = 1});
}
