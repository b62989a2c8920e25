/* Who owns a file and who may do what with it, in the words of Unix.
 *
 * Owner and user are numbers made from their SIDs. The system, administrators and the installer of
 * Windows are 0: they can do everything anyway. What an administrator makes belongs to all of them;
 * for one of them it is his own, whether or not he is elevated.
 *
 * Of the entries of an ACL those of the owner, of the system and of administrators are the owner's
 * bits; those of everyone, of who has logged in and of all users are the bits of others and of the
 * group; those of anybody else, by name, are the group's alone. So the group has all that others
 * have, and where it has more there are names that the mode does not tell: the file is not plain.
 */
#include "os/win/win.h"

#include <aclapi.h>
#include <errno.h>
#include <sddl.h>
#include <stdio.h>
#include <string.h>

enum {
    ACL_MOST = 65532,
    DESCRIPTOR_MOST = ACL_MOST + 1024,
    READS = FILE_READ_DATA | WRITE_DAC | WRITE_OWNER | GENERIC_ALL | GENERIC_READ,
    WRITES = FILE_WRITE_DATA | WRITE_DAC | WRITE_OWNER | GENERIC_ALL | GENERIC_WRITE,
};

union sid {
    SID sid;
    char room[SECURITY_MAX_SID_SIZE];
};

/* ---- SIDs ---- */

static bool is_known(PSID sid, WELL_KNOWN_SID_TYPE type)
{
    return IsWellKnownSid(sid, type);
}

static bool has_authority(PSID sid, BYTE authority)
{
    return GetSidIdentifierAuthority(sid)->Value[5] == authority;
}

static bool is_system(PSID sid)
{
    enum { SERVICE = 80, INSTALLER = 956008885 };
    return is_known(sid, WinLocalSystemSid) || is_known(sid, WinBuiltinAdministratorsSid) ||
           (has_authority(sid, 5) && *GetSidSubAuthorityCount(sid) == 6 &&
            *GetSidSubAuthority(sid, 0) == SERVICE && *GetSidSubAuthority(sid, 1) == INSTALLER);
}

static bool is_anyone(PSID sid)
{
    return is_known(sid, WinWorldSid) || is_known(sid, WinAuthenticatedUserSid) ||
           is_known(sid, WinBuiltinUsersSid);
}

/* That stand for no user: who made a file or owns it, and what programs of its user may do. */
static bool is_nobody_else(PSID sid)
{
    return has_authority(sid, 3) || has_authority(sid, 15);
}

static HANDLE own_token(void)
{
    return (HANDLE)(intptr_t)-6; /* of the thread if it has one, else of the process */
}

static bool get_user(union sid *ret_user)
{
    union {
        TOKEN_USER user;
        char room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } token;
    DWORD size;
    return GetTokenInformation(own_token(), TokenUser, &token, sizeof token, &size) &&
           CopySid(sizeof *ret_user, ret_user, token.user.User.Sid);
}

/* Also one that is not elevated: then the group is only there to be denied. */
static bool is_administrator(void)
{
    static _Thread_local union {
        TOKEN_GROUPS groups;
        char room[64 * 1024];
    } token;
    DWORD size;
    if (!GetTokenInformation(own_token(), TokenGroups, &token, sizeof token, &size))
        return false;
    for (DWORD i = 0; i < token.groups.GroupCount; i++)
        if (is_known(token.groups.Groups[i].Sid, WinBuiltinAdministratorsSid))
            return true;
    return false;
}

/* FNV-1a; never 0. */
static uint32_t number_of(PSID sid)
{
    const unsigned char *bytes = sid;
    uint32_t number = 2166136261u;
    for (DWORD i = 0; i < GetLengthSid(sid); i++)
        number = (number ^ bytes[i]) * 16777619u;
    return number ? number : 1;
}

uint32_t win_user(void)
{
    union sid user;
    return get_user(&user) ? number_of(&user) : 1;
}

/* Whether it is the user's by his being one of many: an administrator's file, or everyone's, as all
 * is on a file system without owners. Seldom, so that the user is seldom asked for. */
static bool is_shared(PSID owner)
{
    return is_known(owner, WinWorldSid) ||
           (is_known(owner, WinBuiltinAdministratorsSid) && is_administrator());
}

static uint32_t owner_number(PSID owner)
{
    union sid user;
    if (is_shared(owner))
        return win_user();
    bool other = is_system(owner) && !(get_user(&user) && EqualSid(owner, &user));
    return other ? 0 : number_of(owner);
}

