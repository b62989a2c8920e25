/* A text in memory, to be surveyed at once and read in pieces. For one source of a program. */
#ifndef UNTORN_TESTS_TEXT_SURVEYED_H
#define UNTORN_TESTS_TEXT_SURVEYED_H

#include <string.h>

#include "text/json_abridge.h"

struct memory {
    struct json_survey survey;
    struct arena arena;
    const char *text;
    int read_error;
};

static inline int feed(void *context)
{
    struct memory *memory = context;
    json_scan_feed(&memory->survey.scanner, memory->text, strlen(memory->text), true);
    return 0;
}

static inline int64_t read_text(void *context, char *data, size_t size, uint64_t offset)
{
    struct memory *memory = context;
    size_t left = strlen(memory->text) - (size_t)offset;
    size = size < left ? size : left;
    memcpy(data, memory->text + offset, size);
    return memory->read_error ? memory->read_error : (int64_t)size;
}

static inline struct json_source source_of(struct memory *memory)
{
    return (struct json_source){.read = read_text, .context = memory, .size = strlen(memory->text)};
}

#endif
