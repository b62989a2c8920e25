/* Whole reads and writes over the seam: counts checked, EINTR and short counts gone through. */
#ifndef UNTORN_FILE_IO_H
#define UNTORN_FILE_IO_H

#include "base/hash.h"
#include "os/os.h"

/* 0, or the negative errno value of the first failure. -EIO if the system writes nothing at all. */
int io_write(os_fd file, const void *data, size_t size, uint64_t offset);

/* As many bytes as there are, at most `size`: the count, or a negative errno value. */
int64_t io_read(os_fd file, void *data, size_t size, uint64_t offset);

/* `size` bytes from one place to another, into the hash too unless that is NULL; -ESTALE if the
 * source ends early. */
int io_copy(os_fd from, uint64_t from_offset, os_fd to, uint64_t to_offset, uint64_t size,
            struct hash_stream *hash);

/* Zeros in a stretch of the file. As io_write. */
int io_write_zeros(os_fd file, uint64_t offset, uint64_t size);

/* Whether the first `size` bytes of two files are the same. 0 or a negative errno value. */
int io_same(os_fd a, os_fd b, uint64_t size, bool *ret_same);

/* The hash of `size` bytes; -ESTALE if the file ends early. */
int io_hash(os_fd file, uint64_t offset, uint64_t size, struct untorn_hash *ret_hash);

/* os_open, again if a signal interrupted it. */
int io_open(os_fd dir, const char *name, unsigned how, unsigned mode, os_fd *ret_file);

/* Opens a file of our own; with OS_CREATE it is made, 0600, if missing. -EMLINK for anything but a
 * regular file with one name: in a folder that others may write, a second name can be somebody's
 * file elsewhere. `ret_stat` may be NULL. */
int io_open_own(os_fd folder, const char *name, unsigned how, os_fd *ret_file,
                struct os_stat *ret_stat);

#endif
