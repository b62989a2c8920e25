#include "text/toml_support.h"

#include "harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char output[1 << 16];
static size_t written;

__attribute__((format(printf, 1, 2))) static void print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(output + written, sizeof output - written, format, arguments);
    va_end(arguments);
    CHECK(size >= 0 && written + (size_t)size < sizeof output);
    written += (size_t)size;
}

static void print_bytes(const char *text, size_t size)
{
    CHECK(text[size] == '\0'); /* every text of a tree is terminated */
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte < ' ' || byte == 0x7f)
            print("\\x%02x", byte);
        else
            print("%c", byte);
    }
}

static const char *origin_name(const struct untorn_node *node)
{
    static const char *const names[] = {"",         "(root)",   "(implied)", "(header)",
                                        "(dotted)", "(inline)", "(element)", "(tables)"};
    return names[node->origin];
}

static void print_node(const struct untorn_node *node, bool origins)
{
    static const char letters[] = " nbifsDLdt";
    if (node->key) {
        print_bytes(node->key, node->key_size);
        print("%s=", origins ? origin_name(node) : "");
    } else {
        print("%s", origins ? origin_name(node) : "");
    }
    if (node->kind < UNTORN_ARRAY) {
        print("%c:", letters[node->kind]);
        print_bytes(node->text, node->size);
        return;
    }
    print("%c", node->kind == UNTORN_ARRAY ? '[' : '{');
    for (const struct untorn_node *child = node->first; child; child = child->next) {
        CHECK(child->parent == node);
        print_node(child, origins);
        print("%s", child->next ? ", " : "");
    }
    print("%c", node->kind == UNTORN_ARRAY ? ']' : '}');
}

int toml_scan_exact(const char *text, size_t size, enum untorn_format format, struct parsed *parsed,
                    struct flaw *flaw)
{
    char *exact = malloc(size ? size : 1);
    CHECK(exact);
    memcpy(exact, text, size);
    int result = parse_toml(exact, size, format, parsed, flaw);
    CHECK_INT(toml_is_valid(exact, size, format), result == 0);
    if (result == 0) {
        CHECK(parsed->text == exact && parsed->size == size && parsed->format == format);
        return 0;
    }
    CHECK_INT(result, -1);
    CHECK(flaw->what && !flaw->out_of_memory && flaw->position <= size);
    CHECK(flaw->at_end == (flaw->position == size));
    CHECK(!parsed->root && !parsed->arena.blocks);
    free(exact);
    return -1;
}

void toml_free_exact(struct parsed *parsed)
{
    free((char *)parsed->text);
    parsed_free(parsed);
}

static const char *describe(const char *text, enum untorn_format format, bool origins)
{
    struct parsed parsed;
    struct flaw flaw;
    written = 0;
    if (toml_scan_exact(text, strlen(text), format, &parsed, &flaw) < 0) {
        print("%llu: %s%s", (unsigned long long)flaw.position, flaw.what,
              flaw.at_end ? " (end)" : "");
        return output;
    }
    print_node(parsed.root, origins);
    toml_free_exact(&parsed);
    return output;
}

const char *toml_data(const char *text)
{
    return describe(text, UNTORN_TOML, false);
}

const char *toml_data_1_0(const char *text)
{
    return describe(text, UNTORN_TOML_1_0, false);
}

const char *toml_origins(const char *text)
{
    return describe(text, UNTORN_TOML, true);
}

static bool is_valid(const char *text, enum untorn_format format)
{
    return describe(text, format, false)[0] == '{';
}

void toml_check_all(const char *const *texts, size_t count, bool valid)
{
    for (size_t i = 0; i < count; i++)
        if (is_valid(texts[i], UNTORN_TOML) != valid ||
            is_valid(texts[i], UNTORN_TOML_1_0) != valid)
            CHECK_TEXT(texts[i], valid ? "a document" : "no document");
}

void toml_check_newer(const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_valid(texts[i], UNTORN_TOML) || is_valid(texts[i], UNTORN_TOML_1_0))
            CHECK_TEXT(texts[i], "a document in 1.1 only");
}
