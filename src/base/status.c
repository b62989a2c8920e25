#include <stddef.h>

#include <untorn/status.h>

struct status_row {
    int number;
    int exit_code;
    const char *name;
    const char *text;
};

#define STATUS_ROW(name, number, exit_code, text) {number, exit_code, #name, text},
static const struct status_row rows[] = {UNTORN_STATUS_LIST(STATUS_ROW)};

static const struct status_row *find(int status)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == status || -rows[i].number == status)
            return &rows[i];
    return NULL;
}

const char *untorn_status_name(int status)
{
    const struct status_row *row = find(status);
    return row ? row->name : "UNKNOWN";
}

const char *untorn_status_text(int status)
{
    const struct status_row *row = find(status);
    return row ? row->text : "unknown status";
}

int untorn_status_exit_code(int status)
{
    const struct status_row *row = find(status);
    return row ? row->exit_code : 1;
}
