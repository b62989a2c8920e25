#include "binding.h"

#define LOCK "untorn.lock"

static void free_lock(PyObject *capsule)
{
    untorn_unlock(PyCapsule_GetPointer(capsule, LOCK));
}

struct locking {
    struct attempt attempt;
    const char *path;
    int shared;
    struct options options;
    struct untorn_lock *lock;
};

static int run_lock(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct locking *locking = (struct locking *)attempt;
    locking->options.options.wait_ms = wait_ms;
    return untorn_lock(locking->path, locking->shared ? UNTORN_LOCK_SHARED : UNTORN_LOCK_EXCLUSIVE,
                       &locking->options.options, &locking->lock, error);
}

static PyObject *lock(PyObject *module, PyObject *args)
{
    struct locking locking = {.attempt.run = run_lock};
    struct untorn_error error;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&pO&", take_text, &locking.path, &locking.shared, take_options,
                          &locking.options))
        return NULL;
    int rc = try_in_pieces(&locking.attempt, locking.options.options.wait_ms, &error);
    if (rc != 0)
        return finish(rc, &error);
    PyObject *capsule = PyCapsule_New(locking.lock, LOCK, free_lock);
    if (!capsule)
        untorn_unlock(locking.lock);
    return capsule;
}

static PyObject *who(PyObject *module, PyObject *args)
{
    struct call call;
    struct untorn_holder holder;
    int rc;
    (void)module;
    if (!take_call(args, &call))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    rc = untorn_who(call.path, &call.options.options, &holder, &call.error);
    PyEval_RestoreThread(thread);
    if (rc != 0)
        return raise_error(&call.error);
    if (!holder.held)
        return none();
    return Py_BuildValue("(NNLLNN)", PyBool_FromLong(holder.shared), PyBool_FromLong(holder.alive),
                         (long long)holder.pid, (long long)holder.since,
                         PyUnicode_DecodeFSDefault(holder.host),
                         PyUnicode_DecodeFSDefault(holder.command));
}

PyMethodDef lock_functions[] = {
    {"lock", lock, METH_VARARGS,
     "lock(path, shared, options): a lock, held until it is dropped, by the thread that took it."},
    {"who", who, METH_VARARGS,
     "who(path, options): None, or (shared, alive, pid, since, host, command)."},
    {NULL, NULL, 0, NULL},
};
