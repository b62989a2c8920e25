/* Of mingw's own, opendir takes no path of more than 260 characters. */
#ifndef UNTORN_TESTS_POSIX_DIRENT_H
#define UNTORN_TESTS_POSIX_DIRENT_H

struct dirent {
    char d_name[1024];
};
typedef struct posix_listing DIR;

DIR *opendir(const char *path);
struct dirent *readdir(DIR *listing);
int closedir(DIR *listing);

#endif
