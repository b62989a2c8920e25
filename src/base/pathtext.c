#include "base/pathtext.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <untorn/hash.h>

static bool is_separator(char c)
{
    return c != '\0' && strchr(path_separators, c);
}

const char *path_last(const char *path)
{
    const char *last = path + path_root_size(path);
    for (const char *at = last; *at; at++)
        if (is_separator(*at))
            last = at + 1;
    return last;
}

int path_split(const char *path, char directory[LIMIT_PATH], char name[LIMIT_NAME + 1])
{
    const char *last = path_last(path);
    size_t root = path_root_size(path), before = (size_t)(last - path);
    before -= before > root; /* the last separator, unless it is the root's */
    if (!*path)
        return -ENOENT;
    if (!*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
        return -EISDIR;
    if (strlen(last) > LIMIT_NAME || before + 1 >= LIMIT_PATH)
        return -ENAMETOOLONG;
    strcpy(name, last);
    if (before == 0) {
        strcpy(directory, ".");
        return 0;
    }
    memcpy(directory, path, before);
    directory[before] = '\0';
    return 0;
}

void path_own_name(const char *name, size_t room, char result[LIMIT_NAME + 1])
{
    size_t size = strlen(name);
    char text[UNTORN_HASH_TEXT_SIZE];
    if (size + room <= LIMIT_NAME) {
        memcpy(result, name, size + 1);
        return;
    }
    struct untorn_hash hash = untorn_hash(name, size);
    result[0] = '%';
    strcpy(result + 1, untorn_hash_format(&hash, text));
}

void path_digits(uint64_t number, char text[17])
{
    for (int i = 16; i-- > 0; number >>= 4)
        text[i] = "0123456789abcdef"[number & 15];
    text[16] = '\0';
}

char *path_add(char *end, const char *text)
{
    size_t size = strlen(text);
    memcpy(end, text, size + 1);
    return end + size;
}

static bool is_suffix(const char *text)
{
    return text[0] == '.' && strlen(text) == LIMIT_SUFFIX &&
           strspn(text + 1, "0123456789abcdef") == LIMIT_SUFFIX - 1;
}

bool path_is_own_entry(const char *entry, const char *name)
{
    size_t size = strlen(name);
    return strncmp(entry, name, size) == 0 && is_suffix(entry + size);
}

bool path_entry_name(const char *entry, char name[LIMIT_NAME + 1])
{
    size_t size = strlen(entry);
    if (size <= LIMIT_SUFFIX || size > LIMIT_NAME || !is_suffix(entry + size - LIMIT_SUFFIX))
        return false;
    memcpy(name, entry, size - LIMIT_SUFFIX);
    name[size - LIMIT_SUFFIX] = '\0';
    return true;
}

bool path_ends_with(const char *path, const char *suffix)
{
    size_t size = strlen(path), end = strlen(suffix);
    return size >= end && strcmp(path + size - end, suffix) == 0;
}

/* ".untorn" or ".untorn-<digits>", up to the next slash. */
static bool is_own_folder(const char *name)
{
    if (!path_begins(name, ".untorn"))
        return false;
    name += 7;
    if (*name == '-' && strspn(name + 1, "0123456789") > 0)
        name += 1 + strspn(name + 1, "0123456789");
    return *name == '\0' || is_separator(*name);
}

bool path_leads_into_own_folder(const char *path)
{
    for (; path; path = strpbrk(path, path_separators)) {
        path += strspn(path, path_separators);
        if (is_own_folder(path))
            return true;
    }
    return false;
}
