/* What must hold of one file after a crash, whatever call was changing it.
 *
 *     static struct trial trial = {.path = "/d/a", .old = OLD, .new = NEW};
 *     trial.act = write_new;
 *     struct sim_report report = explore(&trial, "replace");
 *
 * The outcome of the call is acknowledged as one of three, and the oracle holds it to that:
 *
 *   failed       the old content, exactly
 *   done         the new content: at durable after every crash; at ordered after a kill, and after
 *                a power loss old or new; at cache after a kill
 *   not settled  old or new, whole, and the next call settles it
 *   (none yet)   old or new, whole
 *
 * Then the next call must succeed, keep the version that it found and no other, and leave of ours
 * only what is meant to stay.
 */
#ifndef UNTORN_TESTS_CRASH_ORACLE_H
#define UNTORN_TESTS_CRASH_ORACLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <untorn.h>

#include "harness.h"
#include "os/sim/sim.h"

enum { DONE, FAILED, UNSETTLED };

struct trial {
    const char *path;      /* as the call names it */
    const char *real;      /* the file it leads to; NULL: the same */
    const char *old, *new; /* old NULL: there is no file */
    struct untorn_options options;
    int (*act)(const struct trial *trial); /* returns what the call returned */
    void (*prepare)(const struct trial *trial);

    bool marked;   /* prepare gave the old version owner, mode, ACL and attribute: with_meta */
    bool in_place; /* only readers through untorn are promised the whole */
    bool recovers; /* also crash inside a recovery (untorn check --repair) */
    unsigned unit; /* 0: 512 */
    unsigned profiles, broken;
    bool reuse;      /* inode numbers at once; else after a restart, which leaves more states */
    bool keeps_tail; /* a torn record may be kept aside */
    bool faulty;     /* a call fails: if that takes the hint that stages may lie about, and then the
                        process is killed, a stage stays until somebody lists them (file/owner.h) */
    int faulty_recoveries;
    bool quiet;
};

static inline bool is_long(void)
{
    return getenv("UNTORN_LONG") != NULL;
}

/* As long as it takes: nothing is a sample. */
static inline bool is_exhaustive(void)
{
    const char *value = getenv("UNTORN_LONG");
    return value && strcmp(value, "all") == 0;
}

static inline const char *real_path(const struct trial *trial)
{
    return trial->real ? trial->real : trial->path;
}

static inline void trial_setup(void *context)
{
    const struct trial *trial = context;
    sim_make_dir("/d/sub");
    if (trial->old)
        sim_put(real_path(trial), trial->old);
    if (trial->prepare)
        trial->prepare(trial);
}

static long outcomes[3]; /* how often each was returned */

static inline void acknowledge(int rc)
{
    int outcome = rc < 0 ? FAILED : rc == 0 ? DONE : UNSETTLED;
    outcomes[outcome]++;
    sim_ack(outcome);
}

static inline void trial_act(void *context)
{
    const struct trial *trial = context;
    acknowledge(trial->act(trial));
}

static inline void trial_recover(void *context)
{
    const struct trial *trial = context;
    struct untorn_check check = {.repair = true};
    size_t open = 0;
    (void)untorn_check(trial->path, &check, NULL, &open, NULL);
}

/* ---- judging ---- */

static inline bool is_text(const char *text, const char *expected)
{
    return text && expected ? strcmp(text, expected) == 0 : text == expected;
}

/* A file below a folder of that name. */
static inline bool has_entry(const char *folder)
{
    for (const char *at = sim_tree("/"); (at = strstr(at, folder)) != NULL; at += strlen(folder))
        if (at[strlen(folder)] != '\n')
            return true;
    return false;
}

/* What the outcome allows to be there. */
static inline const char *judge(const struct trial *trial, const char *text)
{
    bool power_loss = sim_profile() != SIM_PROFILE_KILL;
    bool old = is_text(text, trial->old), new = is_text(text, trial->new);
    if (!old && !new)
        return text ? "the content is neither old nor new" : "the file is gone";
    if (sim_acked(FAILED) && !old)
        return "the call said it failed, but the content is new";
    if (sim_acked(DONE) && !new && (trial->options.level == UNTORN_DURABLE || !power_loss))
        return "the call said it was done, but the content is old";
    return NULL;
}

/* Both versions have the metadata that the old one was given: see with_meta. */
static const struct sim_attributes plain = {.mode = 0644};
static const struct sim_attributes marked = {
    .mode = 0640, .owner = 7, .group = 8, .acl = "u:9", .xattr = "label"};

