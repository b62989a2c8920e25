/* Slots as a commit leaves them when it dies: made by the code that makes them, at any step. */
#ifndef UNTORN_TESTS_TXN_PLANTED_H
#define UNTORN_TESTS_TXN_PLANTED_H

#include "file/io.h"
#include "file/setting.h"
#include "txn/slotfile.h"

enum { PLANT_MOST = 8 };

/* The commit in one directory. */
struct plant {
    struct setting setting;
    struct slot_file file;
    struct slot slot;
    struct slot_member members[PLANT_MOST];
    struct slot_directory directories[PLANT_MOST];
    char paths[PLANT_MOST][4096];
    char relative[PLANT_MOST][4096];
    struct plant *next; /* all of them, until the process ends */
};
static struct plant *all_plants;

#define PLANT_SLOT ".untorn/journal/slot"

/* `path` is any file in the directory. Ends with the process. */
static inline struct plant *plant_begin(const char *path)
{
    struct plant *plant = calloc(1, sizeof *plant);
    CHECK(plant);
    plant->next = all_plants;
    all_plants = plant;
    setting_open(&plant->setting, path);
    plant->file = (struct slot_file)SLOT_FILE_CLOSED;
    plant->slot.sequence = 1;
    plant->slot.members = plant->members;
    plant->slot.directories = plant->directories;
    memcpy(plant->slot.id, "commit-of-a-test", SLOT_ID);
    return plant;
}

static inline struct os_stat plant_stat(struct plant *plant, const char *name)
{
    struct os_stat stat;
    CHECK_INT(os_stat(plant->setting.place.dir, name, &stat), 0);
    return stat;
}

static inline struct untorn_hash plant_hash(struct plant *plant, const char *name)
{
    struct untorn_hash hash;
    os_fd file;
    CHECK_INT(os_open(plant->setting.place.dir, name, OS_READ, 0, &file), 0);
    CHECK_INT(io_hash(file, 0, plant_stat(plant, name).size, &hash), 0);
    os_close(file);
    return hash;
}

/* A member that gets new content, out of the slot; NULL: it is removed. */
static inline struct slot_member *plant_member(struct plant *plant, const char *name,
                                               const char *text)
{
    struct slot_member *member = &plant->members[plant->slot.member_count++];
    struct os_stat stat;
    bool is_there = os_stat(plant->setting.place.dir, name, &stat) == 0;
    member->kind = !text ? SLOT_REMOVE : is_there ? SLOT_REPLACE : SLOT_CREATE;
    strcpy(member->name, name);
    if (is_there) {
        member->before.hashed = true;
        member->before.inode = stat.inode;
        member->before.born = stat.born;
        member->before.size = stat.size;
        member->before.hash = plant_hash(plant, name);
    }
    if (text) {
        member->after.size = strlen(text);
        member->after.hash = untorn_hash(text, strlen(text));
        member->after.mode = 0644;
        member->after.owner = getuid();
        member->after.group = getgid();
        member->inlined = true;
        member->bytes = text;
    }
    return member;
}

/* The same with its new content in a stage. */
static inline struct slot_member *plant_staged(struct plant *plant, const char *name,
                                               const char *text)
{
    struct slot_member *member = plant_member(plant, name, text);
    os_fd folder, file;
    snprintf(member->stage, sizeof member->stage, "%s.0123456789abcdef", name);
    member->inlined = false;
    CHECK_INT(state_folder(&plant->setting.state, FOLDER_STAGE, true, &folder), 0);
    CHECK_INT(os_open(folder, member->stage, OS_WRITE | OS_CREATE, 0644, &file), 0);
    CHECK_INT(os_write_at(file, text, strlen(text), 0), strlen(text));
    os_close(file);
    return member;
}

/* A first member that is in place already: readers see the commit. [VIEW-1] */
static inline void plant_first(struct plant *plant)
{
    os_fd file;
    CHECK_INT(plant->slot.member_count, 0);
    (void)os_remove(plant->setting.place.dir, "first", false);
    plant_member(plant, "first", "1");
    CHECK_INT(os_open(plant->setting.place.dir, "first", OS_WRITE | OS_CREATE, 0644, &file), 0);
    CHECK_INT(os_write_at(file, "1", 1, 0), 1);
    os_close(file);
}

/* `to` takes part in the commit of `plant`, or is its coordinator. */
static inline void plant_directory(struct plant *plant, struct plant *to)
{
    uint32_t index = plant->slot.directory_count++;
    struct os_stat stat = to->setting.place.dir_stat;
    CHECK_INT(os_dir_path(to->setting.place.dir, plant->paths[index], 4096), 0);
    snprintf(plant->relative[index], 4096, "..%s", strrchr(plant->paths[index], '/')); /* beside */
    plant->directories[index] = (struct slot_directory){
        .inode = stat.inode,
        .born = stat.born,
        .owner = getuid(),
        .path = plant->paths[index],
        .relative = plant->relative[index],
    };
}

/* Two directories of one commit, the first one its coordinator. */
static inline void plant_pair(struct plant *coordinator, struct plant *participant)
{
    plant_directory(coordinator, participant);
    plant_directory(participant, coordinator);
    participant->slot.participant = true;
}

static inline void plant_write(struct plant *plant, enum slot_state state, unsigned mode)
{
    plant->slot.state = state;
    if (plant->file.fd == OS_NONE)
        CHECK_INT(slot_file_renew(&plant->file, &plant->setting.state,
                                  &(struct slot_access){mode, os_user()}),
                  0);
    CHECK_INT(slot_file_write(&plant->file, &plant->slot), 0);
}

/* The writer dies: what it wrote stays, its lock ends. */
static inline void plant_die(struct plant *plant)
{
    slot_file_close(&plant->file);
    setting_close(&plant->setting);
}

static inline void plant_as_stranger(void *second)
{
    struct plant *plant = plant_begin("open/a");
    if (second)
        plant_first(plant);
    plant_member(plant, "a", "planted");
    if (second)
        plant_member(plant, second, "planted");
    plant_write(plant, SLOT_COMMITTED, 0644);
}

/* In `open`, where anybody may create files, lies root's `a`; and a commit of it by somebody who
 * may not change it, together with a file `second`, unless that is NULL. */
static inline void plant_by_stranger(char *second)
{
    need_root();
    make_dir("open", 0777);
    put("open/a", "root's");
    CHECK_INT(chmod("open/a", 0644), 0);
    in_child_as(ALICE, CREW, plant_as_stranger, second);
}

#endif
