#include "words.h"

#include <stdlib.h>

bool words_add(struct words *words, const char *word)
{
    const char **items = realloc(words->items, (words->count + 1) * sizeof *items);
    if (!items)
        return false;
    items[words->count++] = word;
    words->items = items;
    return true;
}

void words_free(struct words *words)
{
    free(words->items);
    *words = (struct words){0};
}
