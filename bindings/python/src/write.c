#include "binding.h"

/* ---- one call ---- */

struct writing {
    struct attempt attempt;
    const char *path;
    const char *data;
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
    (void)module;
    if (!PyArg_ParseTuple(args, "O&y#O&", take_text, &writing.path, &writing.data, &writing.size,
                          take_options, &writing.options))
        return NULL;
    int wait_ms = writing.options.options.wait_ms;
    return finish(try_in_pieces(&writing.attempt, wait_ms, &error), &error);
}

static PyObject *append(PyObject *module, PyObject *args)
{
    struct writing writing = {.attempt.run = run_append};
    struct untorn_error error;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&y#iO&", take_text, &writing.path, &writing.data, &writing.size,
                          &writing.records, take_options, &writing.options))
        return NULL;
    int wait_ms = writing.options.options.wait_ms;
    return finish(try_in_pieces(&writing.attempt, wait_ms, &error), &error);
}

/* ---- streaming ---- */

#define WRITER "untorn.writer"

static void free_writer(PyObject *capsule)
{
    if (is_of_process(capsule))
        untorn_writer_free(PyCapsule_GetPointer(capsule, WRITER));
}

/* For "O&". */
static int take_writer(PyObject *capsule, void *ret_writer)
{
    struct untorn_writer *writer = PyCapsule_GetPointer(capsule, WRITER);
    if (!writer)
        return 0;
    if (!is_of_process(capsule)) {
        PyErr_SetString(PyExc_ValueError, "the file was opened by the parent process");
        return 0;
    }
    *(struct untorn_writer **)ret_writer = writer;
    return 1;
}

static PyObject *writer_begin(PyObject *module, PyObject *args)
{
    struct call call;
    struct untorn_writer *writer;
    int rc;
    (void)module;
    if (!take_call(args, &call))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    rc = untorn_writer_begin(call.path, &call.options.options, &writer, &call.error);
    PyEval_RestoreThread(thread);
    if (rc != 0)
        return raise_error(&call.error);
    PyObject *capsule = new_of_process(writer, WRITER, free_writer);
    if (!capsule)
        untorn_writer_free(writer);
    return capsule;
}

static PyObject *writer_write(PyObject *module, PyObject *args)
{
    struct untorn_error error;
    struct untorn_writer *writer;
    const char *data;
    Py_ssize_t size;
    int rc;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&y#", take_writer, &writer, &data, &size))
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
    (void)module;
    if (!PyArg_ParseTuple(args, "O&O&O&", take_writer, &committing.writer, take_text,
                          &committing.path, take_options, &options))
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
