#include "file/registry.h"

#include <stdlib.h>
#include <string.h>

#include "base/pathtext.h"

enum { WAITED_SLOTS = 8, LOCAL_SLOTS = 8, FOLDER_SLOTS = 32, AREA_SLOTS = 16 };

static struct {
    struct lock_file *files;
    struct open_transaction *transactions;
    struct os_stat waited[WAITED_SLOTS]; /* inode 0: free */
    unsigned next_waited;
    struct os_process self; /* pid 0: not found out yet */
    struct {
        uint64_t device;
        bool known;
    } local[LOCAL_SLOTS]; /* devices that are not reached over a network */
    unsigned next_local;
    struct os_stat folders[FOLDER_SLOTS]; /* of a known format; inode 0: free */
    unsigned next_folder;
    struct shared_area areas[AREA_SLOTS]; /* no memory: free */
    unsigned area_clock;
} registry;

static const struct os_global global = {&registry, sizeof registry, registry_after_fork};

static _Thread_local char this_thread; /* its address tells threads apart */

struct lock_file *registry_add(os_fd fd, const struct os_stat *stat)
{
    struct lock_file *file = calloc(1, sizeof *file);
    if (!file) {
        os_close(fd);
        return NULL;
    }
    file->fd = fd;
    file->stat = *stat;
    file->references = 1;
    os_guard_enter(&global);
    file->next = registry.files;
    registry.files = file;
    os_guard_leave();
    return file;
}

static void drop_guarded(struct lock_file *file)
{
    if (--file->references > 0)
        return;
    for (struct lock_file **link = &registry.files; *link; link = &(*link)->next) {
        if (*link == file) {
            *link = file->next;
            break;
        }
    }
    os_close(file->fd);
    free(file);
}

void registry_drop(struct lock_file *file)
{
    if (!file)
        return;
    os_guard_enter(&global);
    drop_guarded(file);
    os_guard_leave();
}

/* This thread's claim on the file, or any other thread's that stands against `kind`. */
static struct lock_file *find_claim(const struct lock_file *own, bool mine, enum os_lock kind)
{
    for (struct lock_file *file = registry.files; file; file = file->next) {
        bool is_mine = file->thread == &this_thread;
        bool shares = file->kind == OS_LOCK_SHARED && kind == OS_LOCK_SHARED;
        if (file->count > 0 && os_same_file(&file->stat, &own->stat) && is_mine == mine &&
            (mine || !shares))
            return file;
    }
    return NULL;
}

static enum registry_claim claim_guarded(struct lock_file *own, enum os_lock kind,
                                         struct lock_file **ret_held)
{
    struct lock_file *file = find_claim(own, true, kind);
    if (file) {
        if (file->kind == OS_LOCK_SHARED && kind == OS_LOCK_EXCLUSIVE)
            return CLAIM_DEADLOCK;
        file->count++;
        file->references++;
        *ret_held = file;
        return CLAIM_NESTED;
    }
    if (find_claim(own, false, kind))
        return CLAIM_TAKEN;
    own->count = 1;
    own->references++;
    own->thread = &this_thread;
    own->kind = kind;
    *ret_held = own;
    return CLAIM_TRY;
}

enum registry_claim registry_claim(struct lock_file *own, enum os_lock kind,
                                   struct lock_file **ret_held)
{
    os_guard_enter(&global);
    enum registry_claim claim = claim_guarded(own, kind, ret_held);
    os_guard_leave();
    return claim;
}

/* Unlocking would take the lock from all who share the opening; closing ends only our part. */
static void end_guarded(struct lock_file *file)
{
    if (!file->passed_on) {
        (void)os_lock(file->fd, OS_UNLOCK); /* closing would do it too, later */
        return;
    }
    os_close(file->fd);
    file->fd = OS_NONE;
}

void registry_release(struct lock_file *held)
{
    os_guard_enter(&global);
    if (held->count > 0 && --held->count == 0 && held->fd != OS_NONE)
        end_guarded(held);
    drop_guarded(held);
    os_guard_leave();
}

