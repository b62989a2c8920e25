/* What kind of document a file is, by its name. */
#include "harness.h"

#include <string.h>

#include "text/format.h"

static void check_paths(const char *const *paths, size_t count, enum untorn_format format)
{
    for (size_t i = 0; i < count; i++)
        if (untorn_format_of_path(paths[i]) != format)
            CHECK_TEXT(paths[i], untorn_format_name(format));
}

#define CHECK_PATHS(paths, format) check_paths(paths, sizeof paths / sizeof *paths, format)

TEST(the_ending_of_a_name_tells_the_format)
{
    static const char *const json[] = {"a.json", "package.json", "/x/y/a.b.json", "./a.json"};
    static const char *const toml[] = {"Cargo.toml", "a.b/c.toml", "/pyproject.toml"};
    static const char *const jsonc[] = {"a.jsonc", "x/y.jsonc", "a.code-workspace"};
    CHECK_PATHS(json, UNTORN_JSON);
    CHECK_PATHS(toml, UNTORN_TOML);
    CHECK_PATHS(jsonc, UNTORN_JSONC);
}

TEST(names_that_are_known_to_hold_comments_are_jsonc)
{
    static const char *const jsonc[] = {
        "tsconfig.json",
        "web/tsconfig.json",
        "tsconfig.build.json",
        "jsconfig.json",
        ".vscode/settings.json",
        "/home/me/app/.vscode/launch.json",
        ".vscode//tasks.json",
        ".eslintrc.json",
        ".devcontainer/devcontainer.json",
        ".devcontainer/my.json",
        ".babelrc",
        "sub/.swcrc",
    };
    static const char *const json[] = {
        "my-tsconfig.json",        "tsconfig.json/a.json",   "vscode/settings.json",
        ".vscode/x/settings.json", "x.vscode/settings.json", "tsconfigs.json",
    };
    CHECK_PATHS(jsonc, UNTORN_JSONC);
    CHECK_PATHS(json, UNTORN_JSON);
}

TEST(other_names_tell_nothing)
{
    static const char *const unknown[] = {
        "",       "a",       "json",       "toml",        "a.yaml",           "a.json5",
        "a.JSON", "a.toml~", "a.json.bak", "a.json/conf", ".vscode/notes.md", "/",
    };
    CHECK_PATHS(unknown, UNTORN_FORMAT_UNKNOWN);
}

TEST(every_format_has_a_name_that_leads_back_to_it)
{
    for (int format = UNTORN_JSON; format <= UNTORN_TOML_1_0; format++) {
        const char *name = untorn_format_name((enum untorn_format)format);
        CHECK_INT(untorn_format_by_name(name), format);
    }
    CHECK_TEXT(untorn_format_name(UNTORN_TOML_1_0), "toml-1.0");
    CHECK_TEXT(untorn_format_name(UNTORN_FORMAT_UNKNOWN), "unknown");
    CHECK_TEXT(untorn_format_name((enum untorn_format)77), "unknown");
}

TEST(the_formats_are_told_apart)
{
    CHECK(format_is_toml(UNTORN_TOML) && format_is_toml(UNTORN_TOML_1_0));
    CHECK(!format_is_toml(UNTORN_JSON) && !format_is_toml(UNTORN_JSONC));
    for (int format = UNTORN_JSON; format <= UNTORN_TOML_1_0; format++)
        CHECK(format_is_known((enum untorn_format)format));
    CHECK(!format_is_known(UNTORN_FORMAT_UNKNOWN));
    CHECK(!format_is_known((enum untorn_format)(UNTORN_TOML_1_0 + 1)));
}

TEST(another_word_names_no_format)
{
    static const char *const words[] = {"", "JSON", "yaml", "toml-1.1", "json ", "unknown"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        CHECK_INT(untorn_format_by_name(words[i]), UNTORN_FORMAT_UNKNOWN);
    CHECK_INT(untorn_format_by_name(NULL), UNTORN_FORMAT_UNKNOWN);
}
