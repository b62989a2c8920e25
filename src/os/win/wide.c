/* Names: from UTF-8 to UTF-16 and back, and which of them are refused. */
#include "os/win/win.h"

#include <errno.h>
#include <string.h>

/* One character of WTF-8; 0 and an advance of 0 where there is none. */
static uint32_t read_character(const unsigned char *text, size_t *ret_size)
{
    static const unsigned char firsts[] = {0, 0, 0xC0, 0xE0, 0xF0};
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = text[0] < 0x80   ? 1
                  : text[0] < 0xC2 ? 0
                  : text[0] < 0xE0 ? 2
                  : text[0] < 0xF0 ? 3
                  : text[0] < 0xF5 ? 4
                                   : 0;
    *ret_size = size;
    if (size <= 1)
        return text[0];
    uint32_t character = text[0] ^ firsts[size];
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            *ret_size = 0;
            return 0;
        }
        character = character << 6 | (text[i] & 0x3F);
    }
    if (character < least[size] || character > 0x10FFFF)
        *ret_size = 0;
    return character;
}

/* Those no name may have; a colon would name a stream of the file. */
static bool is_forbidden(uint32_t character)
{
    return character < ' ' || (character < 0x80 && strchr("<>:\"|?*", (int)character));
}

static bool begins_with(const char *name, size_t size, const char *word)
{
    size_t length = strlen(word);
    return size >= length && _strnicmp(name, word, length) == 0;
}

/* Names of devices, in every directory and whatever comes behind a dot: CON, nul.txt, COM1. */
static bool is_device(const char *name, size_t size)
{
    static const char *const devices[] = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"};
    size_t stem = 0;
    while (stem < size && name[stem] != '.')
        stem++;
    while (stem > 0 && name[stem - 1] == ' ')
        stem--;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (stem == strlen(devices[i]) && begins_with(name, stem, devices[i]))
            return true;
    bool numbered = begins_with(name, stem, "COM") || begins_with(name, stem, "LPT");
    return numbered && ((stem == 4 && name[3] >= '0' && name[3] <= '9') ||
                        (stem == 5 && (name[3] & 0xFF) == 0xC2 && /* superscripts 1, 2, 3 */
                         ((name[4] & 0xFF) == 0xB9 || (name[4] & 0xFE & 0xFF) == 0xB2)));
}

static bool is_refused(const char *name, size_t size)
{
    bool dots = (size == 1 && name[0] == '.') || (size == 2 && strncmp(name, "..", 2) == 0);
    if (size == 0 || dots)
        return false;
    return name[size - 1] == '.' || name[size - 1] == ' ' || is_device(name, size);
}

static bool has_refused(const char *path)
{
    for (;; path++) {
        size_t size = strcspn(path, "/\\");
        if (is_refused(path, size))
            return true;
        path += size;
        if (!*path)
            return false;
    }
}

int win_utf16(const char *text, wchar_t *wide, size_t size)
{
    size_t count = 0, step;
    for (const unsigned char *at = (const unsigned char *)text; *at; at += step) {
        uint32_t character = read_character(at, &step);
        if (step == 0)
            return -EINVAL;
        if (count + 2 >= size)
            return -ENAMETOOLONG;
        if (character >= 0x10000) {
            wide[count++] = (wchar_t)(0xD7C0 + (character >> 10));
            character = 0xDC00 | (character & 0x3FF);
        }
        wide[count++] = (wchar_t)character;
    }
    wide[count] = L'\0';
    return (int)count;
}

int win_wide(const char *name, wchar_t *wide, size_t size)
{
    int count = has_refused(name) ? -EINVAL : win_utf16(name, wide, size);
    for (int i = 0; i < count; i++) {
        if (is_forbidden(wide[i]))
            return -EINVAL;
        if (wide[i] == L'/')
            wide[i] = L'\\';
    }
    return count;
}

static bool is_pair(const wchar_t *wide, size_t left)
{
    return left > 1 && (wide[0] & 0xFC00) == 0xD800 && (wide[1] & 0xFC00) == 0xDC00;
}

static size_t put_character(uint32_t character, char *text)
{
    if (character < 0x80) {
        text[0] = (char)character;
        return 1;
    }
    size_t size = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = size; i-- > 1; character >>= 6)
        text[i] = (char)(0x80 | (character & 0x3F));
    text[0] = (char)((0xF00 >> size & 0xFF) | character);
    return size;
}

int win_utf8(const wchar_t *wide, size_t count, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t character = wide[i];
        if (is_pair(wide + i, count - i))
            character = 0x10000 + ((character & 0x3FF) << 10) + (wide[++i] & 0x3FF);
        if (used + 4 >= size)
            return -ENAMETOOLONG;
        used += put_character(character, text + used);
    }
    text[used] = '\0';
    return (int)used;
}

int win_narrow(const wchar_t *wide, size_t count, char *text, size_t size)
{
    int used = win_utf8(wide, count, text, size);
    for (int i = 0; i < used; i++)
        if (text[i] == '\\')
            text[i] = '/';
    return used;
}

void win_show(const wchar_t *wide, char *text, size_t size)
{
    size_t count = wcslen(wide);
    while (win_utf8(wide, count, text, size) < 0)
        count /= 2;
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}
