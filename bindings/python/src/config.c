/* Configuration in scopes. The C library wants one thread at a time for each handle; here any
 * number may use one, each waiting for its turn.
 */
#include "binding.h"

#include <stdio.h>

#define CONFIG "untorn.config"

/* One handle of the library, and whose turn it is: a lock of Python's, since those that Python has
 * for C are not in the python3.dll of 3.9. Its methods are at hand: to let go of it takes no
 * memory. */
struct turn {
    PyObject *acquire, *release;
    struct untorn_config *config;
};

/* Who writes may wait long for the lock of a file: those who read do not wait for him. */
struct configuration {
    struct turn reading, writing;
};

/* ---- opening ---- */

static void close_turn(struct turn *turn)
{
    untorn_config_free(turn->config);
    Py_XDECREF(turn->acquire);
    Py_XDECREF(turn->release);
}

static void free_configuration(struct configuration *configuration)
{
    close_turn(&configuration->reading);
    close_turn(&configuration->writing);
    PyMem_Free(configuration);
}

static void free_capsule(PyObject *capsule)
{
    if (is_of_process(capsule))
        free_configuration(PyCapsule_GetPointer(capsule, CONFIG));
}

static bool make_lock(struct turn *turn)
{
    PyObject *threads = PyImport_ImportModule("_thread");
    PyObject *lock = threads ? PyObject_CallMethod(threads, "allocate_lock", NULL) : NULL;
    turn->acquire = lock ? PyObject_GetAttrString(lock, "acquire") : NULL;
    turn->release = turn->acquire ? PyObject_GetAttrString(lock, "release") : NULL;
    Py_XDECREF(threads);
    Py_XDECREF(lock);
    return turn->release;
}

static bool open_turn(struct turn *turn, const struct untorn_config_setup *setup)
{
    struct untorn_error error;
    int rc;
    if (!make_lock(turn))
        return false;
    PyThreadState *thread = PyEval_SaveThread();
    rc = untorn_config_open(setup, &turn->config, &error);
    PyEval_RestoreThread(thread);
    if (rc != 0)
        raise_error(&error);
    return rc == 0;
}

static PyObject *open_configuration(const struct untorn_config_setup *setup)
{
    struct configuration *configuration = allocate(1, sizeof *configuration);
    PyObject *capsule = NULL;
    if (configuration && open_turn(&configuration->reading, setup) &&
        open_turn(&configuration->writing, setup))
        capsule = new_of_process(configuration, CONFIG, free_capsule);
    if (configuration && !capsule)
        free_configuration(configuration);
    return capsule;
}

/* "NAME=value" of a tuple of bytes, with a NULL behind them. New; NULL with an exception set. */
static const char **take_environment(PyObject *tuple)
{
    Py_ssize_t count = count_of(tuple);
    const char **environment = count < 0 ? NULL : allocate((size_t)count + 1, sizeof(char *));
    for (Py_ssize_t i = 0; environment && i < count; i++)
        if (!take_text(PyTuple_GetItem(tuple, i), &environment[i])) {
            PyMem_Free(environment);
            return NULL;
        }
    return environment;
}

static PyObject *config_open(PyObject *module, PyObject *args)
{
    struct untorn_config_setup setup = {0};
    struct edits overrides = {0};
    PyObject *edits, *environment, *capsule = NULL;
    const char **paths = setup.paths;
    int format;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&O&O&(O&O&O&O&O&O&)O&OOO&i", take_text, &setup.app, take_optional,
                          &setup.schema_path, take_optional, &setup.schema_text, take_optional,
                          &paths[0], take_optional, &paths[1], take_optional, &paths[2],
                          take_optional, &paths[3], take_optional, &paths[4], take_optional,
                          &paths[5], take_optional, &setup.directory, &environment, &edits,
                          take_optional, &setup.state_dir, &format))
        return NULL;
    bool of_process = environment == Py_None;
    const char **variables = of_process ? NULL : take_environment(environment);
    if ((of_process || variables) && take_edits(edits, &overrides)) {
        setup.environment = variables;
        setup.format = (enum untorn_format)format;
        setup.overrides = overrides.list;
        setup.override_count = overrides.count;
        capsule = open_configuration(&setup);
    }
    free_edits(&overrides);
    PyMem_Free(variables);
    return capsule;
}

