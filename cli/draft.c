#include "draft.h"

#include <errno.h>
#include <stdio.h>

#include "here.h"
#include "system.h"

int draft_make(struct draft *ret_draft, const char *file, const void *data, size_t size)
{
    const char *name = file + path_folder_size(file);
    int error = system_make_folder(file, ret_draft->directory);
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
    draft->directory[0] = '\0';
}
