#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/io.h"
#include "txn/record.h"

/* ---- reading ---- */

void record_free_list(struct record_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        record_free(&list->records[i]);
    free(list->records);
    memset(list, 0, sizeof *list);
}

static int read_once(os_fd folder, const char *entry, const char *directory,
                     struct record *ret_record)
{
    os_fd file;
    struct os_stat stat;
    int rc = io_open_own(folder, entry, OS_READ, &file, &stat);
    if (rc < 0)
        return rc;
    unsigned char *data = stat.size <= LIMIT_RECORD ? malloc((size_t)stat.size + 1) : NULL;
    int64_t n = data                        ? io_read(file, data, (size_t)stat.size, 0)
                : stat.size <= LIMIT_RECORD ? -ENOMEM
                                            : -EFBIG;
    os_close(file);
    rc = n < 0 ? (int)n : record_decode(data, (size_t)n, directory, ret_record);
    if (rc == 0)
        ret_record->made = stat;
    free(data);
    return rc;
}

/* It may be being written at this very moment. */
static int read_entry(os_fd folder, const char *entry, const char *directory,
                      struct record *ret_record)
{
    int rc = -ENODATA;
    for (int i = 0; rc == -ENODATA && i < LIMIT_TRIES; i++)
        rc = read_once(folder, entry, directory, ret_record);
    return rc;
}

/* Looks at every record of a folder. */
struct reading {
    os_fd folder;
    const char *directory;
    const unsigned char *wanted; /* an id, or NULL: all */
    struct record_list list;
    size_t looked;
};

static int visit_entry(void *context, const char *entry)
{
    struct reading *reading = context;
    struct record record;
    if (++reading->looked > LIMIT_LISTING)
        return 1;
    int rc = read_entry(reading->folder, entry, reading->directory, &record);
    if (rc < 0) /* torn, not for us to read, of a newer version: it explains nothing */
        return rc == -ENOMEM ? rc : 0;
    if (reading->wanted && memcmp(record.id, reading->wanted, RECORD_ID) != 0) {
        record_free(&record);
        return 0;
    }
    struct record *records =
        realloc(reading->list.records, (reading->list.count + 1) * sizeof *records);
    if (!records) {
        record_free(&record);
        return -ENOMEM;
    }
    records[reading->list.count++] = record;
    reading->list.records = records;
    return reading->wanted ? 1 : 0;
}

static int compare_newest_first(const void *left, const void *right)
{
    const struct record *a = left, *b = right;
    if (a->sequence != b->sequence)
        return a->sequence > b->sequence ? -1 : 1;
    return a->time > b->time ? -1 : a->time < b->time;
}

static int load(struct state *state, os_fd directory, const unsigned char *wanted,
                struct record_list *ret_list)
{
    char path[LIMIT_PATH];
    struct reading reading = {.directory = path, .wanted = wanted};
    memset(ret_list, 0, sizeof *ret_list);
    int rc = state_folder(state, FOLDER_SET, false, &reading.folder);
    if (rc == -ENOENT || rc == -EACCES)
        return 0;
    if (rc == 0)
        rc = os_dir_path(directory, path, sizeof path);
    if (rc == 0)
        rc = os_list(reading.folder, visit_entry, &reading);
    if (rc < 0) {
        record_free_list(&reading.list);
        return rc;
    }
    if (reading.list.count)
        qsort(reading.list.records, reading.list.count, sizeof *reading.list.records,
              compare_newest_first);
    *ret_list = reading.list;
    return 0;
}

int record_load(struct state *state, os_fd directory, struct record_list *ret_list)
{
    return load(state, directory, NULL, ret_list);
}

int record_find(struct state *state, os_fd directory, const unsigned char id[RECORD_ID],
                struct record *ret_record)
{
    struct record_list list;
    memset(ret_record, 0, sizeof *ret_record);
    int rc = load(state, directory, id, &list);
    if (rc < 0)
        return rc;
    if (list.count == 0)
        return -ENOENT;
    *ret_record = list.records[0];
    free(list.records);
    return 0;
}

/* ---- writing ---- */

struct ages {
    os_fd folder;
    size_t count, looked;
    struct {
        uint64_t sequence;
        char entry[UNTORN_HASH_TEXT_SIZE];
    } known[LIMIT_RECORDS + 1];
};

/* Only the head is read: what is torn has no age, and goes first. */
static int visit_age(void *context, const char *entry)
{
    struct ages *ages = context;
    unsigned char head[RECORD_HEAD];
    os_fd file;
    if (++ages->looked > LIMIT_LISTING || ages->count == LIMIT_RECORDS + 1)
        return 1;
    if (strlen(entry) >= UNTORN_HASH_TEXT_SIZE ||
        io_open_own(ages->folder, entry, OS_READ, &file, NULL) < 0)
        return 0;
    int64_t n = io_read(file, head, sizeof head, 0);
    os_close(file);
    ages->known[ages->count].sequence = n == RECORD_HEAD ? record_sequence(head) : 0;
    strcpy(ages->known[ages->count++].entry, entry);
    return 0;
}

