#include "versions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UUID = 36 };

/* ---- contents ---- */

static void put_lines(FILE *file, enum scenario_kind kind, const char *word, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (kind == KIND_RECORDS)
            fprintf(file, "{\"version\": \"%s\", \"line\": %u}\n", word, i);
        else if (kind == KIND_JSON)
            fprintf(file, ",\n  \"line %u\": \"text\"", i);
        else if (kind == KIND_TOML)
            fprintf(file, "line%u = \"text\"\n", i);
        else
            fprintf(file, "%s version, line %u\n", word, i);
    }
}

/* Documents differ in the value of one member; the others have the names of the inputs. */
static struct blob version_of(enum scenario_kind kind, const char *word, unsigned count)
{
    struct blob blob = {NULL, 0};
    FILE *file = open_memstream(&blob.data, &blob.size);
    switch (kind) {
    case KIND_LINES:
    case KIND_RECORDS:
        put_lines(file, kind, word, count);
        break;
    case KIND_JSON:
        fprintf(file, "{\n  \"version\": \"%s\",\n  \"new\": \"1\",\n  \"next\": \"2\"", word);
        put_lines(file, kind, word, count);
        fprintf(file, "\n}\n");
        break;
    case KIND_TOML:
        fprintf(file, "# kept\nversion = \"%s\" # kept\nnew = 1\nnext = 2\n", word);
        put_lines(file, kind, word, count);
        break;
    case KIND_NUMBER:
        fprintf(file, "41\n");
        break;
    case KIND_EVENTS:
        fprintf(file, "{\"time\":0,\"event\":\"%s\"}\n", word);
        break;
    case KIND_OUTPUT:
        fprintf(file, "{\n  \"output\": \"%s\"\n}\n", word);
        break;
    case KIND_TOKEN:
        fprintf(file, "[auth]\ntoken = \"%s\"\n", word);
        break;
    case KIND_WORD:
        fprintf(file, "%s", word);
        break;
    }
    fclose(file);
    return blob;
}

void contents_make(struct contents *contents, const char *inputs, const struct scenario *scenario)
{
    enum scenario_kind kind = scenario->kind;
    unsigned unit = scenario->size == SIZE_SMALL ? 1 : scenario->size == SIZE_MEDIUM ? 10 : 500;
    /* Documents have equally many members: the inputs change one of them. */
    bool document = kind == KIND_JSON || kind == KIND_TOML;
    contents->inputs = inputs;
    contents->old_version = version_of(kind, "old", 50 * unit);
    contents->new_version = version_of(kind, "new", (document ? 50 : 40) * unit);
    contents->next_version = version_of(kind, "next", (document ? 50 : 44) * unit);
    contents->torn_version = version_of(kind, "torn", (document ? 50 : 46) * unit);
    place_make(inputs);
    blob_write(inputs, "old", &contents->old_version, 0644);
    blob_write(inputs, "new", &contents->new_version, 0644);
    blob_write(inputs, "next", &contents->next_version, 0644);
    blob_write(inputs, "torn", &contents->torn_version, 0644);
}

/* ---- effects ---- */

static struct blob copy_of(const struct blob *blob)
{
    struct blob nothing = {NULL, 0};
    return blob->data == NULL ? nothing : blob_join(&nothing, blob);
}

/* `size` bytes at `at` become `text`. */
static struct blob spliced(const struct blob *before, size_t at, size_t size, const char *text)
{
    struct blob head = {before->data, at}, middle = {(char *)text, strlen(text)};
    struct blob tail = {before->data + at + size, before->size - at - size};
    struct blob both = blob_join(&head, &middle), all = blob_join(&both, &tail);
    blob_free(&both);
    return all;
}

/* The last member gets one behind it. */
static struct blob with_member(const struct blob *before, const char *word)
{
    char member[64];
    snprintf(member, sizeof member, ",\n  \"added-%s\": \"v\"", word);
    size_t end = strlen("\n}\n");
    return before->size < end ? copy_of(before) : spliced(before, before->size - end, 0, member);
}

/* Without the line that begins with the key. */
static struct blob without_member(const struct blob *before, const char *word)
{
    char key[64];
    snprintf(key, sizeof key, "\n%s = ", word);
    const char *found = before->data == NULL ? NULL : strstr(before->data, key);
    if (found == NULL)
        return copy_of(before);
    size_t at = (size_t)(found - before->data) + 1;
    return spliced(before, at, strcspn(before->data + at, "\n") + 1, "");
}

static struct blob counted(const struct blob *before)
{
    struct blob blob = {NULL, 0};
    FILE *file = open_memstream(&blob.data, &blob.size);
    fprintf(file, "%ld\n", before->data == NULL ? 1 : strtol(before->data, NULL, 10) + 1);
    fclose(file);
    return blob;
}

struct blob version_after(const struct scenario *scenario, const struct contents *contents,
                          const struct blob *before, const char *word)
{
    bool next = strcmp(word, "next") == 0;
    const struct blob *input = next ? &contents->next_version : &contents->new_version;
    switch (scenario->effect) {
    case EFFECT_REPLACE:
        return copy_of(input);
    case EFFECT_FIRST:
        return copy_of(before->data == NULL ? input : before);
    case EFFECT_APPEND:
        return blob_join(before, input);
    case EFFECT_ADD:
        return with_member(before, word);
    case EFFECT_DROP:
        return without_member(before, word);
    case EFFECT_TURN:
        return copy_of(blob_equal(before, &contents->old_version) ? &contents->new_version
                                                                  : &contents->old_version);
    case EFFECT_COUNT:
        return counted(before);
    default:
        return copy_of(before);
    }
}

/* ---- what differs ---- */

void version_mask(struct blob *blob)
{
    static const char time[] = "\"time\":", digits[] = "0123456789";
    size_t to = 0;
    for (size_t from = 0; from < blob->size;) {
        const char *text = blob->data + from;
        size_t uuid = strspn(text, "0123456789abcdef-");
        size_t head = sizeof time - 1;
        if (strncmp(text, time, head) == 0 && strspn(text + head, digits) > 1) {
            memmove(blob->data + to, time, head);
            blob->data[to + head] = '0';
            to += head + 1;
            from += head + strspn(text + head, digits);
        } else if (uuid == UUID) {
            blob->data[to++] = 'v';
            from += UUID;
        } else {
            blob->data[to++] = blob->data[from++];
        }
    }
    if (blob->data != NULL)
        blob->data[to] = 0;
    blob->size = to;
}
