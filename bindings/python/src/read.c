#include "binding.h"

#include <stdlib.h>
#include <string.h>

static PyObject *bytes_of(const struct untorn_content *content)
{
    if (!content->data)
        return none();
    return PyBytes_FromStringAndSize(content->data, (Py_ssize_t)content->size);
}

static PyObject *read_file(PyObject *module, PyObject *args)
{
    struct options options;
    struct untorn_error error;
    struct untorn_content content;
    PyObject *path_object, *options_object;
    const char *path;
    int rc;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &path_object, &options_object) ||
        !(path = take_path(path_object)) || !take_options(options_object, &options))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    rc = untorn_read(path, &options.options, &content, &error);
    PyEval_RestoreThread(thread);
    PyObject *result = rc == 0 ? bytes_of(&content) : raise_error(&error);
    untorn_content_free(&content);
    return result;
}

static PyObject *read_last_good(PyObject *module, PyObject *args)
{
    struct options options;
    struct untorn_error error;
    struct untorn_content content;
    PyObject *path_object, *options_object;
    const char *path;
    unsigned version = 0;
    int rc, format;
    (void)module;
    if (!PyArg_ParseTuple(args, "OiO", &path_object, &format, &options_object) ||
        !(path = take_path(path_object)) || !take_options(options_object, &options))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    rc = untorn_read_last_good(path, (enum untorn_format)format, &options.options, &content,
                               &version, &error);
    PyEval_RestoreThread(thread);
    PyObject *result =
        rc == 0 ? Py_BuildValue("(NI)", bytes_of(&content), version) : raise_error(&error);
    untorn_content_free(&content);
    return result;
}

static PyObject *judge(PyObject *module, PyObject *args)
{
    struct untorn_error error;
    PyObject *path_object;
    const char *path, *data;
    Py_ssize_t size;
    int format;
    enum untorn_verdict verdict;
    (void)module;
    if (!PyArg_ParseTuple(args, "Oy#i", &path_object, &data, &size, &format) ||
        !(path = take_path(path_object)))
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

PyObject *node_as_json(enum untorn_format format, const struct untorn_node *node)
{
    bool tagged = is_toml(format);
    return Py_BuildValue("(Ni)", written(node, tagged), tagged);
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
    PyObject *path_object, *at, *options_object;
    const char *path;
    int rc, format;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOiO", &path_object, &at, &format, &options_object) ||
        !(path = take_path(path_object)) || !take_options(options_object, &options))
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
            result = node_as_json(untorn_document_format(document), node);
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
    const char *path = take_path(path_object);
    return path ? PyLong_FromLong(untorn_format_of_path(path)) : NULL;
}

PyMethodDef read_functions[] = {
    {"read", read_file, METH_VARARGS, "read(path, options): the bytes."},
    {"read_last_good", read_last_good, METH_VARARGS,
     "read_last_good(path, format, options): (bytes, number of the version)."},
    {"judge", judge, METH_VARARGS,
     "judge(path, data, format): None of whole data, else (verdict, exception)."},
    {"to_json", to_json, METH_VARARGS, "to_json(data, format): JSON bytes; of TOML tagged."},
    {"get", get, METH_VARARGS,
     "get(path, edits, format, options): (JSON bytes, whether tagged) of one value."},
    {"hash", hash_data, METH_VARARGS, "hash(data): 32 hexadecimal digits."},
    {"format_of_path", format_of_path, METH_O, "format_of_path(path): by the name; 0: unknown."},
    {NULL, NULL, 0, NULL},
};