/* ---- reading ---- */

/* Whom an entry is about. */
enum whom { OWN, ANYONE, NAMED };

struct view {
    PSECURITY_DESCRIPTOR descriptor; /* borrowed until the next one of this thread */
    PSID owner;
    bool shared; /* the owner stands for this user among others */
    union sid user;
    PACL acl; /* NULL: everybody may do everything */
};

static int view_open(HANDLE file, struct view *ret_view)
{
    static _Thread_local _Alignas(8) char room[DESCRIPTOR_MOST];
    BOOL present, by_default;
    DWORD size;
    *ret_view = (struct view){.descriptor = room};
    if (!GetKernelObjectSecurity(file, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, room,
                                 sizeof room, &size) ||
        !GetSecurityDescriptorOwner(room, &ret_view->owner, &by_default) || !ret_view->owner ||
        !GetSecurityDescriptorDacl(room, &present, &ret_view->acl, &by_default))
        return win_last_failure();
    if (!present)
        ret_view->acl = NULL;
    ret_view->shared = is_shared(ret_view->owner) && get_user(&ret_view->user);
    return 0;
}

static enum whom whom_of(const struct view *view, PSID sid)
{
    if (is_anyone(sid))
        return ANYONE;
    bool own = is_system(sid) || is_nobody_else(sid) || EqualSid(sid, view->owner) ||
               (view->shared && EqualSid(sid, (PSID)&view->user));
    return own ? OWN : NAMED;
}

static bool is_simple(const ACE_HEADER *entry)
{
    return entry->AceType == ACCESS_ALLOWED_ACE_TYPE || entry->AceType == ACCESS_DENIED_ACE_TYPE;
}

static unsigned bits_of(ACCESS_MASK mask)
{
    return (mask & READS ? 4 : 0) | (mask & WRITES ? 2 : 0);
}

/* Denials are not weighed but for everyone: who is named in one may have less than it seems. */
static void weigh(const struct view *view, ACCESS_ALLOWED_ACE *entry, ACCESS_MASK *denied,
                  struct win_access *access)
{
    if (entry->Header.AceFlags & INHERIT_ONLY_ACE)
        return;
    PSID sid = &entry->SidStart;
    if (!is_simple(&entry->Header)) { /* with a condition, which is not looked into */
        access->plain = false;
        access->mode |= 060;
    } else if (entry->Header.AceType == ACCESS_DENIED_ACE_TYPE) {
        access->plain = false;
        if (is_known(sid, WinWorldSid))
            *denied |= entry->Mask;
    } else {
        enum whom whom = whom_of(view, sid);
        unsigned bits = bits_of(entry->Mask & ~*denied);
        if (whom == OWN || bits == 0)
            return;
        access->plain &= whom != NAMED;
        access->mode |= whom == ANYONE ? bits * 011 : bits * 010;
    }
}

/* What cannot be told counts as open to be read, not to be written, and as not plain; if we are not
 * let see it, as a stranger's. */
void win_access_of(HANDLE file, struct win_access *ret_access)
{
    struct view view;
    ACCESS_MASK denied = 0;
    int rc = view_open(file, &view);
    if (rc < 0) {
        *ret_access = (struct win_access){rc == -EACCES ? UINT32_MAX : win_user(), 0644, false};
        return;
    }
    uint32_t owner = owner_number(view.owner);
    *ret_access = (struct win_access){owner, view.acl ? 0600 : 0666, true};
    for (DWORD i = 0; view.acl && i < view.acl->AceCount; i++) {
        void *entry;
        if (GetAce(view.acl, i, &entry))
            weigh(&view, entry, &denied, ret_access);
    }
}

/* ---- changing ---- */

/* The same file with other rights; what our own handle was opened with is not enough. */
static HANDLE open_again(HANDLE file, DWORD access)
{
    return ReOpenFile(file, access, WIN_SHARE, FILE_FLAG_BACKUP_SEMANTICS);
}

static int set_security(HANDLE file, SECURITY_INFORMATION what, PSECURITY_DESCRIPTOR descriptor)
{
    bool owner = what & OWNER_SECURITY_INFORMATION;
    HANDLE again = open_again(file, owner ? WRITE_OWNER : WRITE_DAC);
    if (again == INVALID_HANDLE_VALUE)
        return win_last_failure();
    int rc = SetKernelObjectSecurity(again, what, descriptor) ? 0 : win_last_failure();
    CloseHandle(again);
    return rc;
}

