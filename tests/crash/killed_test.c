/* run: plain
 *
 * One process is killed at any of its calls, another goes on with the same file, and then the power
 * goes. What the second was told holds, and it holds what the first was told: nothing rests on what
 * the first had written and not flushed. */
#include "oracle.h"

#include <errno.h>

enum { DYING = 1, LINE = 700 };
enum { FIRST, SECOND }; /* acknowledged */

#define PATH "/d/a.jsonl"

/* A line of one letter, longer than a unit of the disk. */
static const char *line_of(char letter)
{
    static char line[LINE + 1];
    memset(line, letter, LINE);
    memcpy(line, "{\"is\":\"", 7);
    memcpy(line + LINE - 3, "\"}\n", 3);
    return line;
}

/* ---- what they do ---- */

typedef int operation(char letter);

static int replace(char letter)
{
    return untorn_write(PATH, line_of(letter), LINE, NULL, NULL);
}

static int overwrite(char letter)
{
    struct untorn_options options = {.keep_inode = true};
    return untorn_write(PATH, line_of(letter), LINE, &options, NULL);
}

static int append(char letter)
{
    return untorn_append(PATH, line_of(letter), LINE, UNTORN_RECORDS_BY_NAME, NULL, NULL);
}

static int add_line(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    char text[8 * LINE];
    size_t size = old ? old->size : 0;
    const char *letter = context;
    CHECK(size + LINE <= sizeof text);
    if (size > 0)
        memcpy(text, old->data, size);
    memcpy(text + size, line_of(*letter), LINE);
    return untorn_change_set(change, text, size + LINE);
}

static int update(char letter)
{
    return untorn_update(PATH, add_line, &letter, NULL, NULL);
}

static int update_in_place(char letter)
{
    struct untorn_options options = {.keep_inode = true};
    return untorn_update(PATH, add_line, &letter, &options, NULL);
}

static int undo(char letter)
{
    (void)letter;
    return untorn_undo(PATH, NULL, NULL, NULL, NULL);
}

/* ---- the story ---- */

struct story {
    const char *name;
    operation *dies, *goes_on;
    const char
        *may_be; /* the lines that the second may find, a word for each; a space first: none */
};

static void setup(void *context)
{
    const struct story *story = context;
    sim_make_dir("/d");
    if (*story->may_be == ' ')
        return;
    CHECK_INT(replace('x'), 0);
    CHECK_INT(replace('o'), 0);
    sim_settle();
}

static const struct sim_fault killed = {
    .at = 1, .error = EIO, .effect = SIM_DEAD, .process = DYING + 1, .forever = true};

/* Whose flush fails is killed with it, before it can say so. */
static void die_with_the_flush(void *context, int call)
{
    (void)context, (void)call;
    if (sim_fault_fired())
        sim_fail(&killed);
}

static void die_and_go_on(void *context)
{
    const struct story *story = context;
    sim_process(DYING);
    sim_set_meanwhile(die_with_the_flush, NULL);
    if (story->dies('a') == 0)
        sim_ack(FIRST);
    sim_set_meanwhile(NULL, NULL);
    sim_process_kill(DYING);
    sim_process(0);
    if (story->goes_on('b') == 0)
        sim_ack(SECOND);
}

/* The letters of the lines, or NULL if one is not whole. */
static const char *letters_of(const char *text)
{
    static char letters[16];
    size_t count = 0, size = text ? strlen(text) : 0;
    for (size_t at = 0; at < size; at += LINE) {
        char letter = size - at > 7 ? text[at + 7] : '\0';
        if (count + 1 == sizeof letters || size - at < LINE ||
            memcmp(text + at, line_of(letter), LINE) != 0)
            return NULL;
        letters[count++] = letter;
    }
    letters[count] = '\0';
    return letters;
}

static bool is_word_of(const char *words, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at++)
        if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return true;
    return size == 0 && (*words == ' ' || !*words);
}

static const char *verify(void *context)
{
    const struct story *story = context;
    char letters[16];
    if (story->goes_on('c') != 0)
        return "the next call fails";
    const char *found = letters_of(sim_get(PATH));
    if (!found || !*found || found[strlen(found) - 1] != 'c')
        return "a line is not whole";
    snprintf(letters, sizeof letters, "%.*s", (int)strlen(found) - 1, found);
    bool has_second = *letters && letters[strlen(letters) - 1] == 'b';
    if (has_second)
        letters[strlen(letters) - 1] = '\0';
    if (sim_acked(SECOND) && !has_second)
        return "what the second was told is lost";
    if (sim_acked(FIRST) && strchr(story->may_be, 'a') && !strchr(letters, 'a'))
        return "what the first was told is lost";
    return is_word_of(story->may_be, letters) ? NULL : "it is nothing that was ever written";
}

static long explore_story(struct story story, const struct sim_fault *fault, unsigned broken)
{
    struct sim_scenario scenario = {
        .name = story.name,
        .setup = setup,
        .workload = die_and_go_on,
        .verify = verify,
        .context = &story,
        .profiles = SIM_KILL | SIM_POSIX,
        .options = {.unit = 512, .seed = 1, .reuse = SIM_REUSE_AFTER_RESTART},
        .limit = broken      ? 60
                 : is_long() ? 50000
                             : 1000,
        .broken = broken,
        .quiet = broken != 0,
    };
    struct sim_report report;
    sim_for_each_fault(&scenario, fault, 1, &report);
    sim_print(&scenario, &report);
    return report.bad;
}

static const struct story stories[] = {
    {"a replace, then an update", replace, update, "o a"},
    {"a replace, then one in place", replace, update_in_place, "o a"},
    {"a replace, then an append", replace, append, "o a"},
    {"one in place, then an update", overwrite, update, "o a"},
    {"one in place, then one in place", overwrite, update_in_place, "o a"},
    {"one in place, then an append", overwrite, append, "o a"},
    {"an append, then an append", append, append, "o oa"},
    {"an undo, then an update", undo, update, "o x"},
    {"an undo, then an append", undo, append, "o x"},
    {"a first save, then an update", replace, update, " a"},
    {"a first append, then an append", append, append, " a"},
};

TEST(what_the_next_is_told_after_a_kill_survives_a_power_loss)
{
    for (size_t i = 0; i < sizeof stories / sizeof *stories; i++)
        CHECK_INT(explore_story(stories[i], &killed, 0), 0);
}

static const struct sim_fault failing_flush = {
    .error = EIO, .verbs = SIM_ONLY(SIM_FLUSH), .process = DYING + 1};

/* [INPLACE-5] */
TEST(a_journal_whose_flush_failed_is_not_trusted_though_its_writer_died_of_it)
{
    for (size_t i = 0; i < sizeof stories / sizeof *stories; i++)
        if (stories[i].dies == overwrite)
            CHECK_INT(explore_story(stories[i], &failing_flush, 0), 0);
    CHECK(explore_story(stories[4], &failing_flush, SIM_SPOILT_STAYS) > 0);
}

TEST(flushes_that_do_nothing_are_noticed)
{
    CHECK(explore_story(stories[0], &killed, SIM_FLUSH_LIES) > 0);
    CHECK(explore_story(stories[0], &killed, SIM_FLUSH_DIR_LIES) > 0);
}
