/* Access control lists as the kernel keeps them (acl(5)): a version, then entries. */
#ifndef UNTORN_TESTS_FILE_ACL_H
#define UNTORN_TESTS_FILE_ACL_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

#include "harness.h"

#define ACL_OF_FILE "system.posix_acl_access"
#define ACL_OF_NEW_FILES "system.posix_acl_default"

enum { ACL_OWNER = 1, ACL_USER = 2, ACL_GROUP = 4, ACL_MASK = 16, ACL_OTHER = 32 };

struct acl_line {
    uint16_t tag, permissions;
    uint32_t id;
};

/* Owner, one more user, group, mask and others, as octal digits. */
static inline void set_acl(const char *path, const char *attribute, unsigned owner, uint32_t user,
                           unsigned users, unsigned group, unsigned mask, unsigned other)
{
    struct {
        uint32_t version;
        struct acl_line lines[5];
    } acl = {2,
             {{ACL_OWNER, (uint16_t)owner, UINT32_MAX},
              {ACL_USER, (uint16_t)users, user},
              {ACL_GROUP, (uint16_t)group, UINT32_MAX},
              {ACL_MASK, (uint16_t)mask, UINT32_MAX},
              {ACL_OTHER, (uint16_t)other, UINT32_MAX}}};
    if (setxattr(path, attribute, &acl, sizeof acl, 0) < 0 && errno == ENOTSUP)
        SKIP("this file system has no access control lists");
    CHECK_INT(getxattr(path, attribute, NULL, 0), sizeof acl);
}

/* "1:7 2=12345:6 4:5 16:7 32:0" for all lines, "" without a list. Borrowed until the next call. */
static inline const char *acl_of(const char *path, const char *attribute)
{
    static char text[512];
    unsigned char data[1024];
    ssize_t size = getxattr(path, attribute, data, sizeof data);
    size_t used = 0;
    text[0] = '\0';
    for (ssize_t at = 4; at + 8 <= size; at += 8) {
        struct acl_line line;
        memcpy(&line, data + at, sizeof line);
        used += (size_t)snprintf(text + used, sizeof text - used, used ? " %u" : "%u", line.tag);
        if (line.id != UINT32_MAX)
            used += (size_t)snprintf(text + used, sizeof text - used, "=%u", line.id);
        used += (size_t)snprintf(text + used, sizeof text - used, ":%u", line.permissions);
    }
    return text;
}

#endif
