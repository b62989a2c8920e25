#include "binding.h"

#include <string.h>

/* Words of all flags that are set. */
static PyObject *flag_words(unsigned flags)
{
    PyObject *words = PyList_New(0);
    for (unsigned bit = 0; words && bit < 32; bit++) {
        const char *word = flags >> bit & 1 ? untorn_flag_word(1u << bit) : NULL;
        PyObject *text = word ? PyUnicode_FromString(word) : NULL;
        if (word && (!text || PyList_Append(words, text) != 0))
            Py_CLEAR(words);
        Py_XDECREF(text);
    }
    return words;
}

/* What comes from files and paths need not be UTF-8. */
static PyObject *decoded(const char *text)
{
    return PyUnicode_DecodeFSDefaultAndSize(text, (Py_ssize_t)strlen(text));
}

static PyObject *position_of(const struct untorn_error *error)
{
    if (error->position == UNTORN_NO_POSITION)
        return none();
    return PyLong_FromUnsignedLongLong(error->position);
}

PyObject *make_error(const struct untorn_error *error)
{
    char text[UNTORN_TEXT_SIZE];
    untorn_describe(error, text, sizeof text);
    PyObject *said = decoded(text);
    PyObject *path = said ? decoded(error->path) : NULL;
    PyObject *detail = path ? decoded(error->detail) : NULL;
    PyObject *flags = detail ? flag_words(error->flags) : NULL;
    PyObject *position = flags ? position_of(error) : NULL;
    PyObject *module = position ? PyImport_ImportModule("untorn._errors") : NULL;
    PyObject *result = NULL;
    if (module)
        result =
            PyObject_CallMethod(module, "from_report", "iizOOOOO", error->status, error->os_error,
                                error->step, said, path, detail, flags, position);
    Py_XDECREF(said);
    Py_XDECREF(path);
    Py_XDECREF(detail);
    Py_XDECREF(flags);
    Py_XDECREF(position);
    Py_XDECREF(module);
    return result;
}

PyObject *raise_error(const struct untorn_error *error)
{
    PyObject *exception = make_error(error);
    if (exception)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(exception);
    return NULL;
}

PyObject *finish(int rc, const struct untorn_error *error)
{
    if (rc == INTERRUPTED || PyErr_Occurred())
        return NULL;
    return rc == 0 ? none() : raise_error(error);
}

int add_statuses(PyObject *module)
{
#define ROW(name, number, exit_code, text) {#name, number, text},
    static const struct {
        const char *name;
        int number;
        const char *text;
    } rows[] = {UNTORN_STATUS_LIST(ROW)};
#undef ROW
    PyObject *statuses = PyDict_New();
    for (size_t i = 0; statuses && i < sizeof rows / sizeof *rows; i++) {
        PyObject *row = Py_BuildValue("(is)", rows[i].number, rows[i].text);
        if (!row || PyDict_SetItemString(statuses, rows[i].name, row) != 0)
            Py_CLEAR(statuses);
        Py_XDECREF(row);
    }
    if (!statuses || PyModule_AddObject(module, "STATUSES", statuses) != 0) {
        Py_XDECREF(statuses);
        return -1;
    }
    return 0;
}