static inline const char *judge_meta(const struct trial *trial)
{
    const struct sim_attributes *expected = trial->marked ? &marked : &plain;
    if (!sim_exists(real_path(trial)) || trial->in_place)
        return NULL;
    struct sim_attributes now = sim_attributes(real_path(trial));
    bool same = now.mode == expected->mode && now.owner == expected->owner &&
                now.group == expected->group && strcmp(now.acl, expected->acl) == 0 &&
                strcmp(now.xattr, expected->xattr) == 0;
    return same ? NULL : "owner, mode or an attribute is not that of the old version";
}

/* Reading must not be disturbed by anything, and must not make anything. */
static inline const char *judge_read(const struct trial *trial)
{
    struct untorn_content content;
    struct untorn_error error;
    const char *before = sim_tree("/"), *verdict = NULL;
    struct untorn_options options = {.state_dir = trial->options.state_dir};
    int rc = untorn_read(trial->path, &options, &content, &error);
    if (rc != 0 && rc != -UNTORN_MISSING)
        verdict = "it cannot be read";
    else
        verdict = judge(trial, rc == 0 ? content.data : NULL);
    untorn_content_free(&content);
    if (!verdict && strcmp(before, sim_tree("/")) != 0)
        verdict = "reading made something";
    return verdict;
}

/* Lines of the tree that are neither the user's nor meant to stay. */
static inline const char *judge_tree(const struct trial *trial, const char *expected)
{
    static char verdict[400];
    const char *folders[] = {"", "lock/", "inner/", "stage/", "inplace/", "kept/", "history/"};
    char line[512];
    for (const char *tree = sim_tree("/d"); *tree; tree += strcspn(tree, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(tree, "\n"), tree);
        const char *own = strstr(line, "/.untorn/");
        bool known = false;
        own = own ? own + strlen("/.untorn/") : NULL;
        for (int i = 0; own && i < 7; i++)
            known |= strcmp(own, folders[i]) == 0;
        if (own)
            known |= strcmp(own, ".gitignore") == 0 || strcmp(own, "format") == 0 ||
                     strncmp(own, "lock/", 5) == 0 || strncmp(own, "inplace/", 8) == 0 ||
                     strncmp(own, "history/", 8) == 0 || /* see judge_history */
                     (trial->faulty && !sim_alive() && sim_profile() == SIM_PROFILE_KILL &&
                      strncmp(own, "stage/", 6) == 0) ||
                     (trial->keeps_tail && strncmp(own, "kept/tail-", 10) == 0);
        else
            known = strstr(expected, line) != NULL;
        if (!known) {
            snprintf(verdict, sizeof verdict, "left over: %.300s", line);
            return verdict;
        }
    }
    return NULL;
}

/* Of an entry in history: whether it has the content whose hash it names. */
static inline bool entry_is_whole(const char *path)
{
    char text[UNTORN_HASH_TEXT_SIZE];
    size_t size = 0;
    const char *entry = strrchr(path, '/') + 1, *content = sim_get_bytes(path, &size);
    struct untorn_hash hash = untorn_hash(content, size);
    return content && strlen(entry) > 17 + 32 &&
           strncmp(entry + 17, untorn_hash_format(&hash, text), 32) == 0;
}

/* Every version that is kept has the content whose hash it names; there is none if `kept` is NULL,
 * else that one alone. */
static inline const char *judge_history(const char *kept)
{
    char line[512];
    int count = 0;
    for (const char *tree = sim_tree("/"); *tree; tree += strcspn(tree, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(tree, "\n"), tree);
        if (!strstr(line, "/history/") || line[strlen(line) - 1] == '/')
            continue;
        count++;
        if (!kept || !is_text(sim_get(line), kept))
            return "a version was kept that is not the one before";
        if (!entry_is_whole(line))
            return "a version has not the hash that it names";
    }
    if (count != (kept ? 1 : 0))
        return kept && count == 0 ? "the version before was not kept" : "two versions were kept";
    return NULL;
}

/* The next writer sees one of the two versions and leaves no trace of the one before. */
static inline int see_and_change(void *context, const struct untorn_content *old,
                                 struct untorn_change *change)
{
    const char **seen = context;
    seen[3] = old ? is_text(old->data, seen[1]) ? seen[1] : seen[2] : NULL;
    *seen = old       ? (is_text(old->data, seen[1])   ? "old"
                         : is_text(old->data, seen[2]) ? "new"
                                                       : "other")
            : seen[1] ? "gone"
                      : "old";
    return untorn_change_set(change, "third\n", 6);
}

