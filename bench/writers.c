/* Many processes, each updating its own key of one file: against what they would use today.
 *
 *     writers [--quick] [--only TEXT] [--scheme NAME] DIRECTORY
 *     writers --work SCHEME NUMBER UPDATES          one of the many, see crowd.h
 *
 * The job is fixed: each process makes the same number of updates, and the rate counts until the
 * last of them is done. In a fixed time a few processes could keep the lock among themselves while
 * the others starve, as with SQLite and LMDB they do; what they reach is not what 64 writers reach.
 * A job that is done has served everyone, and waiting for the unlucky costs what it costs. Schemes
 * whose updates take far longer get a smaller job, else they would be all that this bench does; of
 * one that is done in a tenth of a second the beginning, when nobody yet knows of the others, would
 * be a good part, so that it gets a larger one.
 *
 * Beside rows as pairs.h has them it prints samples, a line for each scheme and number of writers
 * in each round; bench/many_writers.py makes medians of them. Each round goes through everything,
 * and begins with another scheme, so that what else happens on the machine hits all alike. --scheme
 * measures that one alone, a wrong one too.
 *
 * After each sample every key must hold the value that its writer was last told is kept. One that
 * does not is a failure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <untorn/document.h>
#include <untorn/update.h>

#include "crowd.h"
#include "pairs.h"
#include "schemes.h"

enum { MANY = 8, ROUNDS = 5, SCHEMES_MOST = 16 };

struct group {
    int writers;
    bool is_command;
    int updates; /* of all together */
};

static const struct group groups[] = {
    {1, false, 800},   {2, false, 800},   {4, false, 800},   {8, false, 3200},
    {16, false, 3200}, {32, false, 3200}, {64, false, 3200}, {16, true, 640},
};
static const struct group quick_groups[] = {{4, false, 80}, {2, true, 4}};

/* ---- alone, against the plain path ---- */

static long version;

static void set_alone(void)
{
    untorn_set("alone/edit.json", 7, ++version);
}

static int change(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    struct untorn_document *document = NULL;
    const char *text;
    size_t size;
    int rc = untorn_document_parse(old->data, old->size, UNTORN_JSON, &document, NULL);
    if (rc == 0)
        rc = untorn_document_edit(document, context, 1, NULL);
    if (rc == 0) {
        text = untorn_document_text(document, &size);
        rc = untorn_change_set(change, text, size);
    }
    untorn_document_free(document);
    return rc;
}

/* A function nobody else can run: it takes the lock, and that is all. */
static void update_alone(void)
{
    char key[16], text[32];
    text_key(7, key);
    int size = snprintf(text, sizeof text, "%ld", ++version);
    struct untorn_edit edit = {
        .kind = UNTORN_SET, .key = key, .value = text, .value_size = (size_t)size};
    int rc = untorn_update("alone/update.json", change, &edit, NULL, NULL);
    pairs_must(rc == 0, "untorn_update");
}

static void prepare_alone(void)
{
    text_put("alone", "alone/edit.json", TEXT_JSON);
    text_put("alone", "alone/update.json", TEXT_JSON);
}

static const struct pairs_row rows[] = {
    {.name = "writers: 1 against the plain path",
     .peer = "untorn_update with a function that makes the same edit, which takes the lock alone",
     .prepare = prepare_alone,
     .ours = set_alone,
     .theirs = update_alone,
     .target = 1.05},
};

/* ---- many ---- */

static const char *chosen; /* a scheme, NULL: all that are right */

static bool takes_part(const struct scheme *scheme, const struct group *group)
{
    bool is_wanted = chosen ? strcmp(scheme->name, chosen) == 0 : !scheme->is_wrong;
    return is_wanted && scheme->is_command == group->is_command &&
           (scheme->most == 0 || group->writers <= scheme->most);
}

static void name_group(const struct group *group, char *name, size_t size)
{
    snprintf(name, size, "writers: %d%s", group->writers, group->is_command ? " commands" : "");
}

/* For each writer: its part of the job, at least one. */
static size_t count_updates(const struct scheme *scheme, const struct group *group)
{
    int updates = group->updates / group->writers / (scheme->slowness ? scheme->slowness : 1);
    if (scheme->quickness && group->writers >= MANY)
        updates *= scheme->quickness;
    return updates > 0 ? (size_t)updates : 1;
}

