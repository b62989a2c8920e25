/* Paths and names as text. Touches no file. */
#ifndef UNTORN_BASE_PATHTEXT_H
#define UNTORN_BASE_PATHTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

/* What a path of this system looks like. It lies in src/os and is met by linking, as pages.h does:
 * what stands between names (a slash; on Windows a backslash too), how much of a path is its root
 * ("/"; on Windows "/C:/", "C:/" and "//server/share/" too), 0 where it is relative, and how the
 * beginning of a name is compared (there without regard to case). */
extern const char path_separators[];
size_t path_root_size(const char *path);
bool path_begins(const char *name, const char *start);

/* The last name of a path. */
const char *path_last(const char *path);

/* Splits at the last slash: "a/b" into "a" and "b", "b" into "." and "b", "/b" into "/" and "b".
 * Returns 0, -ENAMETOOLONG, -ENOENT for an empty path, or -EISDIR where the last component can
 * only be a directory ("a/", ".", ".."). */
int path_split(const char *path, char directory[LIMIT_PATH], char name[LIMIT_NAME + 1]);

/* The name under which something of ours belonging to the user's `name` is kept: `name` itself
 * where `room` more bytes still fit behind it, else '%' and 32 digits of its hash. */
void path_own_name(const char *name, size_t room, char result[LIMIT_NAME + 1]);

/* 16 hexadecimal digits. */
void path_digits(uint64_t number, char text[17]);

/* Appends `text` at `end`, where there is room for it; the new end. Names are put together in every
 * call: with snprintf that is a tenth of a cache-level write. */
char *path_add(char *end, const char *text);

/* Whether `entry` is `name`, a dot and 16 hexadecimal digits. */
bool path_is_own_entry(const char *entry, const char *name);

/* Cuts ".<16 digits>" off `entry` into `name`; false if it does not end so. */
bool path_entry_name(const char *entry, char name[LIMIT_NAME + 1]);

/* Whether a component of the path is `.untorn` or `.untorn-<digits>`, where our own files are. */
bool path_leads_into_own_folder(const char *path);

bool path_ends_with(const char *path, const char *suffix);

#endif
