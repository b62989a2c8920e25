#include "binding.h"

#include <stdint.h>
#include <unistd.h>

int take_text(PyObject *bytes, void *ret_text)
{
    char *text;
    if (PyBytes_AsStringAndSize(bytes, &text, NULL) != 0)
        return 0;
    *(const char **)ret_text = text;
    return 1;
}

int take_optional(PyObject *bytes, void *ret_text)
{
    if (bytes != Py_None)
        return take_text(bytes, ret_text);
    *(const char **)ret_text = NULL;
    return 1;
}

Py_ssize_t count_of(PyObject *tuple)
{
    if (PyTuple_Check(tuple))
        return PyTuple_Size(tuple);
    PyErr_SetString(PyExc_TypeError, "a tuple is required");
    return -1;
}

int take_options(PyObject *tuple, void *ret_options)
{
    int level, symlink, if_changed, exclusive, keep_inode, parents, strict;
    struct options *ret = ret_options;
    struct untorn_options *options = &ret->options;
    const char *match;
    *ret = (struct options){0};
    if (count_of(tuple) < 0 ||
        !PyArg_ParseTuple(tuple, "iiiIO&pppppiO&O&", &level, &symlink, &options->wait_ms,
                          &options->mode, take_optional, &match, &if_changed, &exclusive,
                          &keep_inode, &parents, &strict, &options->keep, take_optional,
                          &options->state_dir, take_optional, &options->lock_file))
        return 0;
    options->level = (enum untorn_level)level;
    options->symlink = (enum untorn_symlink)symlink;
    options->if_changed = if_changed;
    options->exclusive = exclusive;
    options->keep_inode = keep_inode;
    options->parents = parents;
    options->strict = strict;
    if (match && !untorn_hash_parse(match, &ret->match)) {
        PyErr_SetString(PyExc_ValueError, "if_match: not a hash of 32 hexadecimal digits");
        return 0;
    }
    options->if_match = match ? &ret->match : NULL;
    return 1;
}

bool take_call(PyObject *args, struct call *ret_call)
{
    return PyArg_ParseTuple(args, "O&O&", take_text, &ret_call->path, take_options,
                            &ret_call->options);
}

PyObject *new_of_process(void *pointer, const char *name, PyCapsule_Destructor destroy)
{
    PyObject *capsule = PyCapsule_New(pointer, name, destroy);
    if (capsule)
        PyCapsule_SetContext(capsule, (void *)(intptr_t)getpid());
    return capsule;
}

bool is_of_process(PyObject *capsule)
{
    return (intptr_t)PyCapsule_GetContext(capsule) == getpid();
}

void *allocate(size_t count, size_t size)
{
    void *memory = PyMem_Calloc(count ? count : 1, size);
    if (!memory)
        PyErr_NoMemory();
    return memory;
}