bool win_private_descriptor(PSECURITY_DESCRIPTOR *ret_descriptor)
{
    union sid user;
    wchar_t text[512];
    LPWSTR name;
    if (!get_user(&user) || !ConvertSidToStringSidW(&user, &name))
        return false;
    swprintf(text, sizeof text / sizeof *text,
             L"D:P(A;OICI;FA;;;%ls)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", name);
    LocalFree(name);
    return ConvertStringSecurityDescriptorToSecurityDescriptorW(text, SDDL_REVISION_1,
                                                                ret_descriptor, NULL);
}

/* The system asks for the one bit to keep the other: that entries are inherited ones. */
static void keep_inheritance(PSECURITY_DESCRIPTOR descriptor)
{
    SECURITY_DESCRIPTOR_CONTROL control;
    DWORD revision;
    if (GetSecurityDescriptorControl(descriptor, &control, &revision) &&
        (control & SE_DACL_AUTO_INHERITED))
        (void)SetSecurityDescriptorControl(descriptor, SE_DACL_AUTO_INHERIT_REQ,
                                           SE_DACL_AUTO_INHERIT_REQ);
}

/* A file system without ACLs shows one that allows everybody everything. */
static bool has_acls(HANDLE file)
{
    DWORD flags = 0;
    return !GetVolumeInformationByHandleW(file, NULL, 0, NULL, NULL, &flags, NULL, 0) ||
           (flags & FILE_PERSISTENT_ACLS);
}

int win_copy_acl(HANDLE from, HANDLE to)
{
    struct view view;
    if (!has_acls(to))
        return 0;
    int rc = view_open(from, &view);
    if (rc < 0)
        return rc;
    keep_inheritance(view.descriptor);
    return set_security(to, DACL_SECURITY_INFORMATION, view.descriptor);
}

int win_copy_owner(HANDLE from, HANDLE to)
{
    struct view view;
    union sid owner;
    int rc = view_open(to, &view);
    if (rc < 0 || !CopySid(sizeof owner, &owner, view.owner))
        return rc < 0 ? rc : -EIO;
    rc = view_open(from, &view);
    if (rc < 0 || EqualSid(&owner, view.owner))
        return rc;
    uint32_t now = owner_number(&owner), wanted = owner_number(view.owner);
    rc = set_security(to, OWNER_SECURITY_INFORMATION, view.descriptor);
    return now == wanted ? 0 : rc;
}

/* ---- narrowing ---- */

struct narrowing {
    struct view view; /* of what the entries are taken from */
    union sid owner;  /* of the file */
    unsigned mode;
    enum win_names names;
    bool passed_on; /* it is the folder: what files in it get */
};

static ACCESS_MASK rights_of(unsigned bits)
{
    return (bits & 4 ? FILE_GENERIC_READ | FILE_GENERIC_EXECUTE : 0) |
           (bits & 2 ? FILE_GENERIC_WRITE | DELETE | FILE_DELETE_CHILD : 0);
}

/* What of an entry stays; 0 if nothing. The owner's own goes: he gets a new one. */
static ACCESS_MASK narrowed(const struct narrowing *how, ACCESS_ALLOWED_ACE *entry)
{
    static GENERIC_MAPPING generic = {FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_GENERIC_EXECUTE,
                                      FILE_ALL_ACCESS};
    ACCESS_MASK mask = entry->Mask;
    if (!is_simple(&entry->Header))
        return 0;
    MapGenericMask(&mask, &generic);
    enum whom whom = whom_of(&how->view, &entry->SidStart);
    if (entry->Header.AceType == ACCESS_DENIED_ACE_TYPE)
        return mask;
    if (whom == OWN)
        return EqualSid(&entry->SidStart, (PSID)&how->owner) ? 0 : mask;
    if ((whom == NAMED && how->names == WIN_NAMES_GO) ||
        (how->names == WIN_ONLY_WRITERS && !(mask & WRITES)))
        return 0;
    mask &= rights_of(whom == NAMED ? how->mode >> 3 & 7 : how->mode & 7);
    return bits_of(mask) ? mask : 0;
}

