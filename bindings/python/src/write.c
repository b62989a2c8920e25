#include "binding.h"

#include <stdint.h>
#include <unistd.h>

static bool take_bytes(PyObject *object, char **ret_data, Py_ssize_t *ret_size)
{
    return PyBytes_AsStringAndSize(object, ret_data, ret_size) == 0;
}

/* ---- one call ---- */

struct writing {
    struct attempt attempt;
    const char *path;
    char *data;
    Py_ssize_t size;
    int records; /* of an append */
    struct options options;
};

static int run_write(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct writing *writing = (struct writing *)attempt;
    writing->options.options.wait_ms = wait_ms;
    return untorn_write(writing->path, writing->data, (size_t)writing->size,
                        &writing->options.options, error);
}

static int run_append(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct writing *writing = (struct writing *)attempt;
    writing->options.options.wait_ms = wait_ms;
    return untorn_append(writing->path, writing->data, (size_t)writing->size,
                         (enum untorn_records)writing->records, &writing->options.options, error);
}

static PyObject *write_file(PyObject *module, PyObject *args)
{
    struct writing writing = {.attempt.run = run_write};
    struct untorn_error error;
    PyObject *path, *data, *options;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &path, &data, &options) ||
        !(writing.path = take_path(path)) || !take_bytes(data, &writing.data, &writing.size) ||
        !take_options(options, &writing.options))
        return NULL;
    int wait_ms = writing.options.options.wait_ms;
    return finish(try_in_pieces(&writing.attempt, wait_ms, &error), &error);
}

static PyObject *append(PyObject *module, PyObject *args)
{
    struct writing writing = {.attempt.run = run_append};
    struct untorn_error error;
    PyObject *path, *data, *options;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOiO", &path, &data, &writing.records, &options) ||
        !(writing.path = take_path(path)) || !take_bytes(data, &writing.data, &writing.size) ||
        !take_options(options, &writing.options))
        return NULL;
    int wait_ms = writing.options.options.wait_ms;
    return finish(try_in_pieces(&writing.attempt, wait_ms, &error), &error);
}

/* ---- streaming ---- */

#define WRITER "untorn.writer"

/* A child process must not take the new version away from its parent: what it inherited it leaves
 * alone. */
static bool is_mine(PyObject *capsule)
{
    return (intptr_t)PyCapsule_GetContext(capsule) == getpid();
}

static void free_writer(PyObject *capsule)
{
    if (is_mine(capsule))
        untorn_writer_free(PyCapsule_GetPointer(capsule, WRITER));
}

/* NULL with an exception set. */
static struct untorn_writer *take_writer(PyObject *capsule)
{
    struct untorn_writer *writer = PyCapsule_GetPointer(capsule, WRITER);
    if (writer && !is_mine(capsule)) {
        PyErr_SetString(PyExc_ValueError, "the file was opened by the parent process");
        return NULL;
    }
    return writer;
}

static PyObject *writer_begin(PyObject *module, PyObject *args)
{
    struct options options;
    struct untorn_error error;
    struct untorn_writer *writer;
    PyObject *path_object, *options_object;
    const char *path;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &path_object, &options_object) ||
        !(path = take_path(path_object)) || !take_options(options_object, &options))
        return NULL;
    int rc;
    PyThreadState *thread = PyEval_SaveThread();
    rc = untorn_writer_begin(path, &options.options, &writer, &error);
    PyEval_RestoreThread(thread);
    if (rc != 0)
        return raise_error(&error);
    PyObject *capsule = PyCapsule_New(writer, WRITER, free_writer);
    if (!capsule)
        untorn_writer_free(writer);
    else
        PyCapsule_SetContext(capsule, (void *)(intptr_t)getpid());
    return capsule;
}

static PyObject *writer_write(PyObject *module, PyObject *args)
{
    struct untorn_error error;
    struct untorn_writer *writer;
    PyObject *capsule, *object;
    char *data;
    Py_ssize_t size;
    int rc;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &object) || !(writer = take_writer(capsule)) ||
        !take_bytes(object, &data, &size))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    rc = untorn_writer_write(writer, data, (size_t)size, &error);
    PyEval_RestoreThread(thread);
    return finish(rc, &error);
}

struct committing {
    struct attempt attempt;
    struct untorn_writer *writer;
    const char *path;
    struct untorn_options options;
};

/* A writer is committed once only: so the lock is taken before, and what the commit itself waits
 * for, if anything, it waits for with all the time that was asked for. */
static int run_commit(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct committing *committing = (struct committing *)attempt;
    struct untorn_lock *lock;
    committing->options.wait_ms = wait_ms;
    int rc =
        untorn_lock(committing->path, UNTORN_LOCK_EXCLUSIVE, &committing->options, &lock, error);
    if (rc != 0)
        return rc;
    rc = untorn_writer_commit(committing->writer, error);
    untorn_unlock(lock);
    committing->writer = NULL;
    return rc;
}

static PyObject *writer_commit(PyObject *module, PyObject *args)
{
    struct committing committing = {.attempt.run = run_commit};
    struct options options;
    struct untorn_error error;
    PyObject *capsule, *path, *options_object;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &capsule, &path, &options_object) ||
        !(committing.writer = take_writer(capsule)) || !(committing.path = take_path(path)) ||
        !take_options(options_object, &options))
        return NULL;
    int wait_ms = options.options.wait_ms;
    committing.options = options.options;
    return finish(try_in_pieces(&committing.attempt, wait_ms, &error), &error);
}

PyMethodDef write_functions[] = {
    {"write", write_file, METH_VARARGS, "write(path, data, options): replaces a file."},
    {"append", append, METH_VARARGS, "append(path, data, records, options): adds records."},
    {"writer_begin", writer_begin, METH_VARARGS, "writer_begin(path, options): a writer."},
    {"writer_write", writer_write, METH_VARARGS, "writer_write(writer, data)"},
    {"writer_commit", writer_commit, METH_VARARGS,
     "writer_commit(writer, path, options): at most once; a writer that is dropped is aborted."},
    {NULL, NULL, 0, NULL},
};
