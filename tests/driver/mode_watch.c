/* mode_watch: looks into a directory tree over and over, as fast as it can, and prints every file
 * that has content and that group or others may read. Ends at SIGTERM with the number of looks.
 * Files that hold none of the user's content (lock records, .gitignore) are left out. */
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

static int look(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)where;
    bool ours = strstr(path, "/lock/") != NULL || strstr(path, ".gitignore") != NULL ||
                strstr(path, "/format") != NULL || strstr(path, "/version") != NULL;
    if (type == FTW_F && !ours && (about->st_mode & 044) != 0)
        printf("%s %o\n", path, (unsigned)about->st_mode & 07777);
    return 0;
}

int main(int count, char **values)
{
    if (count != 2)
        return 125;
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    long looks = 0;
    for (; !stopped; looks++)
        (void)nftw(values[1], look, 16, FTW_PHYS);
    printf("looked %ld times\n", looks);
    return 0;
}
