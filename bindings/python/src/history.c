#include "binding.h"

/* The callbacks are called with the interpreter's lock held: nothing here waits for long but
 * untorn_undo, whose callback gets it back. */
static int add_version(void *context, const struct untorn_version *version)
{
    PyObject *list = context;
    char text[UNTORN_HASH_TEXT_SIZE];
    PyObject *row = Py_BuildValue(
        "(ILKsNz)", version->number, (long long)version->time, (unsigned long long)version->size,
        untorn_hash_format(&version->hash, text), PyBool_FromLong(version->whole), version->set);
    int rc = row ? PyList_Append(list, row) : -1;
    Py_XDECREF(row);
    return rc;
}

static PyObject *log_versions(PyObject *module, PyObject *args)
{
    struct call call;
    (void)module;
    if (!take_call(args, &call))
        return NULL;
    PyObject *list = PyList_New(0);
    int rc =
        list ? untorn_log(call.path, add_version, list, &call.options.options, &call.error) : 0;
    if (list && (rc != 0 || PyErr_Occurred())) {
        Py_CLEAR(list);
        finish(rc, &call.error);
    }
    return list;
}

static PyObject *version_read(PyObject *module, PyObject *args)
{
    struct options options;
    struct untorn_error error;
    struct untorn_content content;
    const char *path;
    unsigned number;
    int rc;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&IO&", take_text, &path, &number, take_options, &options))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    rc = untorn_version_read(path, number, &options.options, &content, &error);
    PyEval_RestoreThread(thread);
    return take_content(rc, &content, &error);
}

struct undoing {
    struct attempt attempt;
    const char *path;
    unsigned number; /* 0: undo, with all files of its set */
    struct options options;
    PyObject *changed;
};

static void add_path(void *context, const char *path)
{
    struct undoing *undoing = context;
    PyEval_RestoreThread(undoing->attempt.thread);
    PyObject *text = PyUnicode_DecodeFSDefault(path);
    if (text && PyList_Append(undoing->changed, text) != 0)
        Py_CLEAR(text);
    Py_XDECREF(text);
    undoing->attempt.thread = PyEval_SaveThread();
}

static int run_undo(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct undoing *undoing = (struct undoing *)attempt;
    undoing->options.options.wait_ms = wait_ms;
    if (undoing->number)
        return untorn_restore(undoing->path, undoing->number, &undoing->options.options, error);
    return untorn_undo(undoing->path, add_path, undoing, &undoing->options.options, error);
}

static PyObject *undo(PyObject *module, PyObject *args)
{
    struct undoing undoing = {.attempt.run = run_undo};
    struct untorn_error error;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&IO&", take_text, &undoing.path, &undoing.number, take_options,
                          &undoing.options) ||
        !(undoing.changed = PyList_New(0)))
        return NULL;
    int rc = try_in_pieces(&undoing.attempt, undoing.options.options.wait_ms, &error);
    if (rc != 0 || PyErr_Occurred()) {
        Py_CLEAR(undoing.changed);
        finish(rc, &error);
    }
    return undoing.changed;
}

PyMethodDef history_functions[] = {
    {"log", log_versions, METH_VARARGS,
     "log(path, options): [(number, time, size, hash, whole, set)], the newest first."},
    {"version_read", version_read, METH_VARARGS, "version_read(path, number, options): bytes."},
    {"undo", undo, METH_VARARGS,
     "undo(path, number, options): restores a version; 0: the last, with its set. The paths."},
    {NULL, NULL, 0, NULL},
};
