#include "text/keypath.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* A text being read. What is decoded never grows, so one buffer of its size takes all of it. */
struct reader {
    const char *start, *at, *end;
    char *out;
    struct keypath *path;
    struct untorn_error *error;
};

/* ---- messages ---- */

void keypath_shown(const char *text, size_t size, char shown[KEYPATH_SHOWN])
{
    static const char dots[] = "...";
    size_t used = 0, i = 0;
    while (i < size) {
        size_t length = utf8_length(text + i, size - i);
        bool plain = length > 1 || (length == 1 && text[i] >= ' ' && text[i] != '\x7f');
        size_t width = plain ? length : 1;
        if (used + width + sizeof dots > KEYPATH_SHOWN)
            break;
        if (plain)
            memcpy(shown + used, text + i, width);
        else
            shown[used] = '?';
        used += width;
        i += length ? length : 1;
    }
    memcpy(shown + used, i < size ? dots : "", i < size ? sizeof dots : 1);
}

static size_t characters(const char *text, const char *end)
{
    size_t count = 0;
    for (; text < end; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* What is wrong at the place where the reader stands. */
static int refuse(const struct reader *reader, const char *what)
{
    char shown[KEYPATH_SHOWN];
    keypath_shown(reader->start, (size_t)(reader->end - reader->start), shown);
    error_detail(reader->error, "the key '%s', character %zu: %s", shown,
                 characters(reader->start, reader->at) + 1, what);
    return error_fail(reader->error, UNTORN_INVALID, NULL);
}

static int no_memory(struct untorn_error *error)
{
    return error_fail(error, UNTORN_NO_MEMORY, NULL);
}

/* ---- reading ---- */

static bool is_half(const char *at, const char *end, unsigned first, unsigned last)
{
    const unsigned char *bytes = (const unsigned char *)at;
    return end - at >= 3 && bytes[0] == 0xed && bytes[1] >= first && bytes[1] <= last &&
           (bytes[2] & 0xc0) == 0x80;
}

/* A key of JSON may have half a surrogate pair; it is decoded to the three bytes that UTF-8 would
 * have for it. Two halves that make a whole are none. */
static size_t half_length(const char *at, const char *end)
{
    bool upper = is_half(at, end, 0xa0, 0xaf), lower = is_half(at, end, 0xb0, 0xbf);
    return lower || (upper && !is_half(at + 3, end, 0xb0, 0xbf)) ? 3 : 0;
}

/* A document has no place for it: whoever needs it agrees with its readers on an escape. */
static int refuse_byte(const struct reader *reader)
{
    char what[80];
    snprintf(what, sizeof what, "this is not UTF-8; write this byte as %%%02X, and a %% as %%25",
             (unsigned char)*reader->at);
    return refuse(reader, what);
}

static int check_utf8(const struct reader *reader, bool halves)
{
    struct reader ahead = *reader;
    while (ahead.at < ahead.end) {
        size_t length = utf8_length(ahead.at, (size_t)(ahead.end - ahead.at));
        if (length == 0 && halves)
            length = half_length(ahead.at, ahead.end);
        if (length == 0)
            return refuse_byte(&ahead);
        ahead.at += length;
    }
    return 0;
}

/* Makes room for as many steps and bytes as the text can hold. */
static int begin(struct reader *reader, const char *text, size_t size, size_t steps,
                 struct arena *arena, struct keypath *ret_path, struct untorn_error *error)
{
    *ret_path = (struct keypath){.text = arena_copy(arena, text, size)};
    char *out = arena_take(arena, size + 2);
    if (steps <= SIZE_MAX / 2 / sizeof *ret_path->steps)
        ret_path->steps = arena_take(arena, steps * sizeof *ret_path->steps);
    if (!ret_path->text || !out || !ret_path->steps)
        return no_memory(error);
    const char *start = ret_path->text;
    *reader = (struct reader){start, start, start + size, out, ret_path, error};
    return 0;
}

static size_t count_of(const char *text, size_t size, char byte)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] == byte;
    return count;
}

static char peek(const struct reader *reader)
{
    return reader->at < reader->end ? *reader->at : '\0';
}

static void skip_blanks(struct reader *reader)
{
    while (peek(reader) == ' ' || peek(reader) == '\t')
        reader->at++;
}

