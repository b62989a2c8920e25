/* The folder for one file, open: what most modules of src/file start from. */
#ifndef UNTORN_TESTS_FILE_SETTING_H
#define UNTORN_TESTS_FILE_SETTING_H

#include "file/state.h"
#include "file/support.h"

struct setting {
    struct untorn_options options;
    struct untorn_error error;
    struct place place;
    struct state state;
};

static inline void setting_open(struct setting *setting, const char *path)
{
    error_begin(&setting->error, NULL, path);
    CHECK_INT(place_resolve(path, &setting->options, &setting->place, &setting->error), 0);
    CHECK_INT(state_open(&setting->place, &setting->options, STATE_CREATE, &setting->state,
                         &setting->error),
              0);
}

static inline void setting_close(struct setting *setting)
{
    state_close(&setting->state);
    place_close(&setting->place);
}

#endif