static int compare_oldest_first(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static int count_entry(void *context, const char *entry)
{
    (void)entry;
    return ++*(int *)context >= LIMIT_RECORDS;
}

/* A quarter at a time, so that not every new list of members reads all records. */
static void make_room(os_fd folder)
{
    int entries = 0;
    if (os_list(folder, count_entry, &entries) < 0 || entries < LIMIT_RECORDS)
        return;
    struct ages *ages = calloc(1, sizeof *ages);
    if (!ages)
        return;
    ages->folder = folder;
    if (os_list(folder, visit_age, ages) >= 0) {
        qsort(ages->known, ages->count, sizeof *ages->known, compare_oldest_first);
        for (size_t i = 0; i < LIMIT_RECORDS / 4 && i < ages->count; i++)
            (void)os_remove(folder, ages->known[i].entry, false); /* else it stays */
    }
    free(ages);
}

/* The one that is there, by its path: 0 if it is ours and has the mode, else -EEXIST. Who owns it
 * can read it, whatever its mode, and is who says so. */
static int open_existing(const struct state *state, const char *entry, unsigned mode,
                         os_fd *ret_file, uint64_t *ret_size)
{
    char path[STATE_PATH_SIZE];
    struct os_stat stat;
    state_path(state, FOLDER_SET, entry, path);
    int rc = io_open_own(state->parent, path, OS_READ | OS_WRITE, ret_file, &stat);
    *ret_size = rc == 0 ? stat.size : 0;
    if (rc < 0 || (stat.mode == mode && stat.owner == os_user()))
        return rc;
    os_close(*ret_file);
    return -EEXIST;
}

/* [RECORD-3] One that another user made, or that has other rights, is made anew. */
static int open_for_writing(struct state *state, const char *entry, unsigned mode, os_fd *ret_file,
                            uint64_t *ret_size)
{
    os_fd folder;
    unsigned wanted = 0600 | (mode & 0044) | (mode & state->wanted_mode & 0022);
    int found = open_existing(state, entry, wanted, ret_file, ret_size);
    int rc = found == 0 ? 0 : state_folder(state, FOLDER_SET, true, &folder);
    if (found == 0 || rc < 0)
        return rc;
    if (found == -ENOENT)
        make_room(folder);
    else
        (void)os_remove(folder, entry, false); /* creating it says what is wrong */
    *ret_size = 0;
    rc = io_open_own(folder, entry, OS_READ | OS_WRITE | OS_CREATE | OS_EXCLUSIVE, ret_file, NULL);
    if (rc < 0)
        return rc;
    rc = os_share_as(*ret_file, state->root, wanted, false);
    if (rc < 0)
        os_close(*ret_file);
    return rc;
}

static bool shares_one(const struct record *one, const struct record *sorted)
{
    for (size_t i = 0; i < one->count; i++)
        if (bsearch(&one->members[i], sorted->members, sorted->count, sizeof *sorted->members,
                    record_compare_members))
            return true;
    return false;
}

/* What we may not close, for it is another's, is his to lose: who may write the folder could have
 * removed it at any time. */
static void close_to_others(const struct state *state, const struct record *record, unsigned mode)
{
    char entry[LIMIT_NAME + 1], path[STATE_PATH_SIZE];
    struct os_stat stat;
    os_fd file;
    record_entry(record, entry);
    state_path(state, FOLDER_SET, entry, path);
    if (io_open_own(state->parent, path, OS_READ, &file, &stat) < 0)
        return;
    bool too_open = (stat.mode & ~(0600 | mode) & 0777) || !os_is_plain(file);
    int rc = too_open ? os_narrow(file, 0600 | mode) : 0;
    os_close(file);
    if (rc < 0)
        (void)os_remove(state->parent, path, false); /* else it stays as he made it */
}

void record_narrow(struct state *state, os_fd directory, const struct record *record, unsigned mode,
                   void (*visit)(void *context, const char *directory), void *context)
{
    struct record_list list = {0};
    qsort(record->members, record->count, sizeof *record->members, record_compare_members);
    int rc = record_load(state, directory, &list);
    for (size_t i = 0; rc == 0 && i < list.count; i++) {
        const struct record *found = &list.records[i];
        if (!shares_one(found, record))
            continue;
        close_to_others(state, found, mode);
        for (size_t j = 0; visit && j < found->count; j++)
            if (j == 0 || strcmp(found->members[j - 1].directory, found->members[j].directory) != 0)
                visit(context, found->members[j].directory);
    }
    record_free_list(&list);
}

static int write_bytes(struct state *state, const unsigned char *data, size_t size, unsigned mode)
{
    char entry[UNTORN_HASH_TEXT_SIZE];
    struct untorn_hash list = record_list_hash(data);
    uint64_t size_before;
    os_fd file;
    untorn_hash_format(&list, entry);
    int rc = open_for_writing(state, entry, mode, &file, &size_before);
    if (rc < 0)
        return rc;
    rc = io_write(file, data, size, 0);
    if (rc == 0 && size_before > size)
        rc = os_resize(file, size);
    os_close(file);
    return rc;
}

int record_write(struct state *state, os_fd directory, const struct record *record, unsigned mode)
{
    char path[LIMIT_PATH];
    size_t size;
    int rc = os_dir_path(directory, path, sizeof path);
    if (rc < 0)
        return rc;
    struct record sorted = *record;
    sorted.time = os_wall_clock();
    unsigned char *data = record_encode(&sorted, path, &size);
    if (!data)
        return -ENOMEM;
    rc = size <= LIMIT_RECORD ? write_bytes(state, data, size, mode) : -EFBIG;
    free(data);
    return rc;
}