static bool add_narrowed(PACL acl, const struct narrowing *how)
{
    static _Thread_local _Alignas(8) char room[ACL_MOST];
    ACCESS_ALLOWED_ACE *copy = (ACCESS_ALLOWED_ACE *)room;
    for (DWORD i = 0; how->view.acl && i < how->view.acl->AceCount; i++) {
        void *entry;
        if (!GetAce(how->view.acl, i, &entry))
            return false;
        memcpy(room, entry, ((ACE_HEADER *)entry)->AceSize);
        if (how->passed_on && !(copy->Header.AceFlags & OBJECT_INHERIT_ACE))
            continue;
        copy->Mask = narrowed(how, entry);
        copy->Header.AceFlags &= how->passed_on ? 0 : (BYTE)~INHERITED_ACE;
        if (copy->Mask != 0 && !AddAce(acl, ACL_REVISION, MAXDWORD, copy, copy->Header.AceSize))
            return false;
    }
    return true;
}

/* What folders pass on would come back, so that is kept out. The owner may have been one of those
 * that lose something. */
static int set_narrowed(HANDLE file, const struct narrowing *how)
{
    static _Thread_local _Alignas(8) char room[ACL_MOST];
    ACL_SIZE_INFORMATION size;
    SECURITY_DESCRIPTOR descriptor;
    PACL acl = (PACL)room;
    if (!InitializeAcl(acl, sizeof room, ACL_REVISION) || !add_narrowed(acl, how) ||
        !AddAccessAllowedAceEx(acl, ACL_REVISION, OBJECT_INHERIT_ACE | CONTAINER_INHERIT_ACE,
                               FILE_ALL_ACCESS, (PSID)&how->owner) ||
        !GetAclInformation(acl, &size, sizeof size, AclSizeInformation) ||
        !InitializeSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION) ||
        !SetSecurityDescriptorDacl(&descriptor, TRUE, acl, FALSE) ||
        !SetSecurityDescriptorControl(&descriptor, SE_DACL_PROTECTED, SE_DACL_PROTECTED))
        return win_last_failure();
    acl->AclSize = (WORD)size.AclBytesInUse; /* the whole room would be too much for the system */
    return set_security(file, DACL_SECURITY_INFORMATION, &descriptor);
}

static int narrow(HANDLE like, HANDLE file, struct narrowing *how)
{
    int rc = view_open(file, &how->view);
    if (rc < 0)
        return rc;
    if (!CopySid(sizeof how->owner, &how->owner,
                 how->view.shared ? (PSID)&how->view.user : how->view.owner))
        return win_last_failure();
    rc = view_open(like, &how->view);
    return rc < 0 ? rc : set_narrowed(file, how);
}

int win_narrow_acl(HANDLE like, bool passed_on, HANDLE file, unsigned mode, enum win_names names)
{
    struct narrowing how = {.mode = mode, .names = names, .passed_on = passed_on};
    struct win_access access;
    win_access_of(file, &access);
    bool fits = !(access.mode & ~mode & 066) && (access.plain || names == WIN_NAMES_STAY);
    if (fits && like == file)
        return 0;
    if (!has_acls(file))
        return mode & 066 ? 0 : -ENOTSUP;
    return narrow(like, file, &how);
}

/* ---- what the folder passes on ---- */

static DWORD pass_on(HANDLE file, PACL own)
{
    return SetSecurityInfo(file, SE_FILE_OBJECT,
                           DACL_SECURITY_INFORMATION | UNPROTECTED_DACL_SECURITY_INFORMATION, NULL,
                           NULL, own, NULL);
}

int win_inherit_acl(HANDLE file)
{
    struct narrowing for_owner = {.mode = 0};
    struct view view;
    ACL none;
    if (!has_acls(file))
        return 0;
    HANDLE again = open_again(file, WRITE_DAC | READ_CONTROL);
    if (again == INVALID_HANDLE_VALUE || !InitializeAcl(&none, sizeof none, ACL_REVISION))
        return win_last_failure();
    DWORD code = pass_on(again, &none);
    /* It measures the folder's ACL and then reads it: another may change that in between. */
    for (int i = 0; code == ERROR_INSUFFICIENT_BUFFER && win_pause(i); i++)
        code = pass_on(again, &none);
    CloseHandle(again);
    if (code != ERROR_SUCCESS)
        return win_failure(code);
    int rc = view_open(file, &view);
    bool nothing = rc == 0 && view.acl && view.acl->AceCount == 0; /* not even for its owner */
    return nothing ? narrow(file, file, &for_owner) : rc;
}
