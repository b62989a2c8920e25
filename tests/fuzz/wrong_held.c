/* json_held_edit_sized with a mistake, named by $WRONG: fuzz/held.c must notice each. Linked with
 * --wrap, so that the target meets it and it meets the real one. */
#include <stdlib.h>
#include <string.h>

#include "text/json_held.h"

/* clang-format off */
#define PARAMETERS \
    const char *text, size_t size, enum untorn_format format, const struct untorn_edit *edit, \
    const struct json_held_sizes *sizes, struct asking *asking, char **ret_text, \
    size_t *ret_size, int *ret_rc, struct untorn_error *error
/* clang-format on */

bool __real_json_held_edit_sized(PARAMETERS);
bool __wrap_json_held_edit_sized(PARAMETERS);

static bool is_wrong(const char *how)
{
    const char *name = getenv("WRONG");
    return name && strcmp(name, how) == 0;
}

/* Another answer than the true one to who asks. */
static void tell_otherwise(void *context, size_t edit, const struct untorn_node *node, bool made)
{
    struct asking *asking = context;
    if (!is_wrong("silent"))
        asking->tell(asking->context, edit, node, made != is_wrong("made"));
    if (is_wrong("twice"))
        asking->tell(asking->context, edit, node, made);
}

static void spoil_text(const char *text, size_t size, char **ret_text, size_t *ret_size)
{
    if (is_wrong("byte"))
        (*ret_text)[*ret_size / 2] ^= 1;
    else if (is_wrong("short"))
        (*ret_text)[--*ret_size] = '\0';
    else if (is_wrong("open"))
        (*ret_text)[*ret_size] = '}';
    else if (is_wrong("old") && size <= *ret_size)
        memcpy(*ret_text, text, size);
}

bool __wrap_json_held_edit_sized(PARAMETERS)
{
    struct asking otherwise = {.tell = tell_otherwise, .context = asking};
    bool done = __real_json_held_edit_sized(text, size, format, edit, sizes, &otherwise, ret_text,
                                            ret_size, ret_rc, error);
    if (done && *ret_rc == 0 && is_wrong("refused")) {
        free(*ret_text);
        *ret_text = NULL;
        *ret_rc = error_fail(error, UNTORN_INVALID, NULL);
    } else if (done && *ret_rc == 0) {
        spoil_text(text, size, ret_text, ret_size);
    } else if (done && is_wrong("words")) {
        error_detail(error, "in other words");
    } else if (done && is_wrong("status")) {
        *ret_rc = error_fail(error, UNTORN_TOO_LARGE, NULL);
    } else if (!done && is_wrong("remembered")) {
        error_fail(error, UNTORN_NO_KEY, "remember");
    }
    return done;
}
