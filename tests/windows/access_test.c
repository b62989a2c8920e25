/* Who may read a file: what Windows' own words make of it, and what a mode makes of them. Wine
 * keeps of an ACL what the modes of Unix can say: entries of anybody by name are not run here. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "harness.h"

#include <aclapi.h>
#include <sddl.h>
#include <stdio.h>

#include <untorn.h>

#include "file/support.h"
#include "os/os.h"

static struct untorn_error error;

static int save(const char *path, const char *text, unsigned mode)
{
    struct untorn_options options = {.mode = mode};
    return untorn_write(path, text, strlen(text), &options, &error);
}

static HANDLE open_to(const char *path, DWORD access)
{
    HANDLE file =
        CreateFileA(path, access, 7, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    CHECK(file != INVALID_HANDLE_VALUE);
    return file;
}

/* The file gets this ACL, in which U is the user. */
static void allow(const char *path, const char *entries)
{
    char text[512] = "D:P", room[256], *name;
    PSECURITY_DESCRIPTOR descriptor;
    DWORD size;
    CHECK(GetTokenInformation((HANDLE)(intptr_t)-6, TokenUser, room, sizeof room, &size));
    CHECK(ConvertSidToStringSidA(((TOKEN_USER *)room)->User.Sid, &name));
    for (const char *at = entries; *at; at++)
        snprintf(text + strlen(text), sizeof text - strlen(text), *at == 'U' ? "%s" : "%.1s",
                 *at == 'U' ? name : at);
    CHECK(ConvertStringSecurityDescriptorToSecurityDescriptorA(text, SDDL_REVISION_1, &descriptor,
                                                               NULL));
    HANDLE file = open_to(path, WRITE_DAC);
    CHECK(SetKernelObjectSecurity(file, DACL_SECURITY_INFORMATION, descriptor));
    CloseHandle(file);
    LocalFree(descriptor);
    LocalFree(name);
}

/* Its ACL in the system's words. */
static const char *acl_of(const char *path)
{
    static char text[1024], room[4096];
    char *found;
    DWORD size;
    HANDLE file = open_to(path, READ_CONTROL);
    CHECK(GetKernelObjectSecurity(file, DACL_SECURITY_INFORMATION, room, sizeof room, &size));
    CHECK(ConvertSecurityDescriptorToStringSecurityDescriptorA(
        room, SDDL_REVISION_1, DACL_SECURITY_INFORMATION, &found, NULL));
    snprintf(text, sizeof text, "%s", found);
    LocalFree(found);
    CloseHandle(file);
    return text;
}

static unsigned seen_mode(const char *path)
{
    struct os_stat stat;
    CHECK_INT(os_stat(OS_NONE, path, &stat), 0);
    return stat.mode;
}

static bool is_open_to_all(const char *path)
{
    return strstr(acl_of(path), ";;;WD)") != NULL;
}

TEST(a_mode_tells_who_may_read_and_write_it)
{
    put("f", "");
    allow("f", "(A;;FA;;;U)(A;;FA;;;SY)(A;;FA;;;BA)");
    CHECK_INT(seen_mode("f"), 0600);
    allow("f", "(A;;FA;;;U)(A;;FR;;;WD)");
    CHECK_INT(seen_mode("f"), 0644);
    allow("f", "(A;;FA;;;U)(A;;FA;;;WD)");
    CHECK_INT(seen_mode("f"), 0666);
    make_dir("d", 0777);
    allow("d", "(A;OICI;FA;;;U)(A;OICI;FA;;;SY)");
    CHECK_INT(seen_mode("d"), 0700);
    allow("d", "(A;OICI;FA;;;U)(A;OICI;FR;;;WD)");
    CHECK_INT(seen_mode("d"), 0755);
}

TEST(what_is_marked_read_only_has_no_bit_for_writing)
{
    put("f", "");
    allow("f", "(A;;FA;;;U)(A;;FA;;;WD)");
    CHECK(SetFileAttributesA("f", FILE_ATTRIBUTE_READONLY));
    CHECK_INT(seen_mode("f") & 0222, 0);
    CHECK(SetFileAttributesA("f", FILE_ATTRIBUTE_NORMAL));
}