static void verify(const struct scheme *scheme, const struct crowd *crowd)
{
    long held[CROWD_MOST];
    scheme->read(held);
    for (int i = 0; i < CROWD_MOST; i++) {
        long told = i < crowd->writers ? crowd->last[i] : 0;
        if (held[i] == told)
            continue;
        fprintf(stderr,
                "%s: lost an update: writer %d of %d was told that %ld is kept, "
                "but %ld is there\n",
                scheme->name, i, crowd->writers, told, held[i]);
        exit(1);
    }
}

static void measure(const struct scheme *scheme, const struct group *group, int round)
{
    const char *const self[] = {"/proc/self/exe", "--work", scheme->name, NULL};
    struct crowd crowd;
    char name[64];
    scheme->prepare();
    crowd_run(scheme->program ? scheme->program : self, group->writers,
              count_updates(scheme, group), &crowd);
    verify(scheme, &crowd);
    name_group(group, name, sizeof name);
    printf("{\"row\": \"%s\", \"round\": %d, \"writers\": %d, \"commands\": %s, ", name, round,
           group->writers, group->is_command ? "true" : "false");
    printf("\"scheme\": \"%s\", \"peer\": \"%s\", \"rate\": %.1f, ", scheme->name, scheme->peer,
           crowd.rate);
    printf("\"p50_us\": %.0f, \"p99_us\": %.0f, \"updates\": %zu}\n", crowd.p50_us, crowd.p99_us,
           crowd.updates);
    fflush(stdout);
}

static void measure_group(const struct scheme *const *present, int count, const struct group *group,
                          int round)
{
    const struct scheme *taking_part[SCHEMES_MOST];
    int taking = 0;
    for (int i = 0; i < count; i++)
        if (takes_part(present[i], group))
            taking_part[taking++] = present[i];
    for (int i = 0; i < taking; i++)
        measure(taking_part[(i + round) % taking], group, round);
}

static size_t list_groups(const struct group **ret_list)
{
    *ret_list = pairs_is_quick() ? quick_groups : groups;
    return pairs_is_quick() ? sizeof quick_groups / sizeof *quick_groups
                            : sizeof groups / sizeof *groups;
}

/* By the name of one of its groups, or of all. */
static bool is_asked_for(const struct scheme *scheme, const char *only)
{
    const struct group *list;
    char name[64];
    for (size_t i = list_groups(&list); i-- > 0;) {
        name_group(&list[i], name, sizeof name);
        if (takes_part(scheme, &list[i]) && strstr(name, only))
            return true;
    }
    return false;
}

/* Those that this machine has; what it lacks is named. */
static int find_schemes(const char *only, const struct scheme **present)
{
    int count = 0;
    for (int i = 0; schemes[i]; i++) {
        if (!is_asked_for(schemes[i], only))
            continue;
        const char *missing = schemes[i]->missing ? schemes[i]->missing() : NULL;
        if (missing)
            printf("{\"row\": \"writers: %s\", \"skipped\": \"%s\"}\n", schemes[i]->name, missing);
        else
            present[count++] = schemes[i];
    }
    return count;
}

static void measure_all(const char *only)
{
    const struct scheme *present[SCHEMES_MOST];
    const struct group *list;
    size_t last = list_groups(&list);
    int count = find_schemes(only, present), rounds = pairs_is_quick() ? 1 : ROUNDS;
    char name[64];
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < last; i++) {
            name_group(&list[i], name, sizeof name);
            if (strstr(name, only))
                measure_group(present, count, &list[i], round);
        }
    }
}

static int work(const char *name, int number, size_t updates)
{
    for (int i = 0; schemes[i]; i++) {
        if (strcmp(schemes[i]->name, name) != 0)
            continue;
        if (schemes[i]->open)
            schemes[i]->open();
        crowd_work(number, updates, schemes[i]->update);
        return 0;
    }
    return 2;
}

int main(int argc, char **argv)
{
    const char *only = "";
    if (argc == 5 && strcmp(argv[1], "--work") == 0)
        return work(argv[2], atoi(argv[3]), (size_t)atol(argv[4]));
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
        else if (strcmp(argv[i], "--scheme") == 0)
            chosen = argv[i + 1];
    }
    int rc = pairs_main(argc, argv, rows, chosen ? 0 : sizeof rows / sizeof *rows);
    if (rc == 0)
        measure_all(only);
    return rc;
}
