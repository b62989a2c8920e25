#include "binding.h"

static bool take_key(PyObject *key, struct untorn_edit *edit, const char **segments)
{
    if (!PyTuple_Check(key))
        return take_text(key, &edit->key);
    edit->segments = segments;
    edit->segment_count = (size_t)PyTuple_Size(key);
    for (size_t i = 0; i < edit->segment_count; i++)
        if (!take_text(PyTuple_GetItem(key, (Py_ssize_t)i), &segments[i]))
            return false;
    return true;
}

static bool take_edit(PyObject *tuple, struct untorn_edit *edit, const char **segments)
{
    PyObject *key;
    Py_ssize_t size;
    int kind, syntax;
    if (count_of(tuple) < 0 ||
        !PyArg_ParseTuple(tuple, "iOz#i", &kind, &key, &edit->value, &size, &syntax))
        return false;
    edit->kind = (enum untorn_edit_kind)kind;
    edit->syntax = (enum untorn_syntax)syntax;
    edit->value_size = (size_t)size;
    return take_key(key, edit, segments);
}

/* How many segments all keys have. */
static size_t count_segments(PyObject *tuple, Py_ssize_t count)
{
    size_t total = 1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *edit = PyTuple_GetItem(tuple, i);
        PyObject *key =
            edit && PyTuple_Check(edit) && PyTuple_Size(edit) > 1 ? PyTuple_GetItem(edit, 1) : NULL;
        total += key && PyTuple_Check(key) ? (size_t)PyTuple_Size(key) : 0;
    }
    return total;
}

bool take_edits(PyObject *tuple, struct edits *ret_edits)
{
    *ret_edits = (struct edits){0};
    Py_ssize_t count = count_of(tuple);
    if (count < 0)
        return false;
    ret_edits->list = allocate((size_t)count, sizeof *ret_edits->list);
    ret_edits->segments = allocate(count_segments(tuple, count), sizeof *ret_edits->segments);
    ret_edits->count = (size_t)count;
    if (!ret_edits->list || !ret_edits->segments)
        return false;
    const char **segments = ret_edits->segments;
    for (Py_ssize_t i = 0; i < count; i++) {
        struct untorn_edit *edit = &ret_edits->list[i];
        if (!take_edit(PyTuple_GetItem(tuple, i), edit, segments))
            return false;
        segments += edit->segment_count;
    }
    return true;
}

void free_edits(struct edits *edits)
{
    PyMem_Free(edits->list);
    PyMem_Free(edits->segments);
}

struct editing {
    struct attempt attempt;
    const char *path;
    struct edits edits;
    struct untorn_edit_options how;
    struct options options;
};

/* Tried in pieces as it is, not inside the lock, so that whoever has the lock can make the edits:
 * one that is not made in time is withdrawn before -UNTORN_LOCKED is said, and can be given again
 * without being made twice. */
static int run_edit(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct editing *editing = (struct editing *)attempt;
    editing->options.options.wait_ms = wait_ms;
    return untorn_edit(editing->path, editing->edits.list, editing->edits.count, &editing->how,
                       &editing->options.options, error);
}

static PyObject *edit_file(PyObject *module, PyObject *args)
{
    struct editing editing = {.attempt.run = run_edit};
    struct untorn_error error;
    PyObject *edits, *result = NULL;
    int format;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&OiO&", take_text, &editing.path, &edits, &format, take_options,
                          &editing.options))
        return NULL;
    editing.how.format = (enum untorn_format)format;
    if (take_edits(edits, &editing.edits)) {
        int wait_ms = editing.options.options.wait_ms;
        result = finish(try_in_pieces(&editing.attempt, wait_ms, &error), &error);
    }
    free_edits(&editing.edits);
    return result;
}

/* Of bytes: what an edit makes of them. */
static PyObject *edit_data(PyObject *module, PyObject *args)
{
    struct untorn_error error;
    struct untorn_document *document = NULL;
    struct edits edits;
    PyObject *edits_object, *result = NULL;
    const char *data, *text;
    Py_ssize_t size;
    size_t text_size;
    int rc, format;
    (void)module;
    if (!PyArg_ParseTuple(args, "z#Oi", &data, &size, &edits_object, &format))
        return NULL;
    if (take_edits(edits_object, &edits)) {
        enum untorn_format kind = (enum untorn_format)format;
        PyThreadState *thread = PyEval_SaveThread();
        rc = data ? untorn_document_parse(data, (size_t)size, kind, &document, &error)
                  : untorn_document_new(kind, &document, &error);
        if (rc == 0)
            rc = untorn_document_edit(document, edits.list, edits.count, &error);
        PyEval_RestoreThread(thread);
        if (rc != 0)
            raise_error(&error);
        else if ((text = untorn_document_text(document, &text_size)))
            result = PyBytes_FromStringAndSize(text, (Py_ssize_t)text_size);
    }
    untorn_document_free(document);
    free_edits(&edits);
    return result;
}

PyMethodDef edit_functions[] = {
    {"edit", edit_file, METH_VARARGS,
     "edit(path, edits, format, options): as one update, made by whoever has the lock."},
    {"edit_data", edit_data, METH_VARARGS,
     "edit_data(data, edits, format): the new bytes; data None: of an empty document."},
    {NULL, NULL, 0, NULL},
};