static void add_step(struct reader *reader, struct step step)
{
    reader->path->steps[reader->path->count++] = step;
}

/* The key that was decoded since `key`. */
static void add_key(struct reader *reader, enum step_kind kind, const char *key, const char *typed,
                    size_t typed_size)
{
    size_t size = (size_t)(reader->out - key);
    *reader->out++ = '\0';
    add_step(reader, (struct step){kind, key, size, 0, typed, typed_size});
}

/* ---- dotted keys: what other languages have here ---- */

static int refuse_key(const struct reader *reader)
{
    switch (peek(reader)) {
    case '\0':
        return refuse(reader, reader->at < reader->end
                                  ? "a NUL byte; in quotes it is written \"\\u0000\""
                                  : "a key is missing behind the dot; the empty key is \"\"");
    case '.':
        return refuse(reader, "a key is missing before the dot: the empty key is \"\", and there "
                              "is no search through all levels");
    case '[':
        return refuse(reader, "no dot before a bracket: a[0]");
    case '*':
        return refuse(reader, "there are no wildcards, a key names one value; a key that is really "
                              "* is written \"*\"");
    case '|':
        return refuse(reader, "there are no pipes, a key names one value; a key with | in it goes "
                              "in quotes");
    case '$':
        return refuse(reader, "no $ for the root: begin with the first key; one with $ in it goes "
                              "in quotes");
    case '?':
    case '(':
    case '@':
        return refuse(reader, "there are no filters, a key names one value; a key with this in it "
                              "goes in quotes");
    case '/':
        return refuse(reader, "a / is only in a JSON Pointer, which begins with one; a key with / "
                              "in it goes in quotes: \"a/b\"");
    default:
        return refuse(reader, "a key with this in it goes in quotes: \"...\"");
    }
}

static int refuse_index(const struct reader *reader)
{
    size_t size = (size_t)(reader->end - reader->at);
    const char *close = memchr(reader->at, ']', size);
    if (!close)
        return refuse(reader, "the ] is missing");
    size_t inside = (size_t)(close - reader->at);
    if (inside == 1 || reader->at[1] == '*')
        return refuse(reader, "there are no wildcards: type [N], [-N] from the end, or [+] for "
                              "behind the last");
    if (reader->at[1] == '?' || reader->at[1] == '(')
        return refuse(reader, "there are no filters: type [N], [-N] from the end, or [+] for "
                              "behind the last");
    if (reader->at[1] == '"' || reader->at[1] == '\'')
        return refuse(reader, "a key goes behind a dot, brackets are for arrays: a.\"b\"");
    if (memchr(reader->at, ':', inside) || memchr(reader->at, ',', inside))
        return refuse(reader, "there are no slices, a key names one value: type [N]");
    return refuse(reader, "type [N], [-N] from the end, or [+] for behind the last; N has no "
                          "leading zeros, and the last is [-1]");
}

/* ---- dotted keys ---- */

static bool is_bare_ascii(char byte)
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
}

/* Beyond ASCII all but blanks, invisible marks and the quotes that editors make of ". */
static bool is_bare_wide(const char *text, size_t length)
{
    unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];
    if (length == 2)
        return first > 0xc2 || second > 0xa0; /* C1 controls, no-break space */
    if (length == 3 && first == 0xe2)
        return second > 0x81; /* U+2000 to U+206F */
    if (length == 3 && memcmp(text, "\xe3\x80\x80", 3) == 0)
        return false; /* U+3000 */
    return length < 3 || memcmp(text, "\xef\xbb\xbf", 3) != 0;
}

/* The length of the character of a bare key that comes next, or 0. */
static size_t bare_length(const struct reader *reader)
{
    if (reader->at == reader->end)
        return 0;
    if ((unsigned char)*reader->at < 0x80)
        return is_bare_ascii(*reader->at);
    size_t length = utf8_length(reader->at, (size_t)(reader->end - reader->at));
    return is_bare_wide(reader->at, length) ? length : 0;
}

