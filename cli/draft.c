#include "draft.h"

#include <errno.h>
#include <stdio.h>

#include "here.h"
#include "system.h"

int draft_make(struct draft *ret_draft, const char *file, const void *data, size_t size)
{
    const char *name = file + path_folder_size(file);
    int error = system_make_folder(file, ret_draft->directory, &ret_draft->hold);
    if (error != 0) {
        ret_draft->directory[0] = '\0';
        return error;
    }
    int length = snprintf(ret_draft->path, CLI_PATH, "%s/%s", ret_draft->directory, name);
    error = length < CLI_PATH ? system_make_file(ret_draft->path, data, size) : ENAMETOOLONG;
    if (error != 0)
        draft_remove(ret_draft);
    return error;
}

int draft_read(const struct draft *draft, struct bytes *content)
{
    system_stream stream;
    int error = system_open(draft->path, false, &stream);
    if (error != 0)
        return error;
    error = bytes_read_all(content, stream);
    (void)system_close(stream); /* it was only read */
    return error;
}

void draft_remove(struct draft *draft)
{
    if (draft->directory[0])
        system_remove_folder(draft->directory);
    if (draft->directory[0] && draft->hold != SYSTEM_NONE)
        (void)system_close(draft->hold); /* nothing was written through it */
    draft->directory[0] = '\0';
}

/* ---- those that are there ---- */

struct search {
    const char *folder; /* of the draft at hand */
    draft_function *found;
    void *context;
};

static void visit_file(void *context, const char *name, enum system_kind kind)
{
    const struct search *search = context;
    char path[CLI_PATH];
    uint64_t size = 0;
    int length = snprintf(path, sizeof path, "%s/%s", search->folder, name);
    if (kind == SYSTEM_FILE && length < CLI_PATH && system_kind(path, false, &size) == SYSTEM_FILE)
        search->found(search->context, name, path, size);
}

static void visit_folder(void *context, const char *folder)
{
    struct search *search = context;
    search->folder = folder;
    (void)system_list(folder, false, visit_file, search); /* else it is gone */
}

void drafts_find(const char *directory, draft_function *found, void *context)
{
    struct search search = {.found = found, .context = context};
    system_list_folders(directory, visit_folder, &search);
}
