/* What untorn_check tells: noted, and asked for. For one source of a program. */
#ifndef UNTORN_TESTS_FILE_FOUND_H
#define UNTORN_TESTS_FILE_FOUND_H

#include <stdio.h>
#include <untorn.h>

#include "file/interpose.h"
#include "file/support.h"
#include "harness.h"

enum { MOST_FOUND = 400 };
static struct found {
    enum untorn_finding_kind kind;
    char name[256], kept[600], directory[4096];
    uint64_t size;
    bool repaired, withdrawn;
} found[MOST_FOUND];
static int count;
static size_t still_open;

static struct untorn_error error;
static struct untorn_options options;

static inline void note(void *context, const struct untorn_finding *finding)
{
    CHECK(context == &count);
    CHECK(count < MOST_FOUND);
    struct found *one = &found[count++];
    one->kind = finding->kind;
    snprintf(one->name, sizeof one->name, "%s", finding->name);
    snprintf(one->kept, sizeof one->kept, "%s", finding->kept);
    snprintf(one->directory, sizeof one->directory, "%s",
             finding->directory ? finding->directory : "");
    one->size = finding->size;
    one->repaired = finding->repaired;
    one->withdrawn = finding->withdrawn;
}

static inline int check(const char *path, bool repair, bool abandon)
{
    struct untorn_check what = {
        .repair = repair, .abandon = abandon, .found = note, .context = &count};
    count = 0;
    still_open = 99;
    return untorn_check(path, &what, &options, &still_open, &error);
}

#endif