void registry_disclaim(struct lock_file *held)
{
    os_guard_enter(&global);
    if (held->count > 0)
        held->count--;
    drop_guarded(held);
    os_guard_leave();
}

bool registry_holds(const struct os_stat *stat)
{
    bool holds = false;
    os_guard_enter(&global);
    for (struct lock_file *file = registry.files; file && !holds; file = file->next)
        holds = file->count > 0 && file->thread == &this_thread &&
                file->kind == OS_LOCK_EXCLUSIVE && os_same_file(&file->stat, stat);
    os_guard_leave();
    return holds;
}

bool registry_is_inside(const struct os_stat *stat)
{
    bool inside = false;
    os_guard_enter(&global);
    for (struct lock_file *file = registry.files; file && !inside; file = file->next)
        inside = file->count > 0 && file->thread == &this_thread && os_same_file(&file->stat, stat);
    os_guard_leave();
    return inside;
}

bool registry_holds_after(const struct os_stat *stat)
{
    bool holds = false;
    os_guard_enter(&global);
    for (struct lock_file *file = registry.files; file && !holds; file = file->next)
        holds = file->count > 0 && file->thread == &this_thread &&
                (file->stat.device != stat->device ? file->stat.device > stat->device
                                                   : file->stat.inode > stat->inode);
    os_guard_leave();
    return holds;
}

void registry_open_transaction(struct open_transaction *transaction)
{
    os_guard_enter(&global);
    transaction->thread = &this_thread;
    transaction->next = registry.transactions;
    registry.transactions = transaction;
    os_guard_leave();
}

void registry_close_transaction(struct open_transaction *transaction)
{
    os_guard_enter(&global);
    for (struct open_transaction **link = &registry.transactions; *link; link = &(*link)->next) {
        if (*link == transaction) {
            *link = transaction->next;
            break;
        }
    }
    transaction->thread = NULL;
    os_guard_leave();
}

struct open_transaction *registry_next_transaction(const struct open_transaction *before)
{
    os_guard_enter(&global);
    struct open_transaction *next = before ? before->next : registry.transactions;
    while (next && next->thread != &this_thread)
        next = next->next;
    os_guard_leave();
    return next;
}

void registry_note_waiters(const struct os_stat *stat)
{
    os_guard_enter(&global);
    registry.waited[registry.next_waited++ % WAITED_SLOTS] = *stat;
    os_guard_leave();
}

bool registry_take_waiters(const struct os_stat *stat)
{
    bool waited = false;
    os_guard_enter(&global);
    for (int i = 0; i < WAITED_SLOTS; i++) {
        if (registry.waited[i].inode != 0 && os_same_file(&registry.waited[i], stat)) {
            registry.waited[i].inode = 0;
            waited = true;
        }
    }
    os_guard_leave();
    return waited;
}

void registry_self(struct os_process *ret_self)
{
    os_guard_enter(&global);
    if (registry.self.pid == 0)
        os_self(&registry.self);
    *ret_self = registry.self;
    os_guard_leave();
}

static bool is_known_local(uint64_t device)
{
    for (int i = 0; i < LOCAL_SLOTS; i++)
        if (registry.local[i].known && registry.local[i].device == device)
            return true;
    return false;
}

bool registry_is_network(os_fd dir, const struct os_stat *stat, char filesystem[32])
{
    struct os_capabilities capabilities;
    os_guard_enter(&global);
    bool local = is_known_local(stat->device);
    os_guard_leave();
    if (local || os_capabilities(dir, &capabilities) < 0)
        return false;
    memcpy(filesystem, capabilities.filesystem, sizeof capabilities.filesystem);
    if (capabilities.network)
        return true;
    os_guard_enter(&global);
    unsigned slot = registry.next_local++ % LOCAL_SLOTS;
    registry.local[slot].device = stat->device;
    registry.local[slot].known = true;
    os_guard_leave();
    return false;
}