static inline const char *judge_next(const struct trial *trial)
{
    static char verdict[UNTORN_TEXT_SIZE + 100];
    const char *seen[4] = {NULL, trial->old, trial->new, NULL};
    char text[UNTORN_TEXT_SIZE];
    struct untorn_error error;
    struct untorn_options options = trial->options;
    options.level = UNTORN_DURABLE;
    options.exclusive = false;
    options.if_match = NULL;
    int rc = untorn_update(trial->path, see_and_change, seen, &options, &error);
    if (rc != 0) {
        snprintf(verdict, sizeof verdict, "the next call fails: %s",
                 untorn_describe(&error, text, sizeof text));
        return verdict;
    }
    if (strcmp(seen[0], "old") != 0 && strcmp(seen[0], "new") != 0)
        return "the next writer saw neither old nor new";
    if ((sim_acked(FAILED) && strcmp(seen[0], "old") != 0) ||
        (sim_acked(DONE) && trial->options.level == UNTORN_DURABLE && strcmp(seen[0], "new") != 0))
        return "the next writer saw the version that should not be";
    if (!is_text(sim_get(real_path(trial)), "third\n"))
        return "the next call did not write what it said";
    return judge_history(seen[3]);
}

static inline const char *trial_verify(void *context)
{
    const struct trial *trial = context;
    static char expected[1024];
    const char *verdict = NULL;
    if (!trial->in_place)
        verdict = judge(trial, sim_get(real_path(trial)));
    if (!verdict)
        verdict = judge_meta(trial);
    if (!verdict)
        verdict = judge_read(trial);
    if (!verdict)
        verdict = judge_next(trial);
    if (!verdict)
        verdict = judge_meta(trial);
    snprintf(expected, sizeof expected, "%s\n%s\n/d/.untorn/\n/d/link\n/d/sub/\n", trial->path,
             real_path(trial));
    return verdict ? verdict : judge_tree(trial, expected);
}

/* ---- running ---- */

/* For `prepare`: an earlier save made .untorn, and what it left is durable. */
static inline void with_state_folder(const struct trial *trial)
{
    const char *old = trial->old ? trial->old : "";
    CHECK_INT(untorn_write(real_path(trial), old, strlen(old), NULL, NULL), 0);
    if (!trial->old)
        sim_remove(real_path(trial));
}

static inline struct sim_scenario scenario_of(struct trial *trial, const char *name)
{
    return (struct sim_scenario){
        .name = name,
        .setup = trial_setup,
        .workload = trial_act,
        .recover = trial->recovers ? trial_recover : NULL,
        .verify = trial_verify,
        .context = trial,
        .profiles = trial->profiles ? trial->profiles : SIM_ALL_GATES,
        .options = {.unit = trial->unit ? trial->unit : 512,
                    .seed = 1,
                    .reuse = trial->reuse ? SIM_REUSE_AT_ONCE : SIM_REUSE_AFTER_RESTART},
        .broken = trial->broken,
        .limit = trial->quiet ? 5000
                 : is_long()  ? 5000000
                              : 200000,
        .faulty_recoveries = is_long() ? trial->recovers : trial->faulty_recoveries,
        .quiet = trial->quiet,
    };
}

static inline struct sim_report explore(struct trial trial, const char *name)
{
    struct sim_scenario scenario = scenario_of(&trial, name);
    struct sim_report report;
    sim_explore(&scenario, &report);
    sim_print(&scenario, &report);
    return report;
}

static inline struct sim_report explore_faults(struct trial trial, const char *name)
{
    struct sim_scenario scenario = scenario_of(&trial, name);
    struct sim_report report;
    trial.faulty = true;
    scenario.limit = is_long() ? 50000 : 500;
    memset(outcomes, 0, sizeof outcomes);
    sim_for_each_fault(&scenario, sim_usual_faults, sim_usual_fault_count, &report);
    sim_print(&scenario, &report);
    printf("      outcomes: %ld done, %ld failed, %ld not settled\n", outcomes[DONE],
           outcomes[FAILED], outcomes[UNSETTLED]);
    return report;
}

/* As with_state_folder, and the old version has owner, mode, ACL and an attribute of its own. */
static inline void with_meta(const struct trial *trial)
{
    with_state_folder(trial);
    sim_set_attributes(real_path(trial), &marked);
}

/* `blocks` units of 512 bytes and a bit, each different from every other. */
static inline const char *content(const char *word, int blocks)
{
    static char texts[8][8 * 512];
    static int next;
    char *text = texts[next++ % 8];
    size_t used = 0, wanted = (size_t)blocks * 512 + 88;
    for (int line = 0; used < wanted; line++)
        used += (size_t)snprintf(text + used, sizeof *texts - used, "%s %d\n", word, line);
    return text;
}

#endif