static int read_bare(struct reader *reader)
{
    const char *typed = reader->at, *key = reader->out;
    for (size_t length; (length = bare_length(reader)) > 0; reader->at += length) {
        memcpy(reader->out, reader->at, length);
        reader->out += length;
    }
    if (reader->at == typed)
        return refuse_key(reader);
    add_key(reader, STEP_KEY, key, typed, (size_t)(reader->at - typed));
    return 0;
}

static int hex_value(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

static void put_utf8(struct reader *reader, uint32_t code)
{
    if (code < 0x80) {
        *reader->out++ = (char)code;
        return;
    }
    if (code < 0x800) {
        *reader->out++ = (char)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        *reader->out++ = (char)(0xe0 | code >> 12);
        *reader->out++ = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        *reader->out++ = (char)(0xf0 | code >> 18);
        *reader->out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *reader->out++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *reader->out++ = (char)(0x80 | (code & 0x3f));
}

static int read_code(struct reader *reader, size_t digits)
{
    uint32_t code = 0;
    for (size_t i = 0; i < digits; i++, reader->at++) {
        int value = hex_value(peek(reader));
        if (value < 0)
            return refuse(reader, digits == 2   ? "\\x takes 2 hexadecimal digits"
                                  : digits == 4 ? "\\u takes 4 hexadecimal digits"
                                                : "\\U takes 8 hexadecimal digits");
        code = code << 4 | (uint32_t)value;
    }
    if (code >= 0xd800 && code <= 0xdfff)
        return refuse(reader, "half a surrogate pair is no character; a key that has one is given "
                              "by its bytes, with -k or as a pointer");
    if (code > 0x10ffff)
        return refuse(reader, "there is no such character");
    put_utf8(reader, code);
    return 0;
}

/* The reader stands behind the backslash. */
static int read_escape(struct reader *reader)
{
    static const char letters[] = "btnfre\"\\", bytes[] = "\b\t\n\f\r\x1b\"\\";
    char letter = peek(reader);
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (found) {
        *reader->out++ = bytes[found - letters];
        reader->at++;
        return 0;
    }
    if (letter != 'x' && letter != 'u' && letter != 'U')
        return refuse(reader, "no such escape: there are \\\" \\\\ \\b \\t \\n \\f \\r \\e \\xHH "
                              "\\uHHHH \\UHHHHHHHH; '...' has none");
    reader->at++;
    return read_code(reader, letter == 'x' ? 2 : letter == 'u' ? 4 : 8);
}

static int read_quoted(struct reader *reader, char quote)
{
    const char *key = reader->out;
    reader->at++;
    for (;;) {
        char byte = peek(reader);
        if (reader->at == reader->end)
            return refuse(reader, "the closing quote is missing");
        if (((unsigned char)byte < ' ' && byte != '\t') || byte == '\x7f')
            return refuse(reader, "a control character is written as an escape, in \"...\"");
        reader->at++;
        if (byte == quote)
            break;
        int rc = 0;
        if (byte == '\\' && quote == '"')
            rc = read_escape(reader);
        else
            *reader->out++ = byte;
        if (rc < 0)
            return rc;
    }
    add_key(reader, STEP_KEY, key, NULL, 0);
    return 0;
}

static int read_key(struct reader *reader)
{
    char byte = peek(reader);
    return byte == '"' || byte == '\'' ? read_quoted(reader, byte) : read_bare(reader);
}

/* false: the text is no index, or one that no array has. */
static bool read_number(const char *text, const char *end, int64_t *ret_index)
{
    bool below = text < end && *text == '-';
    text += below;
    if (text == end || (*text == '0' && (below || end - text > 1)))
        return false;
    int64_t index = 0;
    for (; text < end; text++) {
        int digit = *text - '0';
        if (digit < 0 || digit > 9 || index > (INT64_MAX - digit) / 10)
            return false;
        index = index * 10 + digit;
    }
    *ret_index = below ? -index : index;
    return true;
}

static int read_index(struct reader *reader)
{
    const char *open = reader->at;
    const char *close = memchr(open, ']', (size_t)(reader->end - open));
    struct step step = {.kind = STEP_INDEX, .typed = open};
    if (!close)
        return refuse_index(reader);
    if (close - open == 2 && open[1] == '+')
        step.kind = STEP_APPEND;
    else if (!read_number(open + 1, close, &step.index))
        return refuse_index(reader);
    reader->at = close + 1;
    step.typed_size = (size_t)(reader->at - open);
    add_step(reader, step);
    return 0;
}

static int refuse_empty(const struct reader *reader)
{
    error_detail(reader->error, "the key is empty: leave it out to mean the whole document; a key "
                                "without a name is typed as two quotes, \"\"");
    return error_fail(reader->error, UNTORN_INVALID, NULL);
}

static int read_dotted(struct reader *reader)
{
    skip_blanks(reader);
    bool dot = peek(reader) == '.';
    reader->at += dot;
    skip_blanks(reader);
    if (reader->at == reader->end)
        return refuse_empty(reader);
    int rc = peek(reader) == '[' ? read_index(reader) : read_key(reader);
    while (rc == 0) {
        skip_blanks(reader);
        if (reader->at == reader->end)
            return 0;
        if (*reader->at == '[') {
            rc = read_index(reader);
            continue;
        }
        if (*reader->at != '.')
            return refuse_key(reader);
        reader->at++;
        skip_blanks(reader);
        rc = read_key(reader);
    }
    return rc;
}

int keypath_parse(const char *text, struct arena *arena, struct keypath *ret_path,
                  struct untorn_error *error)
{
    size_t size = strlen(text);
    if (text[0] == '/')
        return keypath_pointer(text, size, arena, ret_path, error);
    size_t steps = 1 + count_of(text, size, '.') + count_of(text, size, '[');
    struct reader reader;
    int rc = begin(&reader, text, size, steps, arena, ret_path, error);
    if (rc == 0)
        rc = check_utf8(&reader, false);
    if (rc < 0)
        return rc;
    ret_path->makes_parents = true;
    return read_dotted(&reader);
}

/* ---- pointers and segments ---- */

static int read_segment(struct reader *reader)
{
    const char *key = reader->out;
    for (; reader->at < reader->end && *reader->at != '/'; reader->at++) {
        char byte = *reader->at;
        if (byte == '~') {
            reader->at++;
            if (peek(reader) != '0' && peek(reader) != '1')
                return refuse(reader, "in a JSON Pointer ~ is written ~0, and / inside a key ~1");
            byte = *reader->at == '0' ? '~' : '/';
        }
        *reader->out++ = byte;
    }
    add_key(reader, STEP_EITHER, key, NULL, 0);
    return 0;
}

int keypath_pointer(const char *text, size_t size, struct arena *arena, struct keypath *ret_path,
                    struct untorn_error *error)
{
    struct reader reader;
    int rc = begin(&reader, text, size, 1 + count_of(text, size, '/'), arena, ret_path, error);
    if (rc == 0)
        rc = check_utf8(&reader, true);
    if (rc == 0 && size > 0 && *reader.at != '/')
        return refuse(&reader, "a JSON Pointer begins with /, or is empty for the whole document");
    while (rc == 0 && reader.at < reader.end) {
        reader.at++;
        rc = read_segment(&reader);
    }
    return rc;
}

int keypath_segments(const char *const *segments, size_t count, struct arena *arena,
                     struct keypath *ret_path, struct untorn_error *error)
{
    *ret_path = (struct keypath){.makes_parents = true};
    if (count >= SIZE_MAX / 2 / sizeof *ret_path->steps)
        return no_memory(error);
    ret_path->steps = arena_take(arena, (count + 1) * sizeof *ret_path->steps);
    if (!ret_path->steps)
        return no_memory(error);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(segments[i]);
        const char *key = arena_copy(arena, segments[i], size);
        if (!key)
            return no_memory(error);
        struct reader reader = {.start = key, .at = key, .end = key + size, .error = error};
        int rc = check_utf8(&reader, true);
        if (rc < 0)
            return rc;
        ret_path->steps[ret_path->count++] =
            (struct step){.kind = STEP_EITHER, .key = key, .key_size = size};
    }
    return 0;
}

int keypath_of_edit(const struct untorn_edit *edit, struct arena *arena, struct keypath *ret_path,
                    struct untorn_error *error)
{
    if (edit->key)
        return keypath_parse(edit->key, arena, ret_path, error);
    return keypath_segments(edit->segments, edit->segment_count, arena, ret_path, error);
}
