#include "binding.h"

struct ensuring {
    struct attempt attempt;
    const char *path;
    struct edits edits;
    struct untorn_edit_options how;
    struct options options;
    struct changing changing; /* a function that makes the value; or None */
    PyObject *counts;         /* a function of value_of_node(): whether it counts; or None */
    struct untorn_document *document;
    const struct untorn_node *node;
};

/* An exception is left for create, by which the whole fails. */
static bool is_valid(void *context, const struct untorn_node *node)
{
    struct ensuring *ensuring = context;
    PyEval_RestoreThread(ensuring->attempt.thread);
    PyObject *value = PyErr_Occurred() ? NULL : value_of_node(ensuring->how.format, node);
    PyObject *answer =
        value ? PyObject_CallFunctionObjArgs(ensuring->counts, value, NULL) : NULL;
    bool counts = answer && PyObject_IsTrue(answer) == 1;
    Py_XDECREF(answer);
    Py_XDECREF(value);
    ensuring->attempt.thread = PyEval_SaveThread();
    return counts;
}

static int create(void *context, const struct untorn_node *old, struct untorn_change *value)
{
    struct ensuring *ensuring = context;
    (void)old;
    return change_by_function(&ensuring->changing, NULL, value);
}

/* In pieces as an edit: see run_edit. */
static int run_ensure(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct ensuring *ensuring = (struct ensuring *)attempt;
    struct untorn_maker maker = {.is_valid = ensuring->counts == Py_None ? NULL : is_valid,
                                 .create = create,
                                 .context = ensuring};
    const struct untorn_options *options = &ensuring->options.options;
    ensuring->options.options.wait_ms = wait_ms;
    if (ensuring->changing.function == Py_None)
        return untorn_ensure(ensuring->path, ensuring->edits.list, &ensuring->how, options,
                             &ensuring->document, &ensuring->node, error);
    return untorn_ensure_with(ensuring->path, ensuring->edits.list, &maker, &ensuring->how, options,
                              &ensuring->document, &ensuring->node, error);
}

static PyObject *ensure(PyObject *module, PyObject *args)
{
    struct ensuring ensuring = {.attempt.run = run_ensure};
    struct untorn_error error;
    PyObject *edits, *result = NULL;
    int format;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&OOOiO&", take_text, &ensuring.path, &edits,
                          &ensuring.changing.function, &ensuring.counts, &format, take_options,
                          &ensuring.options))
        return NULL;
    ensuring.how.format = (enum untorn_format)format;
    ensuring.changing.thread = &ensuring.attempt.thread;
    if (take_edits(edits, &ensuring.edits)) {
        int rc = try_in_pieces(&ensuring.attempt, ensuring.options.options.wait_ms, &error);
        result = rc == 0 ? value_of_node(untorn_document_format(ensuring.document), ensuring.node)
                         : finish(rc, &error);
        untorn_document_free(ensuring.document);
    }
    free_edits(&ensuring.edits);
    return result;
}

PyMethodDef ensure_functions[] = {
    {"ensure", ensure, METH_VARARGS,
     "ensure(path, edits, function or None, function or None, format, options): as get, of a value "
     "that is made if it is not there, or the second function says that it does not count."},
    {NULL, NULL, 0, NULL},
};
