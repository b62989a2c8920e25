/* All directories and documents below a path, for verbs that take whole trees.
 *
 * Links are not followed, and untorn's own folders are not entered. Nothing stops the walk: what
 * cannot be looked at is told to `trouble`, and it goes on. Of a directory the names of its
 * sub-directories are held in memory, and of its documents at most CLI_BATCH at a time; those are
 * visited in the order of their names.
 */
#ifndef CLI_WALK_H
#define CLI_WALK_H

struct walk {
    void (*directory)(void *context, const char *path); /* before what is in it */
    void (*document)(void *context, const char *path);  /* a regular file, known by its name */
    void (*trouble)(void *context, const char *path, int os_error);
    void *context;
};

/* `path` is a directory, or a link to one. Paths below "." are given without it. */
void walk_tree(const char *path, const struct walk *walk);

#endif
