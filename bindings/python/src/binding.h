/* What the files of the module `untorn._untorn` share.
 *
 * The module is thin: it takes bytes, integers and tuples, which untorn/ (Python) makes of what a
 * user gives, and never the other way round. Tuples and bytes do not change, so that what a call
 * borrows from them stays good while other threads run.
 *
 * Everything is of the stable ABI of Python 3.9.
 */
#ifndef UNTORN_BINDING_H
#define UNTORN_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

#include <untorn.h>

/* A new reference to None. */
static inline PyObject *none(void)
{
    Py_INCREF(Py_None);
    return Py_None;
}

/* ---- errors.c ---- */

/* Sets the exception of `error`. Returns NULL. */
PyObject *raise_error(const struct untorn_error *error);

/* The same as an object, which is new; NULL with an exception set. */
PyObject *make_error(const struct untorn_error *error);

/* Adds STATUSES, made from the list in untorn/status.h, to the module. 0, or -1. */
int add_statuses(PyObject *module);

/* ---- options.c ---- */

struct options {
    struct untorn_options options;
    struct untorn_hash match; /* what options.if_match points to */
};

/* For "O&" of PyArg_ParseTuple: 1, or 0 with an exception set. */

/* A bytes object without NUL, as a const char *, borrowed; None is NULL for take_optional. */
int take_text(PyObject *bytes, void *ret_text);
int take_optional(PyObject *bytes, void *ret_text);

/* How many items; -1 with an exception set if it is no tuple. */
Py_ssize_t count_of(PyObject *tuple);

/* Of the tuple that untorn/_options.py makes, a struct options; strings are borrowed from it. */
int take_options(PyObject *tuple, void *ret_options);

/* What a function is called with that takes (path, options); and its report. */
struct call {
    const char *path;
    struct options options;
    struct untorn_error error;
};
bool take_call(PyObject *args, struct call *ret_call);

/* A capsule of what must be left alone by a child process that inherited it: a version in the
 * making, what another thread of the parent was using. */
PyObject *new_of_process(void *pointer, const char *name, PyCapsule_Destructor destroy);
bool is_of_process(PyObject *capsule);

/* As an exception instead of an overflow: more memory than there is. */
void *allocate(size_t count, size_t size);

/* ---- wait.c ---- */

/* One try of a call that may have to wait: for a lock, or until files come to rest. The first
 * member of what it needs. */
struct attempt {
    /* Called without the interpreter's lock. -UNTORN_LOCKED, -UNTORN_RESTLESS: nothing was done; it
     * may be tried again. */
    int (*run)(struct attempt *attempt, int wait_ms, struct untorn_error *error);
    PyThreadState *thread; /* to get the interpreter's lock back inside */
};

/* A signal arrived whose handler raised; the exception is set. No status has this number. */
#define INTERRUPTED (-1000)

/* Tries in short pieces until `wait_ms` (as untorn_options has it) are over: between them signals
 * are handled. */
int try_in_pieces(struct attempt *attempt, int wait_ms, struct untorn_error *error);

/* None if rc is 0 and no exception is set, else NULL and the exception. */
PyObject *finish(int rc, const struct untorn_error *error);

/* ---- read.c ---- */

/* Its bytes; None if there are none. New. */
PyObject *bytes_of(const struct untorn_content *content);

/* The same if rc is 0, else NULL and the exception. The content is freed. */
PyObject *take_content(int rc, struct untorn_content *content, const struct untorn_error *error);

/* None, a bool, an int or a str; of anything else (JSON bytes, whether they are tagged: TOML's are,
 * so that its types can be told). New. */
PyObject *value_of_node(enum untorn_format format, const struct untorn_node *node);

/* JSON bytes, tagged. New. */
PyObject *node_as_tagged(const struct untorn_node *node);

/* ---- edit.c ---- */

struct edits {
    struct untorn_edit *list;
    const char **segments;
    size_t count;
};

/* Of a tuple of (kind, key or tuple of segments, value or None, syntax); strings are borrowed from
 * it. false: an exception. Freed by free_edits, also after a failure. */
bool take_edits(PyObject *tuple, struct edits *ret_edits);
void free_edits(struct edits *edits);

/* ---- update.c ---- */

struct changing {
    PyObject *function; /* bytes or None to bytes or None; None: no change */
    PyThreadState **thread;
};

/* An untorn_change_function for a struct changing. Fails by an exception that is set already. */
int change_by_function(void *context, const struct untorn_content *old,
                       struct untorn_change *change);

/* ---- the functions of the module ---- */

extern PyMethodDef write_functions[], read_functions[], edit_functions[], update_functions[],
    ensure_functions[], transaction_functions[], lock_functions[], history_functions[],
    config_functions[];

#endif
