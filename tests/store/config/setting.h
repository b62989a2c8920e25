/* A configuration of two or three files in the test's own directory. */
#ifndef UNTORN_TESTS_STORE_CONFIG_SETTING_H
#define UNTORN_TESTS_STORE_CONFIG_SETTING_H

#include <stdio.h>

#include <untorn.h>

#include "file/support.h"

static struct untorn_error error;
static const struct untorn_options no_flush = {.level = UNTORN_CACHE};

/* Whatever the setup leaves out: an empty environment, and d, g, p, l and o.toml as files. */
static inline struct untorn_config *open_config(struct untorn_config_setup setup)
{
    static const char *const nothing[] = {NULL};
    static const char *const files[UNTORN_SCOPES] = {[UNTORN_SCOPE_DEFAULT] = "d.toml",
                                                     [UNTORN_SCOPE_GLOBAL] = "g.toml",
                                                     [UNTORN_SCOPE_PROJECT] = "p.toml",
                                                     [UNTORN_SCOPE_LOCAL] = "l.toml",
                                                     [UNTORN_SCOPE_OVERRIDE] = "o.toml"};
    struct untorn_config *config;
    setup.app = "app";
    if (!setup.environment)
        setup.environment = nothing;
    for (int i = 0; i < UNTORN_SCOPES; i++)
        if (!setup.paths[i])
            setup.paths[i] = files[i];
    int rc = untorn_config_open(&setup, &config, &error);
    if (rc != 0)
        fprintf(stderr, "%s: %s\n", error.path, error.detail);
    CHECK_INT(rc, 0);
    return config;
}
#define OPEN(...) open_config((struct untorn_config_setup){__VA_ARGS__})

/* The value as text, "?" and the status where there is none. Borrowed until the next call. */
static inline const char *value_of(struct untorn_config *config, const char *key)
{
    static char text[1 << 12];
    const struct untorn_node *node;
    struct untorn_style style = {.compact = true};
    char *written;
    int rc = untorn_config_get(config, key, &node, NULL, &error);
    if (rc != 0) {
        snprintf(text, sizeof text, "?%s", untorn_status_name(rc));
        return text;
    }
    CHECK_INT(untorn_node_write(node, UNTORN_JSON, &style, &written, NULL, NULL), 0);
    snprintf(text, sizeof text, "%s", written);
    free(written);
    return text;
}

#endif
