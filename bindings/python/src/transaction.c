#include "binding.h"

enum member_kind { PUT, EDIT, CHANGE, REMOVE };

struct member {
    int kind;
    const char *path;
    const char *data;
    Py_ssize_t size;
    struct edits edits;
    struct untorn_edit_options how;
    struct changing changing;
    struct options options;
};

struct committing {
    struct attempt attempt;
    struct options options;
    struct member *members;
    size_t count;
};

static int add_member(struct untorn_transaction *transaction, struct member *member,
                      struct untorn_error *error)
{
    const struct untorn_options *options = &member->options.options;
    switch ((enum member_kind)member->kind) {
    case PUT:
        return untorn_transaction_put(transaction, member->path, member->data, (size_t)member->size,
                                      options, error);
    case EDIT:
        return untorn_transaction_edit(transaction, member->path, member->edits.list,
                                       member->edits.count, &member->how, options, error);
    case CHANGE:
        return untorn_transaction_change(transaction, member->path, change_by_function,
                                         &member->changing, options, error);
    case REMOVE:
        break;
    }
    return untorn_transaction_remove(transaction, member->path, options, error);
}

/* A transaction is committed once only: each try makes a new one. */
static int run_commit(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct committing *committing = (struct committing *)attempt;
    struct untorn_transaction *transaction;
    committing->options.options.wait_ms = wait_ms;
    int rc = untorn_transaction_begin(&committing->options.options, &transaction, error);
    for (size_t i = 0; rc == 0 && i < committing->count; i++)
        rc = add_member(transaction, &committing->members[i], error);
    if (rc == 0)
        rc = untorn_transaction_commit(transaction, error);
    untorn_transaction_free(transaction);
    return rc;
}

/* Of (kind, path, content, format, options); content is bytes, edits, a function or None. */
static bool take_member(PyObject *tuple, struct committing *committing, struct member *member)
{
    PyObject *content;
    int format;
    char *data;
    if (count_of(tuple) < 0 ||
        !PyArg_ParseTuple(tuple, "iO&OiO&", &member->kind, take_text, &member->path, &content,
                          &format, take_options, &member->options))
        return false;
    member->how.format = (enum untorn_format)format;
    member->changing.function = content;
    member->changing.thread = &committing->attempt.thread;
    if (member->kind == EDIT)
        return take_edits(content, &member->edits);
    if (member->kind == PUT) {
        if (PyBytes_AsStringAndSize(content, &data, &member->size) != 0)
            return false;
        member->data = data;
    }
    return true;
}

static PyObject *commit(PyObject *module, PyObject *args)
{
    struct committing committing = {.attempt.run = run_commit};
    struct untorn_error error;
    PyObject *members, *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO&", &members, take_options, &committing.options))
        return NULL;
    Py_ssize_t count = count_of(members);
    if (count < 0 || !(committing.members = allocate((size_t)count, sizeof(struct member))))
        return NULL;
    committing.count = (size_t)count;
    Py_ssize_t taken = 0;
    while (taken < count &&
           take_member(PyTuple_GetItem(members, taken), &committing, &committing.members[taken]))
        taken++;
    if (taken == count) {
        int rc = try_in_pieces(&committing.attempt, committing.options.options.wait_ms, &error);
        result = finish(rc, &error);
    }
    for (Py_ssize_t i = 0; i < count; i++)
        free_edits(&committing.members[i].edits);
    PyMem_Free(committing.members);
    return result;
}

/* ---- reading a set ---- */

struct reading {
    struct attempt attempt;
    const char **paths;
    size_t count;
    struct options options;
    struct untorn_content *contents;
};

static int run_read_set(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct reading *reading = (struct reading *)attempt;
    reading->options.options.wait_ms = wait_ms;
    return untorn_read_set(reading->paths, reading->count, &reading->options.options,
                           reading->contents, error);
}

/* (list of bytes or None, exception or None): of a mixed set both are there. */
static PyObject *contents_of(const struct reading *reading, int rc,
                             const struct untorn_error *error)
{
    if (rc == INTERRUPTED)
        return NULL;
    if (rc != 0 && rc != -UNTORN_MIXED)
        return raise_error(error);
    PyObject *list = PyList_New((Py_ssize_t)reading->count);
    for (size_t i = 0; list && i < reading->count; i++) {
        PyObject *bytes = bytes_of(&reading->contents[i]);
        if (!bytes || PyList_SetItem(list, (Py_ssize_t)i, bytes) != 0)
            Py_CLEAR(list);
    }
    return list ? Py_BuildValue("(NN)", list, rc == 0 ? none() : make_error(error)) : NULL;
}

static PyObject *read_set(PyObject *module, PyObject *args)
{
    struct reading reading = {.attempt.run = run_read_set};
    struct untorn_error error;
    PyObject *paths, *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO&", &paths, take_options, &reading.options))
        return NULL;
    Py_ssize_t count = count_of(paths);
    if (count < 0)
        return NULL;
    reading.count = (size_t)count;
    reading.paths = allocate(reading.count, sizeof *reading.paths);
    reading.contents = allocate(reading.count, sizeof *reading.contents);
    Py_ssize_t taken = 0;
    while (reading.paths && taken < count &&
           take_text(PyTuple_GetItem(paths, taken), &reading.paths[taken]))
        taken++;
    if (taken == count && reading.paths && reading.contents) {
        int rc = try_in_pieces(&reading.attempt, reading.options.options.wait_ms, &error);
        result = contents_of(&reading, rc, &error);
        for (size_t i = 0; i < reading.count; i++)
            untorn_content_free(&reading.contents[i]);
    }
    PyMem_Free(reading.paths);
    PyMem_Free(reading.contents);
    return result;
}

PyMethodDef transaction_functions[] = {
    {"commit", commit, METH_VARARGS,
     "commit(members, options): all or none of (kind, path, content, format, options); kind 0: "
     "put bytes, 1: make edits, 2: call a function, 3: remove."},
    {"read_set", read_set, METH_VARARGS,
     "read_set(paths, options): (contents, exception of a mixed set or None)."},
    {NULL, NULL, 0, NULL},
};
