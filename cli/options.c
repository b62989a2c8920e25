#include "options.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "arguments.h"
#include "limits.h"

/* The index of `value` among words written as "one|two|three", -1 if it is none. */
static int word_index(const char *words, const char *value)
{
    size_t size = strlen(value);
    for (int index = 0;; index++) {
        size_t length = strcspn(words, "|");
        if (length == size && memcmp(words, value, size) == 0)
            return index;
        if (words[length] == '\0')
            return -1;
        words += length + 1;
    }
}

#define LEVELS "durable|ordered|cache"
#define SYMLINKS "follow|replace|refuse"
#define RECORDS "text|jsonl"

static const char *take_level(struct arguments *arguments, const char *value)
{
    int index = word_index(LEVELS, value);
    arguments->options.level = (enum untorn_level)index;
    return index < 0 ? "durable, ordered or cache" : NULL;
}

static const char *take_symlink(struct arguments *arguments, const char *value)
{
    int index = word_index(SYMLINKS, value);
    arguments->options.symlink = (enum untorn_symlink)index;
    return index < 0 ? "follow, replace or refuse" : NULL;
}

static const char *take_records(struct arguments *arguments, const char *value)
{
    int index = word_index(RECORDS, value);
    arguments->records = (enum untorn_records)(UNTORN_RECORDS_TEXT + index);
    return index < 0 ? "text or jsonl" : NULL;
}

static const char *take_mode(struct arguments *arguments, const char *value)
{
    static const char wanted[] = "octal permission bits from 1 to 777, as in 640";
    size_t length = strlen(value);
    unsigned mode = 0;
    if (length == 0 || length > 4 || strspn(value, "01234567") != length)
        return wanted;
    for (; *value; value++)
        mode = mode * 8 + (unsigned)(*value - '0');
    arguments->options.mode = mode;
    return mode == 0 || mode > 0777 ? wanted : NULL;
}

/* Plain decimals only: strtod would also take nan, hexadecimal and "inf". */
static const char *take_wait(struct arguments *arguments, const char *value)
{
    static const char wanted[] = "seconds from 0 (try once) to 1000000, as in 2.5";
    long long ms = 0, unit = 1000;
    bool more = false, behind_point = false;
    size_t digits = 0;
    for (; *value; value++) {
        if (*value == '.' && !behind_point) {
            behind_point = true;
            continue;
        }
        if (*value < '0' || *value > '9')
            return wanted;
        digits++;
        int digit = *value - '0';
        if (behind_point)
            unit /= 10;
        ms = behind_point ? ms + digit * unit : ms * 10 + digit * 1000;
        more = more || (behind_point && unit == 0 && digit > 0);
        if (ms > CLI_WAIT_SECONDS * 1000ll)
            return wanted;
    }
    if (digits == 0 || (more && ms == CLI_WAIT_SECONDS * 1000ll))
        return wanted;
    ms += more; /* a wait shorter than a millisecond is still a wait */
    arguments->options.wait_ms = ms == 0 ? UNTORN_TRY_ONCE : (int)ms;
    return NULL;
}

static const char *take_if_match(struct arguments *arguments, const char *value)
{
    if (arguments->verb == &verb_commit)
        return words_add(&arguments->matches, value) ? NULL : "less memory than there is";
    if (!untorn_hash_parse(value, &arguments->if_match))
        return "32 hexadecimal digits, as untorn hash prints them";
    arguments->options.if_match = &arguments->if_match;
    return NULL;
}

static const char *take_remove(struct arguments *arguments, const char *value)
{
    return *value && words_add(&arguments->removals, value) ? NULL : "a path";
}

static const char *take_keep(struct arguments *arguments, const char *value)
{
    static const char wanted[] = "a number from 0 (none, and erase what is kept) to 1000";
    size_t length = strlen(value);
    int keep = 0;
    if (length == 0 || length > 4 || strspn(value, "0123456789") != length)
        return wanted;
    for (; *value; value++)
        keep = keep * 10 + (*value - '0');
    arguments->options.keep = keep ? keep : UNTORN_KEEP_NONE;
    return keep > CLI_KEEP ? wanted : NULL;
}

static const char *take_path(const char **field, const char *value)
{
    *field = value;
    return *value ? NULL : "a path";
}

static const char *take_state_dir(struct arguments *arguments, const char *value)
{
    return take_path(&arguments->options.state_dir, value);
}

static const char *take_lock_file(struct arguments *arguments, const char *value)
{
    return take_path(&arguments->options.lock_file, value);
}

