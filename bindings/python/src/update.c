#include "binding.h"

/* What the function made of the old content; false: an exception. */
static bool call_function(PyObject *function, const struct untorn_content *old,
                          struct untorn_change *change)
{
    PyObject *content = old ? PyBytes_FromStringAndSize(old->data, (Py_ssize_t)old->size) : none();
    PyObject *made = content ? PyObject_CallFunctionObjArgs(function, content, NULL) : NULL;
    char *data;
    Py_ssize_t size;
    bool good = made == Py_None;
    if (made && !good && PyBytes_AsStringAndSize(made, &data, &size) == 0) {
        good = untorn_change_set(change, data, (size_t)size) == 0;
        if (!good)
            PyErr_NoMemory();
    }
    Py_XDECREF(made);
    Py_XDECREF(content);
    return good;
}

int change_by_function(void *context, const struct untorn_content *old,
                       struct untorn_change *change)
{
    struct changing *changing = context;
    PyEval_RestoreThread(*changing->thread);
    bool good = !PyErr_Occurred() && call_function(changing->function, old, change);
    *changing->thread = PyEval_SaveThread();
    return good ? 0 : 1;
}

struct updating {
    struct attempt attempt;
    const char *path;
    struct changing changing;
    struct options options;
};

static int run_update(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct updating *updating = (struct updating *)attempt;
    updating->options.options.wait_ms = wait_ms;
    return untorn_update(updating->path, change_by_function, &updating->changing,
                         &updating->options.options, error);
}

static PyObject *update(PyObject *module, PyObject *args)
{
    struct updating updating = {.attempt.run = run_update};
    struct untorn_error error;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&OO&", take_text, &updating.path, &updating.changing.function,
                          take_options, &updating.options))
        return NULL;
    updating.changing.thread = &updating.attempt.thread;
    int wait_ms = updating.options.options.wait_ms;
    return finish(try_in_pieces(&updating.attempt, wait_ms, &error), &error);
}

PyMethodDef update_functions[] = {
    {"update", update, METH_VARARGS,
     "update(path, function, options): function makes new bytes of the old ones, or None, with "
     "the lock held; it may be called again."},
    {NULL, NULL, 0, NULL},
};
