#include "binding.h"

struct ensuring {
    struct attempt attempt;
    const char *path;
    struct edits edits;
    struct untorn_edit_options how;
    struct options options;
    struct changing changing; /* a function that makes the value; or NULL */
    struct untorn_document *document;
    const struct untorn_node *node;
};

static int create(void *context, const struct untorn_node *old, struct untorn_change *value)
{
    (void)old;
    return change_by_function(context, NULL, value);
}

/* In pieces as an edit: see run_edit. */
static int run_ensure(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct ensuring *ensuring = (struct ensuring *)attempt;
    struct untorn_maker maker = {.create = create, .context = &ensuring->changing};
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
    if (!PyArg_ParseTuple(args, "O&OOiO&", take_text, &ensuring.path, &edits,
                          &ensuring.changing.function, &format, take_options, &ensuring.options))
        return NULL;
    ensuring.how.format = (enum untorn_format)format;
    ensuring.changing.thread = &ensuring.attempt.thread;
    if (take_edits(edits, &ensuring.edits)) {
        int rc = try_in_pieces(&ensuring.attempt, ensuring.options.options.wait_ms, &error);
        result = rc == 0 ? value_of_node(ensuring.document, ensuring.node) : finish(rc, &error);
        untorn_document_free(ensuring.document);
    }
    free_edits(&ensuring.edits);
    return result;
}

PyMethodDef ensure_functions[] = {
    {"ensure", ensure, METH_VARARGS,
     "ensure(path, edits, function or None, format, options): as get, of a value that is made if "
     "it is not there."},
    {NULL, NULL, 0, NULL},
};
