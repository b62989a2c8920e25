/* TARGET FILE|FOLDER...   runs the target with the bytes of each file, without a fuzzer.
 *
 * Names each file before it is run, so that the last line of a run that crashed says which it was,
 * and ends with `N files`. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static _Noreturn void give_up(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(2);
}

static uint8_t *read_file(const char *path, size_t *ret_size)
{
    size_t room = 4096, size = 0;
    uint8_t *data = malloc(room);
    FILE *file = fopen(path, "rb");
    if (!file || !data)
        give_up(path);
    for (size_t got; (got = fread(data + size, 1, room - size, file)) > 0;) {
        size += got;
        if (size == room && !(data = realloc(data, room *= 2)))
            give_up(path);
    }
    if (ferror(file))
        give_up(path);
    fclose(file);
    *ret_size = size;
    return data;
}

static void run_file(const char *path)
{
    size_t size;
    uint8_t *data = read_file(path, &size);
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static size_t run_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, alphasort);
    if (count < 0)
        give_up(folder);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        run_file(path);
        free(entries[i]);
    }
    free(entries);
    return (size_t)count;
}

int main(int count, char **words)
{
    size_t files = 0;
    for (int i = 1; i < count; i++) {
        struct stat facts;
        if (stat(words[i], &facts) != 0)
            give_up(words[i]);
        if (S_ISDIR(facts.st_mode)) {
            files += run_folder(words[i]);
        } else {
            run_file(words[i]);
            files++;
        }
    }
    printf("%zu files\n", files);
    return 0;
}
