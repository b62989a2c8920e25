#include "binding.h"

#include <stdint.h>

const char *take_path(PyObject *bytes)
{
    char *text;
    return PyBytes_AsStringAndSize(bytes, &text, NULL) == 0 ? text : NULL;
}

/* None means NULL. */
static bool take_optional(PyObject *bytes, const char **ret_text)
{
    *ret_text = bytes == Py_None ? NULL : take_path(bytes);
    return *ret_text || bytes == Py_None;
}

bool take_options(PyObject *tuple, struct options *ret)
{
    int level, symlink, if_changed, exclusive, keep_inode, parents, strict;
    PyObject *match, *state_dir, *lock_file;
    const char *match_text;
    *ret = (struct options){0};
    struct untorn_options *options = &ret->options;
    if (!PyArg_ParseTuple(tuple, "iiiIOpppppiOO", &level, &symlink, &options->wait_ms,
                          &options->mode, &match, &if_changed, &exclusive, &keep_inode, &parents,
                          &strict, &options->keep, &state_dir, &lock_file))
        return false;
    options->level = (enum untorn_level)level;
    options->symlink = (enum untorn_symlink)symlink;
    options->if_changed = if_changed;
    options->exclusive = exclusive;
    options->keep_inode = keep_inode;
    options->parents = parents;
    options->strict = strict;
    if (!take_optional(state_dir, &options->state_dir) ||
        !take_optional(lock_file, &options->lock_file) || !take_optional(match, &match_text))
        return false;
    if (match_text && !untorn_hash_parse(match_text, &ret->match)) {
        PyErr_SetString(PyExc_ValueError, "if_match: not a hash of 32 hexadecimal digits");
        return false;
    }
    options->if_match = match_text ? &ret->match : NULL;
    return true;
}

void *allocate(size_t count, size_t size)
{
    void *memory = PyMem_Calloc(count ? count : 1, size);
    if (!memory)
        PyErr_NoMemory();
    return memory;
}