static const char *take_from(struct arguments *arguments, const char *value)
{
    return take_path(&arguments->from, value);
}

static const char *take_default(struct arguments *arguments, const char *value)
{
    arguments->fallback = value;
    return NULL;
}

static const char *take_patch(const char **field, const char *value)
{
    *field = value;
    return *value ? NULL : "a patch, a file, or - for standard input";
}

static const char *take_merge_patch(struct arguments *arguments, const char *value)
{
    return take_patch(&arguments->merge_patch, value);
}

static const char *take_json_patch(struct arguments *arguments, const char *value)
{
    return take_patch(&arguments->json_patch, value);
}

/* `text` is for the verbs that check documents only because of their name. */
static const char *take_format(struct arguments *arguments, const char *value)
{
    bool may_be_text = arguments->verb == &verb_update || arguments->verb == &verb_read ||
                       arguments->verb == &verb_edit;
    arguments->format = untorn_format_by_name(value);
    arguments->is_text = may_be_text && strcmp(value, "text") == 0;
    if (arguments->format != UNTORN_FORMAT_UNKNOWN || arguments->is_text)
        return NULL;
    return may_be_text ? "json, jsonc, toml, toml-1.0 or text" : "json, jsonc, toml or toml-1.0";
}

static const char *take_app(struct arguments *arguments, const char *value)
{
    arguments->app = value;
    return *value ? NULL : "the name of an application";
}

static const char *take_schema(struct arguments *arguments, const char *value)
{
    return take_path(&arguments->schema, value);
}

static const char *take_scope(struct arguments *arguments, const char *value)
{
    arguments->scope = untorn_scope_by_name(value);
    return arguments->scope < UNTORN_SCOPES ? NULL : "global, project or local";
}

static const char *take_file(struct arguments *arguments, const char *value)
{
    static const char wanted[] = "SCOPE=PATH, as in global=/etc/app.toml";
    const char *path = strchr(value, '=');
    char name[CLI_NAME];
    if (!path || !path[1] || (size_t)(path - value) >= sizeof name)
        return wanted;
    memcpy(name, value, (size_t)(path - value));
    name[path - value] = '\0';
    enum untorn_scope scope = untorn_scope_by_name(name);
    if (scope == UNTORN_SCOPES || scope == UNTORN_SCOPE_ENVIRONMENT)
        return wanted;
    arguments->scope_files[scope] = path + 1;
    return NULL;
}

static const char *take_override(struct arguments *arguments, const char *value)
{
    const char *equals = strchr(value, '=');
    return equals && equals > value && words_add(&arguments->overrides, value) ? NULL : "KEY=VALUE";
}

#define VALUE(bit, name, argument, take, text)                                                     \
    {                                                                                              \
        bit, name, 0, argument, text, take, 0                                                      \
    }
#define SWITCH(bit, name, letter, field, text)                                                     \
    {                                                                                              \
        bit, name, letter, NULL, text, NULL, offsetof(struct arguments, field)                     \
    }

