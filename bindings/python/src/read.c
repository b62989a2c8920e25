#include "binding.h"

#include <stdlib.h>
#include <string.h>

PyObject *bytes_of(const struct untorn_content *content)
{
    if (!content->data)
        return none();
    return PyBytes_FromStringAndSize(content->data, (Py_ssize_t)content->size);
}

PyObject *take_content(int rc, struct untorn_content *content, const struct untorn_error *error)
{
    PyObject *result = rc == 0 ? bytes_of(content) : raise_error(error);
    untorn_content_free(content);
    return result;
}

static PyObject *read_file(PyObject *module, PyObject *args)
{
    struct call call;
    struct untorn_content content;
    int rc;
    (void)module;
    if (!take_call(args, &call))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    rc = untorn_read(call.path, &call.options.options, &content, &call.error);
    PyEval_RestoreThread(thread);
    return take_content(rc, &content, &call.error);
}

static PyObject *read_last_good(PyObject *module, PyObject *args)
{
    struct options options;
    struct untorn_error error;
    struct untorn_content content;
    const char *path;
    unsigned version = 0;
    int rc, format;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&iO&", take_text, &path, &format, take_options, &options))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    rc = untorn_read_last_good(path, (enum untorn_format)format, &options.options, &content,
                               &version, &error);
    PyEval_RestoreThread(thread);
    PyObject *bytes = take_content(rc, &content, &error);
    return bytes ? Py_BuildValue("(NI)", bytes, version) : NULL;
}

static PyObject *judge(PyObject *module, PyObject *args)
{
    struct untorn_error error;
    const char *path, *data;
    Py_ssize_t size;
    int format;
    enum untorn_verdict verdict;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&y#i", take_text, &path, &data, &size, &format))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    verdict = untorn_judge(data, (size_t)size, (enum untorn_format)format, &error);
    PyEval_RestoreThread(thread);
    if (verdict == UNTORN_WHOLE)
        return error.status == UNTORN_OK ? none() : raise_error(&error);
    if (strlen(path) < sizeof error.path)
        memcpy(error.path, path, strlen(path) + 1);
    return Py_BuildValue("(sN)", untorn_verdict_word(verdict), make_error(&error));
}

/* JSON of a document in another format; tagged, so that TOML's types can be told. */
static PyObject *written(const struct untorn_node *node, bool tagged)
{
    struct untorn_style style = {.compact = true, .tagged = tagged};
    struct untorn_error error;
    char *text = NULL;
    size_t size = 0;
    int rc = untorn_node_write(node, UNTORN_JSON, &style, &text, &size, &error);
    PyObject *result =
        rc == 0 ? PyBytes_FromStringAndSize(text, (Py_ssize_t)size) : raise_error(&error);
    free(text);
    return result;
}

static bool is_toml(enum untorn_format format)
{
    return format == UNTORN_TOML || format == UNTORN_TOML_1_0;
}

/* NULL without an exception: it is none of these, or not what Python would make of it. */
static PyObject *plain_value(const struct untorn_node *node)
{
    PyObject *text;
    const char *data;
    size_t size;
    int64_t number;
    bool flag;
    switch (untorn_node_kind(node)) {
    case UNTORN_NULL:
        return none();
    case UNTORN_BOOLEAN:
        return untorn_node_boolean(node, &flag) ? PyBool_FromLong(flag) : NULL;
    case UNTORN_INTEGER:
        return untorn_node_integer(node, &number) ? PyLong_FromLongLong(number) : NULL;
    case UNTORN_STRING:
        data = untorn_node_text(node, &size);
        text = PyUnicode_FromStringAndSize(data, (Py_ssize_t)size);
        if (!text && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError))
            PyErr_Clear(); /* half of a pair, which JSON can escape */
        return text;
    default:
        return NULL;
    }
}

PyObject *value_of_node(enum untorn_format format, const struct untorn_node *node)
{
    PyObject *value = plain_value(node);
    if (value || PyErr_Occurred())
        return value;
    bool tagged = is_toml(format);
    return Py_BuildValue("(Ni)", written(node, tagged), tagged);
}

PyObject *node_as_tagged(const struct untorn_node *node)
{
    return written(node, true);
}

static PyObject *to_json(PyObject *module, PyObject *args)
{
    struct untorn_error error;
    struct untorn_document *document;
    const char *data;
    Py_ssize_t size;
    int rc, format;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#i", &data, &size, &format))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    rc = untorn_document_parse(data, (size_t)size, (enum untorn_format)format, &document, &error);
    PyEval_RestoreThread(thread);
    if (rc != 0)
        return raise_error(&error);
    bool tagged = is_toml(untorn_document_format(document));
    PyObject *result = written(untorn_document_root(document), tagged);
    untorn_document_free(document);
    return result;
}

static PyObject *get(PyObject *module, PyObject *args)
{
    struct options options;
    struct untorn_edit_options how = {0};
    struct untorn_error error;
    struct untorn_document *document = NULL;
    const struct untorn_node *node;
    struct edits edits;
    PyObject *at;
    const char *path;
    int rc, format;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&OiO&", take_text, &path, &at, &format, take_options, &options))
        return NULL;
    PyObject *result = NULL;
    if (take_edits(at, &edits)) {
        how.format = (enum untorn_format)format;
        PyThreadState *thread = PyEval_SaveThread();
        rc = untorn_get(path, edits.list, &how, &options.options, &document, &node, &error);
        PyEval_RestoreThread(thread);
        if (rc != 0)
            raise_error(&error);
        else
            result = value_of_node(untorn_document_format(document), node);
        untorn_document_free(document);
    }
    free_edits(&edits);
    return result;
}

static PyObject *hash_data(PyObject *module, PyObject *args)
{
    char text[UNTORN_HASH_TEXT_SIZE];
    const char *data;
    Py_ssize_t size;
    struct untorn_hash hash;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#", &data, &size))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    hash = untorn_hash(data, (size_t)size);
    PyEval_RestoreThread(thread);
    return PyUnicode_FromString(untorn_hash_format(&hash, text));
}

static PyObject *format_of_path(PyObject *module, PyObject *path_object)
{
    (void)module;
    const char *path;
    return take_text(path_object, &path) ? PyLong_FromLong(untorn_format_of_path(path)) : NULL;
}

PyMethodDef read_functions[] = {
    {"read", read_file, METH_VARARGS, "read(path, options): the bytes."},
    {"read_last_good", read_last_good, METH_VARARGS,
     "read_last_good(path, format, options): (bytes, number of the version)."},
    {"judge", judge, METH_VARARGS,
     "judge(path, data, format): None of whole data, else (verdict, exception)."},
    {"to_json", to_json, METH_VARARGS, "to_json(data, format): JSON bytes; of TOML tagged."},
    {"get", get, METH_VARARGS,
     "get(path, edits, format, options): one value; (JSON bytes, whether tagged) of one that is "
     "not null, a boolean, a small integer or a string."},
    {"hash", hash_data, METH_VARARGS, "hash(data): 32 hexadecimal digits."},
    {"format_of_path", format_of_path, METH_O, "format_of_path(path): by the name; 0: unknown."},
    {NULL, NULL, 0, NULL},
};
