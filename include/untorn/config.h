/* Configuration in scopes: each a TOML or JSON file of its own, the higher ones going before.
 *
 *     struct untorn_config *config;
 *     struct untorn_config_setup setup = {.app = "agents", .schema_path = "agents.schema.toml"};
 *     if (untorn_config_open(&setup, &config, &error) == 0) {
 *         const struct untorn_node *port;
 *         struct untorn_config_origin origin;
 *         if (untorn_config_get(config, "server.port", &port, &origin, &error) == 0)
 *             ...
 *         untorn_config_set(config, UNTORN_SCOPE_GLOBAL, "server.port", "8080", NULL, &error);
 *     }
 *     untorn_config_free(config);
 *
 * A key has the value of the highest scope that has it. Tables are merged key by key; anything
 * else, arrays too, replaces what is below it, and a value that is no table hides a table below it.
 * What untorn_config_list tells and what untorn_config_merged makes is what untorn_config_get
 * answers for each key.
 *
 * The schema is a TOML file of the application: man untorn-schema(5). With one, nothing is written
 * that it does not allow, and a value that does not fit it is -UNTORN_MISFIT when it is read. A
 * scope file that is damaged or cannot be read fails every reading call and is named; one that is
 * missing has no keys, nor has an empty one of TOML.
 *
 * Files are read again when they have changed, so that a handle that is kept sees what others
 * write; they are read as they were at one moment between commits of several of them. The files
 * themselves, the schema and the environment are looked for once, by untorn_config_open.
 *
 * Threads: a handle is used by one thread at a time; each may have its own. Processes and threads
 * that write lose nothing of each other's. Writing calls nest in each other, inside untorn_lock of
 * a scope's file, and join a transaction of the thread that has the file as a member.
 */
#ifndef UNTORN_CONFIG_H
#define UNTORN_CONFIG_H

#include <untorn/document.h>
#include <untorn/error.h>
#include <untorn/options.h>

/* From the lowest to the highest. */
enum untorn_scope {
    UNTORN_SCOPE_DEFAULT,     /* what the schema says, below a file if one is given */
    UNTORN_SCOPE_GLOBAL,      /* $XDG_CONFIG_HOME/APP/config.toml, else ~/.config/...;
                                 on Windows, where neither is set, %APPDATA%/APP/... */
    UNTORN_SCOPE_PROJECT,     /* the nearest .APP/config.toml or APP.toml upward that is ours */
    UNTORN_SCOPE_LOCAL,       /* beside it: .APP/config.local.toml or APP.local.toml */
    UNTORN_SCOPE_ENVIRONMENT, /* variables that the schema names */
    UNTORN_SCOPE_OVERRIDE,    /* a file if one is given, and above it what the caller says */
    UNTORN_SCOPES
};

/* Start from zero. Everything is copied. */
struct untorn_config_setup {
    const char *app; /* letters, digits, '-', '_', '.'; not a dot in front */

    /* The schema: a file, or its text, or neither. */
    const char *schema_path, *schema_text;

    /* The file of a scope, instead of the one that would be looked for. Not of the environment.
     * If only the project's is given, the local one is beside it. */
    const char *paths[UNTORN_SCOPES];

    /* Where the search for the project's file begins. NULL: the working directory. */
    const char *directory;

    /* "NAME=value", NULL behind the last. NULL: the environment of the process. */
    const char *const *environment;

    /* The highest of all: only UNTORN_SET. */
    const struct untorn_edit *overrides;
    size_t override_count;

    /* As in struct untorn_options, for reading, and for writes that say nothing else. */
    const char *state_dir;

    /* UNTORN_JSON: the files that are looked for end with .json instead of .toml. */
    enum untorn_format format;
};

struct untorn_config;

/* Where a value comes from. All borrowed until the next call with the handle. */
struct untorn_config_origin {
    enum untorn_scope scope;
    const char *path;      /* of the file; NULL: the schema's text, a variable, the caller */
    const char *variable;  /* of the environment; or NULL */
    uint64_t line, column; /* of the key, from 1; 0 where there is no text */
};

UNTORN_BEGIN_C

/* Reads the schema and finds the files; no scope file is read yet. -UNTORN_DAMAGED with line and
 * column: the schema is not right. -UNTORN_NOT_ALLOWED: an override is not as it says. */
UNTORN_API int untorn_config_open(const struct untorn_config_setup *setup,
                                  struct untorn_config **ret_config, struct untorn_error *reterr);

/* Accepts NULL. */
UNTORN_API void untorn_config_free(struct untorn_config *config);

/* ---- reading ---- */

/* The value of a key (untorn/document.h: dotted, or a JSON Pointer), a table with everything that
 * the scopes have in it. *ret_node and what *ret_origin points to are borrowed until the next call
 * with the handle; `ret_origin` may be NULL, and for a table names the highest scope that has it.
 * -UNTORN_NO_KEY: no scope has it. -UNTORN_MISFIT: it is not what the schema asks for. */
UNTORN_API int untorn_config_get(struct untorn_config *config, const char *key,
                                 const struct untorn_node **ret_node,
                                 struct untorn_config_origin *ret_origin,
                                 struct untorn_error *reterr);

