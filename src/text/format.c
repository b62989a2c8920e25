/* What kind of document a file is, by its name. */
#include "text/format.h"

#include <string.h>

#include "base/pathtext.h"

struct format_row {
    enum untorn_format format;
    const char *name;
};

static const struct format_row formats[] = {
    {UNTORN_JSON, "json"},
    {UNTORN_JSONC, "jsonc"},
    {UNTORN_TOML, "toml"},
    {UNTORN_TOML_1_0, "toml-1.0"},
};

/* Files whose own programs read comments in them, although they are called .json or nothing. */
static const char *const commented_names[] = {
    ".babelrc",      ".devcontainer.json",
    ".eslintrc",     ".eslintrc.json",
    ".hintrc",       ".jscsrc",
    ".jshintrc",     ".jslintrc",
    ".swcrc",        "api-extractor.json",
    "deno.json",     "devcontainer.json",
    "jsconfig.json", "tsconfig.json",
    "tslint.json",   "tsdoc.json",
    "typedoc.json",  "wrangler.json",
    "turbo.json",    "language-configuration.json",
};
static const char *const commented_endings[] = {
    ".jsonc", ".code-workspace", ".code-snippets", ".sublime-settings", ".sublime-project",
};
static const char *const commented_folders[] = {".vscode", ".devcontainer", ".zed"};

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

const char *untorn_format_name(enum untorn_format format)
{
    for (size_t i = 0; i < COUNT(formats); i++)
        if (formats[i].format == format)
            return formats[i].name;
    return "unknown";
}

enum untorn_format untorn_format_by_name(const char *name)
{
    for (size_t i = 0; name && i < COUNT(formats); i++)
        if (strcmp(formats[i].name, name) == 0)
            return formats[i].format;
    return UNTORN_FORMAT_UNKNOWN;
}

bool format_is_known(enum untorn_format format)
{
    return format >= UNTORN_JSON && format <= UNTORN_TOML_1_0;
}

bool format_is_toml(enum untorn_format format)
{
    return format == UNTORN_TOML || format == UNTORN_TOML_1_0;
}

static bool is_one_of(const char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* tsconfig.build.json, jsconfig.test.json. */
static bool is_variant(const char *name, const char *stem)
{
    return strncmp(name, stem, strlen(stem)) == 0 && path_ends_with(name, ".json");
}

/* Whether the folder that holds the file is one of them. */
static bool is_in_commented_folder(const char *path, const char *name)
{
    const char *end = name;
    while (end > path && strchr(path_separators, end[-1]))
        end--;
    const char *start = end;
    while (start > path && !strchr(path_separators, start[-1]))
        start--;
    for (size_t i = 0; i < COUNT(commented_folders); i++)
        if (strlen(commented_folders[i]) == (size_t)(end - start) &&
            memcmp(commented_folders[i], start, (size_t)(end - start)) == 0)
            return true;
    return false;
}

static bool holds_comments(const char *path, const char *name)
{
    if (is_one_of(commented_names, COUNT(commented_names), name) || is_variant(name, "tsconfig.") ||
        is_variant(name, "jsconfig."))
        return true;
    for (size_t i = 0; i < COUNT(commented_endings); i++)
        if (path_ends_with(name, commented_endings[i]))
            return true;
    return path_ends_with(name, ".json") && is_in_commented_folder(path, name);
}

enum untorn_format untorn_format_of_path(const char *path)
{
    const char *name = path_last(path);
    if (holds_comments(path, name))
        return UNTORN_JSONC;
    if (path_ends_with(name, ".json"))
        return UNTORN_JSON;
    return path_ends_with(name, ".toml") ? UNTORN_TOML : UNTORN_FORMAT_UNKNOWN;
}
