/* The module untorn._untorn: its functions, numbers and statuses. */
#include "binding.h"

#include <errno.h>

static int add_numbers(PyObject *module)
{
    static const struct {
        const char *name;
        long number;
    } numbers[] = {
        {"DURABLE", UNTORN_DURABLE},
        {"ORDERED", UNTORN_ORDERED},
        {"CACHE", UNTORN_CACHE},
        {"FOLLOW", UNTORN_FOLLOW},
        {"REPLACE_LINK", UNTORN_REPLACE_LINK},
        {"REFUSE_LINK", UNTORN_REFUSE_LINK},
        {"TRY_ONCE", UNTORN_TRY_ONCE},
        {"KEEP_NONE", UNTORN_KEEP_NONE},
        {"JSON", UNTORN_JSON},
        {"JSONC", UNTORN_JSONC},
        {"TOML", UNTORN_TOML},
        {"UNKNOWN", UNTORN_FORMAT_UNKNOWN},
        {"SET", UNTORN_SET},
        {"UNSET", UNTORN_UNSET},
        {"MERGE_PATCH", UNTORN_MERGE_PATCH},
        {"JSON_PATCH", UNTORN_JSON_PATCH},
        {"AS_JSON", UNTORN_AS_JSON},
        {"AS_TOML", UNTORN_AS_TOML},
        {"RECORDS_BY_NAME", UNTORN_RECORDS_BY_NAME},
        {"RECORDS_TEXT", UNTORN_RECORDS_TEXT},
        {"RECORDS_JSON", UNTORN_RECORDS_JSON},
        {"SCOPE_DEFAULT", UNTORN_SCOPE_DEFAULT},
        {"SCOPE_GLOBAL", UNTORN_SCOPE_GLOBAL},
        {"SCOPE_PROJECT", UNTORN_SCOPE_PROJECT},
        {"SCOPE_LOCAL", UNTORN_SCOPE_LOCAL},
        {"SCOPE_ENVIRONMENT", UNTORN_SCOPE_ENVIRONMENT},
        {"SCOPE_OVERRIDE", UNTORN_SCOPE_OVERRIDE},
        {"ELOOP", ELOOP},
        {"EWOULDBLOCK", EWOULDBLOCK},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (PyModule_AddIntConstant(module, numbers[i].name, numbers[i].number) != 0)
            return -1;
    return 0;
}

static int fill(PyObject *module)
{
    PyMethodDef *all[] = {write_functions,  read_functions,    edit_functions,
                          update_functions, ensure_functions,  transaction_functions,
                          lock_functions,   history_functions, config_functions};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (PyModule_AddFunctions(module, all[i]) != 0)
            return -1;
    if (add_numbers(module) != 0 || add_statuses(module) != 0)
        return -1;
    return PyModule_AddStringConstant(module, "VERSION", untorn_version());
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, fill},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "untorn._untorn",
    .m_doc = "The C library, thinly: use the package untorn.",
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__untorn(void);
PyMODINIT_FUNC PyInit__untorn(void)
{
    return PyModuleDef_Init(&definition);
}