/* Without a time of birth a folder cannot be told from one that has its inode number now. */
bool registry_knows_folder(const struct os_stat *folder)
{
    bool known = false;
    os_guard_enter(&global);
    for (int i = 0; i < FOLDER_SLOTS && !known; i++)
        known = folder->born != 0 && registry.folders[i].born == folder->born &&
                os_same_file(&registry.folders[i], folder);
    os_guard_leave();
    return known;
}

void registry_note_folder(const struct os_stat *folder)
{
    os_guard_enter(&global);
    registry.folders[registry.next_folder++ % FOLDER_SLOTS] = *folder;
    os_guard_leave();
}

static struct shared_area *use_guarded(struct shared_area *area)
{
    area->references++;
    area->used = ++registry.area_clock;
    return area;
}

struct shared_area *registry_area(const struct os_stat *lock)
{
    struct shared_area *found = NULL;
    os_guard_enter(&global);
    for (int i = 0; i < AREA_SLOTS && !found; i++)
        if (registry.areas[i].area.memory && os_still_same(&registry.areas[i].lock, lock))
            found = use_guarded(&registry.areas[i]);
    os_guard_leave();
    return found;
}

static bool has_name(const struct shared_area *area, const char *name)
{
    return area->area.memory && strcmp(area->name, name) == 0;
}

bool registry_has_area(const char *name)
{
    bool found = false;
    os_guard_enter(&global);
    for (int i = 0; i < AREA_SLOTS && !found; i++)
        found = has_name(&registry.areas[i], name);
    os_guard_leave();
    return found;
}

struct shared_area *registry_area_at(const struct os_stat *dir, const char *name)
{
    struct shared_area *found = NULL;
    uint32_t user = os_user();
    os_guard_enter(&global);
    for (int i = 0; i < AREA_SLOTS && !found; i++) {
        struct shared_area *area = &registry.areas[i];
        if (has_name(area, name) && os_still_same(&area->dir, dir) && area->user == user)
            found = use_guarded(area);
    }
    os_guard_leave();
    return found;
}

void registry_note_home(struct shared_area *area, const struct os_stat *dir, const char *name)
{
    os_guard_enter(&global);
    area->dir = *dir;
    path_add(area->name, name);
    os_guard_leave();
}

/* One that nobody uses: of the same lock, free, or else the one that was not asked for longest. */
static struct shared_area *find_room_guarded(const struct os_stat *lock)
{
    struct shared_area *room = NULL;
    for (int i = 0; i < AREA_SLOTS; i++) {
        struct shared_area *area = &registry.areas[i];
        if (area->references > 0)
            continue;
        if (!area->area.memory || os_same_file(&area->lock, lock))
            return area;
        if (!room || area->used < room->used)
            room = area;
    }
    return room;
}

struct shared_area *registry_keep_area(const struct os_area *area, const struct os_stat *lock)
{
    struct os_area old = *area;
    uint32_t user = os_user();
    os_guard_enter(&global);
    struct shared_area *room = find_room_guarded(lock);
    if (room) {
        old = room->area;
        *room = (struct shared_area){.area = *area, .lock = *lock, .user = user};
        (void)use_guarded(room);
    }
    os_guard_leave();
    os_area_leave(&old);
    return room;
}

void registry_drop_area(struct shared_area *area)
{
    if (!area)
        return;
    os_guard_enter(&global);
    if (area->references > 0)
        area->references--;
    os_guard_leave();
}

void registry_after_fork(void)
{
    for (struct lock_file *file = registry.files; file; file = file->next) {
        os_close(file->fd);
        file->fd = OS_NONE;
        file->count = 0;
    }
    for (int i = 0; i < AREA_SLOTS; i++) {
        os_area_leave(&registry.areas[i].area);
        registry.areas[i] = (struct shared_area){0};
    }
    registry.self.pid = 0;
    memset(registry.folders, 0, sizeof registry.folders);
}
