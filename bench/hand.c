#include "hand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pairs.h"

const char *fresh_content(void)
{
    static char content[CONTENT_SIZE];
    static unsigned long version;
    char digits[24];
    if (version == 0)
        memset(content, 'x', sizeof content);
    snprintf(digits, sizeof digits, "%020lu", ++version);
    memcpy(content + 1, digits, strlen(digits));
    content[0] = content[sizeof content - 1] = '"'; /* JSON, as the name says */
    return content;
}

void make_directory(const char *name)
{
    pairs_must(mkdir(name, 0755) == 0 || errno == EEXIST, name);
}

void remove_if_there(const char *name)
{
    pairs_must(unlink(name) == 0 || errno == ENOENT, name);
}

static void flush_directory(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    pairs_must(fd >= 0 && fsync(fd) == 0, "flush a directory");
    close(fd);
}

void hand_replace(const char *directory, const char *temporary, const char *name, const void *data,
                  size_t size, enum untorn_level level)
{
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    pairs_must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "write a file");
    if (level != UNTORN_CACHE)
        pairs_must(fdatasync(fd) == 0, "flush a file");
    close(fd);
    pairs_must(rename(temporary, name) == 0, "rename a file");
    if (level == UNTORN_DURABLE)
        flush_directory(directory);
}

void hand_replace_all(const char *directory, int count)
{
    char temporary[HAND_MOST][64], name[64];
    int files[HAND_MOST];
    pairs_must(count <= HAND_MOST, "replace so many files");
    for (int i = 0; i < count; i++) {
        snprintf(temporary[i], sizeof temporary[i], "%s/temporary.%d", directory, i);
        files[i] = open(temporary[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        pairs_must(files[i] >= 0 &&
                       write(files[i], fresh_content(), CONTENT_SIZE) == (ssize_t)CONTENT_SIZE,
                   "write a file");
    }
    for (int i = 0; i < count; i++) /* so that one flush does some of the work of the others */
        (void)sync_file_range(files[i], 0, 0, SYNC_FILE_RANGE_WRITE);
    for (int i = 0; i < count; i++) {
        pairs_must(fdatasync(files[i]) == 0, "flush a file");
        close(files[i]);
    }
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s/%d.json", directory, i);
        pairs_must(rename(temporary[i], name) == 0, "rename a file");
    }
    flush_directory(directory);
}