const struct option option_table[] = {
    VALUE(OPTION_APP, "app", "NAME", take_app, "whose configuration"),
    VALUE(OPTION_SCHEMA, "schema", "FILE", take_schema, "the keys there are: untorn-schema(5)"),
    VALUE(OPTION_SCOPE, "scope", "SCOPE", take_scope, "global, project or local"),
    VALUE(OPTION_FILE, "file", "SCOPE=PATH", take_file, "the file of a scope; else it is found"),
    VALUE(OPTION_OVERRIDE, "override", "KEY=VALUE", take_override,
          "above all scopes; may be repeated"),
    SWITCH(OPTION_SHOW_ORIGIN, "show-origin", 0, show_origin, "with scope, file and line"),
    SWITCH(OPTION_SEGMENTS, "segments", 'k', segments,
           "the words behind FILE are steps of one key"),
    SWITCH(OPTION_STRING, "string", 0, as_string, "the value is a string, whatever it spells"),
    SWITCH(OPTION_JSON, "json", 0, as_json, "the value as JSON"),
    SWITCH(OPTION_TOML, "toml", 0, as_toml, "the value as TOML, as in 1979-05-27"),
    SWITCH(OPTION_TAGGED, "tagged", 0, tagged, "as JSON that names every type"),
    VALUE(OPTION_DEFAULT, "default", "VALUE", take_default, "print this if FILE or KEY is missing"),
    VALUE(OPTION_FROM, "from", "SOURCE", take_from, "read VALUE from a file, or -"),
    SWITCH(OPTION_UUID, "uuid", 0, uuid, "the value is a new random UUID"),
    VALUE(OPTION_MERGE_PATCH, "merge-patch", "PATCH", take_merge_patch,
          "members to set, null removes (RFC 7396)"),
    VALUE(OPTION_JSON_PATCH, "json-patch", "PATCH", take_json_patch,
          "a list of operations (RFC 6902)"),
    VALUE(OPTION_FORMAT, "format", "FORMAT", take_format,
          "json, jsonc, toml, toml-1.0; else by the name"),
    SWITCH(OPTION_LAST_GOOD, "last-good", 0, last_good,
           "if FILE is damaged, its newest whole version"),
    SWITCH(OPTION_FORCE, "force", 0, force, "save also what does not parse"),
    VALUE(OPTION_IF_MATCH, "if-match", "HASH", take_if_match,
          "only if this is the hash now; else exit 5"),
    SWITCH(OPTION_IF_CHANGED, "if-changed", 0, options.if_changed,
           "leave a file alone that has this content"),
    SWITCH(OPTION_EXCLUSIVE, "exclusive", 0, options.exclusive,
           "create the file; exit 5 if it exists"),
    SWITCH(OPTION_ALLOW_EMPTY, "allow-empty", 0, allow_empty, "let empty content replace content"),
    VALUE(OPTION_RECORDS, "records", RECORDS, take_records,
          "what a line is (.jsonl, .ndjson: jsonl)"),
    SWITCH(OPTION_SHARED, "shared", 's', shared, "share it with other readers"),
    SWITCH(OPTION_REPAIR, "repair", 0, repair, "remove and finish what dead writers left"),
    SWITCH(OPTION_ABANDON, "abandon", 0, abandon, "with --repair: also give up what was kept"),
    VALUE(OPTION_REMOVE, "remove", "TARGET", take_remove, "remove this file in the same step"),
    VALUE(OPTION_KEEP, "keep", "N", take_keep, "keep N earlier versions (1; 0: erase them)"),
    SWITCH(OPTION_VERBOSE, "verbose", 'v', verbose, "list the documents that are whole, too"),
    VALUE(OPTION_LEVEL, "level", LEVELS, take_level,
          "done survives power loss; old or new version\n"
          "does; nothing is flushed (default: durable)"),
    VALUE(OPTION_MODE, "mode", "OCTAL", take_mode, "permission bits, as in 600"),
    SWITCH(OPTION_PARENTS, "parents", 0, options.parents, "create missing directories above FILE"),
    SWITCH(OPTION_KEEP_INODE, "keep-inode", 0, options.keep_inode,
           "overwrite in place, through a journal"),
    VALUE(OPTION_SYMLINK, "symlink", SYMLINKS, take_symlink,
          "what to do with a link (default: follow)"),
    VALUE(OPTION_WAIT, "wait", "SECONDS", take_wait, "wait so long for the lock (10; 0: try once)"),
    VALUE(OPTION_LOCK_FILE, "lock-file", "PATH", take_lock_file,
          "this lock, as flock(1) and filelock use it"),
    VALUE(OPTION_STATE_DIR, "state-dir", "DIR", take_state_dir,
          "for locks, instead of .untorn/ beside FILE"),
    SWITCH(OPTION_STRICT, "strict", 0, options.strict, "refuse where a promise cannot be kept"),
    SWITCH(OPTION_DRY_RUN, "dry-run", 0, dry_run, "show what would change, and change nothing"),
    SWITCH(OPTION_REPORT, "report", 0, report, "print the outcome as a line of JSON"),
    SWITCH(OPTION_HELP, "help", 'h', help, "show this"),
    {0, NULL, 0, NULL, NULL, NULL, 0},
};

const struct option *option_find(const char *word, const char **ret_value)
{
    bool is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word + 2, "=") : 0;
    *ret_value = is_long && word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
    for (const struct option *option = option_table; option->name; option++) {
        if (is_long && strlen(option->name) == length &&
            memcmp(option->name, word + 2, length) == 0)
            return option;
        if (!is_long && option->letter == word[1] && word[1] && word[2] == '\0')
            return option;
    }
    return NULL;
}

const char *option_argument(const struct option *option, const struct verb *verb)
{
    return verb == &verb_commit && option->bit == OPTION_IF_MATCH ? "TARGET=HASH"
                                                                  : option->argument;
}

const char *option_text(const struct option *option, const struct verb *verb)
{
    bool goes_back = verb == &verb_undo || verb == &verb_restore;
    return goes_back && option->bit == OPTION_KEEP
               ? "keep N versions (as many as there are; 0 none)"
               : option->text;
}