/* ---- turns ---- */

/* A call on a handle, when it is its turn. */
struct asking {
    struct attempt attempt;
    struct turn *turn;
    int (*ask)(struct asking *asking, struct untorn_config *config, int wait_ms,
               struct untorn_error *error);
    struct edits edits; /* the keys that it is about */
    PyObject *result;
};

/* false: not in time, or an exception, perhaps of the handler of a signal. */
static bool acquire(struct asking *asking, int wait_ms)
{
    PyEval_RestoreThread(asking->attempt.thread);
    double seconds = wait_ms > 0 ? wait_ms / 1000.0 : 0;
    PyObject *taken = PyObject_CallFunction(asking->turn->acquire, "id", 1, seconds);
    bool is_taken = taken == Py_True;
    Py_XDECREF(taken);
    asking->attempt.thread = PyEval_SaveThread();
    return is_taken;
}

/* What was raised meanwhile stays. */
static void release(struct asking *asking)
{
    PyObject *type, *value, *trace;
    PyEval_RestoreThread(asking->attempt.thread);
    PyErr_Fetch(&type, &value, &trace);
    Py_XDECREF(PyObject_CallFunctionObjArgs(asking->turn->release, NULL));
    PyErr_Restore(type, value, trace);
    asking->attempt.thread = PyEval_SaveThread();
}

static int take_turn(struct attempt *attempt, int wait_ms, struct untorn_error *error)
{
    struct asking *asking = (struct asking *)attempt;
    if (!acquire(asking, wait_ms)) {
        *error = (struct untorn_error){.status = UNTORN_LOCKED, .position = UNTORN_NO_POSITION};
        snprintf(error->detail, sizeof error->detail, "another thread is using the configuration");
        return -UNTORN_LOCKED;
    }
    int rc = asking->ask(asking, asking->turn->config, wait_ms, error);
    release(asking);
    return rc;
}

/* The result, which is None where `ask` makes none. Frees the edits. */
static PyObject *run_asking(struct asking *asking, int wait_ms)
{
    struct untorn_error error;
    asking->attempt.run = take_turn;
    int rc = try_in_pieces(&asking->attempt, wait_ms, &error);
    free_edits(&asking->edits);
    PyObject *done = finish(rc, &error);
    if (!done)
        Py_CLEAR(asking->result);
    if (!asking->result)
        return done;
    Py_DECREF(done);
    return asking->result;
}

/* For "O&". */
static int take_configuration(PyObject *capsule, void *ret_configuration)
{
    struct configuration *configuration = PyCapsule_GetPointer(capsule, CONFIG);
    *(struct configuration **)ret_configuration = configuration;
    return configuration != NULL;
}

/* ---- reading ---- */

/* (scope, path, variable, line, column) */
static PyObject *origin_of(const struct untorn_config_origin *origin)
{
    PyObject *path = origin->path ? PyUnicode_DecodeFSDefault(origin->path) : none();
    return Py_BuildValue("(sNzKK)", untorn_scope_name(origin->scope), path, origin->variable,
                         (unsigned long long)origin->line, (unsigned long long)origin->column);
}

/* What is found is borrowed, so it is made to objects before the turn ends. */
static int ask_value(struct asking *asking, struct untorn_config *config, int wait_ms,
                     struct untorn_error *error)
{
    const struct untorn_edit *at = asking->edits.list;
    const struct untorn_node *node;
    struct untorn_config_origin origin;
    (void)wait_ms;
    int rc = at->key ? untorn_config_get(config, at->key, &node, &origin, error)
                     : untorn_config_get_segments(config, at->segments, at->segment_count, &node,
                                                  &origin, error);
    if (rc != 0)
        return rc;
    PyEval_RestoreThread(asking->attempt.thread);
    asking->result = Py_BuildValue("(NN)", node_as_tagged(node), origin_of(&origin));
    asking->attempt.thread = PyEval_SaveThread();
    return 0;
}

/* Takes `row`, which may be NULL. Gives up the interpreter's lock again. */
static int add_row(struct asking *asking, PyObject *row)
{
    int rc = row ? PyList_Append(asking->result, row) : -1;
    Py_XDECREF(row);
    asking->attempt.thread = PyEval_SaveThread();
    return rc;
}

