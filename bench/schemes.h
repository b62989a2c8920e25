/* The ways in which many processes update one key each of one small file, or of what stands for it.
 *
 * Every store holds CROWD_MOST keys, writer-00 to writer-63, and settings that nobody touches: 4
 * KiB as a file. An update sets the writer's own key and returns when that is durable.
 */
#ifndef UNTORN_BENCH_SCHEMES_H
#define UNTORN_BENCH_SCHEMES_H

#include <stdbool.h>

struct scheme {
    const char *name;
    const char *peer;             /* what it does */
    bool is_command;              /* a program is started for every update */
    bool is_wrong;                /* it loses updates: for the test of this bench */
    int most;                     /* of writers; 0: any number */
    int slowness;                 /* its job is by this factor smaller; 0: the same as others' */
    int quickness;                /* and by this one larger, among many; 0: the same */
    const char *(*missing)(void); /* what this machine lacks, NULL: nothing; may be NULL */
    const char *const *program;   /* that is a writer, NULL: this one */
    void (*prepare)(void);        /* a new store, every key at 0 */
    void (*open)(void);           /* in the process of a writer; may be NULL */
    void (*update)(int number, long value);
    void (*read)(long *values); /* of all keys, from the store as everyone sees it */
};

/* NULL ends them. Those with `again` in their name are untorn once more, as a control. */
extern const struct scheme *const schemes[];

extern const struct scheme scheme_untorn, scheme_again, scheme_recipe, scheme_unlocked,
    scheme_python;
extern const struct scheme scheme_sqlite, scheme_lmdb; /* databases.c */
extern const struct scheme scheme_set, scheme_set_again, scheme_git,
    scheme_crudini; /* commands.c */

/* ---- a file of keys, for the schemes and beside them ---- */

enum text_form { TEXT_JSON, TEXT_TOML, TEXT_INI };
enum { TEXT_MOST = 8192 };

/* Makes the file, durably, with every key at 0. */
void text_put(const char *directory, const char *path, enum text_form form);

/* `key` has room for 16 bytes. */
void text_key(int number, char *key);

/* The values of all keys. Fails with a message if the file is not whole. */
void text_read(const char *path, enum text_form form, long *values);

/* ---- untorn ---- */

void untorn_set(const char *path, int number, long value);

#endif