/* The same by raw segments, for keys that are any text: paths, names with dots. No segment at all
 * means everything. */
UNTORN_API int untorn_config_get_segments(struct untorn_config *config, const char *const *segments,
                                          size_t count, const struct untorn_node **ret_node,
                                          struct untorn_config_origin *ret_origin,
                                          struct untorn_error *reterr);

/* One value that is no table, or an empty one. Borrowed until the function returns. */
struct untorn_config_entry {
    const char *key; /* as untorn_config_get takes it */
    const struct untorn_node *node;
    struct untorn_config_origin origin;
    bool secret;
    const char *description; /* of the schema; or NULL */
    const char *misfit;      /* why it is not what the schema asks for; or NULL */
};

/* 0 to go on; anything else ends the list and is returned. It may ask the handle, which answers as
 * of the beginning of the list. */
typedef int untorn_config_visit(void *context, const struct untorn_config_entry *entry);

/* All keys, those of the lower scopes first. -UNTORN_MISFIT, after all were visited, if one of them
 * does not fit; *reterr tells of the first. */
UNTORN_API int untorn_config_list(struct untorn_config *config, untorn_config_visit *visit,
                                  void *context, struct untorn_error *reterr);

/* The same as one document of its own (TOML, but it holds JSON's null where a scope does). */
UNTORN_API int untorn_config_merged(struct untorn_config *config,
                                    struct untorn_document **ret_document,
                                    struct untorn_error *reterr);

/* Whether the schema says that the key is a secret: the key itself, not a table that has one. */
UNTORN_API bool untorn_config_is_secret(struct untorn_config *config, const char *key);

/* ---- writing ---- */

/* All go to exactly the file of that scope (global, project or local; anything else is
 * -UNTORN_INVALID), as one locked update in which comments and layout stay, and write what is set
 * and nothing else. Before that the schema is asked: -UNTORN_NOT_ALLOWED for a key it does not know
 * (the nearest it knows is suggested), a wrong type, a value out of range, a scope that the key may
 * not be set in. A plain value takes the type of the schema. A file that gets a secret has the mode
 * 0600 then: UNTORN_FLAG_NARROWED if it had more. Missing directories are made, those of the global
 * file as 0700. Options: as untorn_edit. */

/* One key. */
UNTORN_API int untorn_config_set(struct untorn_config *config, enum untorn_scope scope,
                                 const char *key, const char *value,
                                 const struct untorn_options *options, struct untorn_error *reterr);
UNTORN_API int untorn_config_unset(struct untorn_config *config, enum untorn_scope scope,
                                   const char *key, const struct untorn_options *options,
                                   struct untorn_error *reterr);

/* Many keys of one scope, all or none. With a schema only UNTORN_SET and UNTORN_UNSET. */
UNTORN_API int untorn_config_write(struct untorn_config *config, enum untorn_scope scope,
                                   const struct untorn_edit *edits, size_t count,
                                   const struct untorn_options *options,
                                   struct untorn_error *reterr);

/* Many keys of several scopes, all or none: a commit of their files, of its own also where the
 * thread has another transaction open. */
struct untorn_config_edit {
    enum untorn_scope scope;
    struct untorn_edit edit;
};
UNTORN_API int untorn_config_write_scoped(struct untorn_config *config,
                                          const struct untorn_config_edit *edits, size_t count,
                                          const struct untorn_options *options,
                                          struct untorn_error *reterr);

/* What untorn_config_write would make of the scope's file, as a document of its own; nothing is
 * written. */
UNTORN_API int untorn_config_preview(struct untorn_config *config, enum untorn_scope scope,
                                     const struct untorn_edit *edits, size_t count,
                                     struct untorn_document **ret_document,
                                     struct untorn_error *reterr);

/* ---- looking ---- */

/* "global"; and back, UNTORN_SCOPES for another word. */
UNTORN_API const char *untorn_scope_name(enum untorn_scope scope);
UNTORN_API enum untorn_scope untorn_scope_by_name(const char *name);

/* The file that is read, and written, for a scope, whether it is there or not. Borrowed from the
 * handle. NULL if there is none, and `reterr` says why. */
UNTORN_API const char *untorn_config_path(const struct untorn_config *config,
                                          enum untorn_scope scope, struct untorn_error *reterr);

/* What was not obeyed, and why: "PATH: belongs to user 1001, not to us or root". Borrowed; NULL
 * behind the last. */
UNTORN_API const char *untorn_config_ignored(const struct untorn_config *config, size_t index);

/* Something that is wrong. Borrowed until the function returns. */
struct untorn_config_finding {
    enum untorn_status status;
    struct untorn_config_origin origin;
    const char *text;
};
typedef int untorn_config_tell(void *context, const struct untorn_config_finding *finding);

/* Looks at every scope by itself: files that do not parse or cannot be read, unknown keys, types,
 * ranges, keys in a scope that is not theirs, secrets in files that others can read. 0, or below 0
 * the worst of what was found (by its exit code, of equals the first); or what `tell` returned if
 * that is not 0. */
UNTORN_API int untorn_config_check(struct untorn_config *config, untorn_config_tell *tell,
                                   void *context, struct untorn_error *reterr);

UNTORN_END_C

#endif