static int add_entry(void *context, const struct untorn_config_entry *entry)
{
    struct asking *asking = context;
    PyEval_RestoreThread(asking->attempt.thread);
    return add_row(asking, Py_BuildValue("(sNNNzz)", entry->key, node_as_tagged(entry->node),
                                         origin_of(&entry->origin), PyBool_FromLong(entry->secret),
                                         entry->description, entry->misfit));
}

/* Of what does not fit the rows tell. */
static int ask_list(struct asking *asking, struct untorn_config *config, int wait_ms,
                    struct untorn_error *error)
{
    (void)wait_ms;
    int rc = untorn_config_list(config, add_entry, asking, error);
    return rc == -UNTORN_MISFIT ? 0 : rc;
}

static int add_finding(void *context, const struct untorn_config_finding *finding)
{
    struct asking *asking = context;
    PyEval_RestoreThread(asking->attempt.thread);
    return add_row(asking,
                   Py_BuildValue("(iNN)", finding->status, PyUnicode_DecodeFSDefault(finding->text),
                                 origin_of(&finding->origin)));
}

/* What is below 0 was told as a finding. */
static int ask_check(struct asking *asking, struct untorn_config *config, int wait_ms,
                     struct untorn_error *error)
{
    (void)wait_ms;
    Py_ssize_t told;
    int rc = untorn_config_check(config, add_finding, asking, error);
    PyEval_RestoreThread(asking->attempt.thread);
    told = PyList_Size(asking->result);
    asking->attempt.thread = PyEval_SaveThread();
    return rc < 0 && rc != -UNTORN_NO_MEMORY && told > 0 ? 0 : rc;
}

static PyObject *config_get(PyObject *module, PyObject *args)
{
    struct configuration *configuration;
    struct asking asking = {.ask = ask_value};
    PyObject *at;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&O", take_configuration, &configuration, &at))
        return NULL;
    asking.turn = &configuration->reading;
    if (take_edits(at, &asking.edits))
        return run_asking(&asking, 0);
    free_edits(&asking.edits);
    return NULL;
}

static PyObject *list_by(PyObject *capsule, struct asking *asking)
{
    struct configuration *configuration;
    if (!take_configuration(capsule, &configuration) || !(asking->result = PyList_New(0)))
        return NULL;
    asking->turn = &configuration->reading;
    return run_asking(asking, 0);
}

static PyObject *config_list(PyObject *module, PyObject *capsule)
{
    struct asking asking = {.ask = ask_list};
    (void)module;
    return list_by(capsule, &asking);
}

static PyObject *config_check(PyObject *module, PyObject *capsule)
{
    struct asking asking = {.ask = ask_check};
    (void)module;
    return list_by(capsule, &asking);
}

/* ---- writing ---- */

struct writing {
    struct asking asking;
    struct untorn_config_edit *edits;
    bool scoped; /* more than one scope */
    struct options options;
};

static int ask_to_write(struct asking *asking, struct untorn_config *config, int wait_ms,
                        struct untorn_error *error)
{
    struct writing *writing = (struct writing *)asking;
    writing->options.options.wait_ms = wait_ms;
    if (writing->scoped)
        return untorn_config_write_scoped(config, writing->edits, asking->edits.count,
                                          &writing->options.options, error);
    return untorn_config_write(config, writing->edits[0].scope, asking->edits.list,
                               asking->edits.count, &writing->options.options, error);
}

/* Of a tuple with the number of a scope for each edit. */
static bool take_scopes(PyObject *tuple, struct writing *writing)
{
    const struct edits *edits = &writing->asking.edits;
    Py_ssize_t count = count_of(tuple);
    if (count < 1 || (size_t)count != edits->count) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "not one scope for each of one or more edits");
        return false;
    }
    writing->edits = allocate(edits->count, sizeof *writing->edits);
    for (size_t i = 0; writing->edits && i < edits->count; i++) {
        long scope = PyLong_AsLong(PyTuple_GetItem(tuple, (Py_ssize_t)i));
        if (PyErr_Occurred())
            return false;
        writing->edits[i].edit = edits->list[i];
        writing->edits[i].scope = (enum untorn_scope)scope;
        writing->scoped |= writing->edits[i].scope != writing->edits[0].scope;
    }
    return writing->edits;
}

