#ifndef UNTORN_TESTS_POSIX_MOUNT_H
#define UNTORN_TESTS_POSIX_MOUNT_H
enum { MS_REC = 1, MS_PRIVATE = 2, MS_BIND = 4, MS_RDONLY = 8, MS_REMOUNT = 16, MNT_DETACH = 1 };
static inline int mount(const char *a, const char *b, const char *c, unsigned long d, const void *e)
{
    (void)a, (void)b, (void)c, (void)d, (void)e;
    return -1;
}
static inline int umount2(const char *path, int how)
{
    (void)path, (void)how;
    return -1;
}
#define umount(path) umount2(path, 0)
#endif