TEST(what_we_make_is_ours)
{
    struct os_stat stat;
    CHECK_INT(save("f", "text", 0), 0);
    CHECK_INT(os_stat(OS_NONE, "f", &stat), 0);
    CHECK_INT(stat.owner, os_user());
    CHECK(os_user() != 0);
}

TEST(a_file_that_is_asked_for_with_0600_is_for_its_user_alone)
{
    CHECK_INT(save("open", "text", 0), 0);
    CHECK(is_open_to_all("open")); /* else there is nothing to see here */
    CHECK_INT(save("secret", "text", 0600), 0);
    CHECK(!is_open_to_all("secret"));
    CHECK_INT(seen_mode("secret"), 0600);
    CHECK_INT(save("open", "closed", 0600), 0);
    CHECK(!is_open_to_all("open"));
}

TEST(one_that_is_private_stays_so)
{
    CHECK_INT(save("secret", "old", 0600), 0);
    CHECK_INT(save("secret", "new", 0), 0);
    CHECK(!is_open_to_all("secret"));
    CHECK(!is_open_to_all(only_entry(".untorn/history/secret", "")));
    CHECK_INT(save("secret", "open again", 0644), 0);
    CHECK(is_open_to_all("secret"));
    CHECK_INT(seen_mode("secret"), 0644);
}

static bool found_open;

static int look_at_stage(void *context, const char *name)
{
    char path[300];
    (void)context;
    snprintf(path, sizeof path, ".untorn/stage/%s", name);
    found_open |= is_open_to_all(path);
    return 0;
}

static int look_at_stages(void *context, const struct untorn_content *old,
                          struct untorn_change *change)
{
    os_fd folder;
    (void)context, (void)old;
    if (os_open_dir(OS_NONE, ".untorn/stage", false, &folder) == 0) {
        os_list(folder, look_at_stage, NULL);
        os_close(folder);
    }
    return untorn_change_set(change, "new", 3);
}

TEST(what_is_staged_for_it_is_private_from_its_first_byte)
{
    struct untorn_options options = {.mode = 0600};
    struct untorn_writer *writer;
    CHECK_INT(save("secret", "old", 0600), 0);
    CHECK_INT(untorn_writer_begin("secret", &options, &writer, &error), 0);
    CHECK_INT(untorn_writer_write(writer, "new", 3, &error), 0);
    CHECK_INT(count_entries(".untorn/stage", ""), 1);
    CHECK_INT(untorn_update("other", look_at_stages, NULL, NULL, &error), 0);
    CHECK(!found_open);
    untorn_writer_free(writer);
}

TEST(our_own_folder_is_as_open_as_the_directory)
{
    make_dir("open", 0777);
    make_dir("closed", 0777);
    allow("closed", "(A;OICI;FA;;;U)(A;OICI;FA;;;SY)");
    CHECK_INT(save("open/f", "old", 0), 0);
    CHECK_INT(save("closed/f", "old", 0), 0);
    CHECK_INT(seen_mode("open/.untorn"), seen_mode("open"));
    CHECK_INT(seen_mode("open/.untorn/lock"), seen_mode("open"));
    CHECK_INT(seen_mode("closed/.untorn"), 0700);
    allow("open", "(A;OICI;FA;;;U)(A;OICI;FA;;;SY)");
    CHECK_INT(save("open/f", "new", 0), 0);
    CHECK_INT(seen_mode("open/.untorn"), 0700);
}

TEST(a_lock_is_only_for_those_who_may_write_the_directory)
{
    make_dir("d", 0777);
    allow("d", "(A;OICI;FA;;;U)(A;OICI;FR;;;WD)");
    CHECK_INT(save("d/f", "old", 0), 0);
    CHECK_INT(seen_mode(only_entry("d/.untorn/lock", "")), 0600);
}