static PyObject *config_write(PyObject *module, PyObject *args)
{
    struct configuration *configuration;
    struct writing writing = {.asking.ask = ask_to_write};
    PyObject *scopes, *edits, *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&OOO&", take_configuration, &configuration, &scopes, &edits,
                          take_options, &writing.options))
        return NULL;
    writing.asking.turn = &configuration->writing;
    if (take_edits(edits, &writing.asking.edits) && take_scopes(scopes, &writing))
        result = run_asking(&writing.asking, writing.options.options.wait_ms);
    else
        free_edits(&writing.asking.edits);
    PyMem_Free(writing.edits);
    return result;
}

struct previewing {
    struct asking asking;
    int scope;
};

static int ask_for_preview(struct asking *asking, struct untorn_config *config, int wait_ms,
                           struct untorn_error *error)
{
    struct untorn_document *document;
    size_t size;
    (void)wait_ms;
    int rc = untorn_config_preview(config, (enum untorn_scope)((struct previewing *)asking)->scope,
                                   asking->edits.list, asking->edits.count, &document, error);
    if (rc != 0)
        return rc;
    const char *text = untorn_document_text(document, &size);
    PyEval_RestoreThread(asking->attempt.thread);
    asking->result = PyBytes_FromStringAndSize(text, (Py_ssize_t)size);
    asking->attempt.thread = PyEval_SaveThread();
    untorn_document_free(document);
    return 0;
}

static PyObject *config_preview(PyObject *module, PyObject *args)
{
    struct configuration *configuration;
    struct previewing previewing = {.asking.ask = ask_for_preview};
    PyObject *edits;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&iO", take_configuration, &configuration, &previewing.scope,
                          &edits))
        return NULL;
    previewing.asking.turn = &configuration->reading;
    if (take_edits(edits, &previewing.asking.edits))
        return run_asking(&previewing.asking, 0);
    free_edits(&previewing.asking.edits);
    return NULL;
}

/* ---- looking: what does not change after the opening ---- */

static PyObject *config_path(PyObject *module, PyObject *args)
{
    struct configuration *configuration;
    struct untorn_error error;
    int scope;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&i", take_configuration, &configuration, &scope))
        return NULL;
    const char *path =
        untorn_config_path(configuration->reading.config, (enum untorn_scope)scope, &error);
    return path ? PyBytes_FromString(path) : raise_error(&error);
}

static PyObject *config_ignored(PyObject *module, PyObject *capsule)
{
    struct configuration *configuration;
    const char *note;
    (void)module;
    PyObject *list = take_configuration(capsule, &configuration) ? PyList_New(0) : NULL;
    for (size_t i = 0;
         list && (note = untorn_config_ignored(configuration->reading.config, i)) != NULL; i++) {
        PyObject *text = PyUnicode_DecodeFSDefault(note);
        if (!text || PyList_Append(list, text) != 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

PyMethodDef config_functions[] = {
    {"config_open", config_open, METH_VARARGS,
     "config_open(app, schema path, schema text, paths of the scopes, directory, environment, "
     "overrides, state_dir, format): a configuration, for the process that opened it."},
    {"config_get", config_get, METH_VARARGS,
     "config_get(config, edits): (tagged JSON, (scope, path, variable, line, column))."},
    {"config_list", config_list, METH_O,
     "config_list(config): [(key, tagged JSON, origin, secret, description, misfit)]."},
    {"config_check", config_check, METH_O, "config_check(config): [(status, text, origin)]."},
    {"config_write", config_write, METH_VARARGS,
     "config_write(config, scopes, edits, options): all edits, each in its scope, or none."},
    {"config_preview", config_preview, METH_VARARGS,
     "config_preview(config, scope, edits): the text that the scope's file would have."},
    {"config_path", config_path, METH_VARARGS, "config_path(config, scope): the file, as bytes."},
    {"config_ignored", config_ignored, METH_O, "config_ignored(config): what was passed over."},
    {NULL, NULL, 0, NULL},
};
