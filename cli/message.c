#include "message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "limits.h"
#include "progress.h"
#include "system.h"

static size_t escape_byte(unsigned char byte, char *escaped)
{
    static const char digits[] = "0123456789abcdef";
    escaped[0] = '\\';
    switch (byte) {
    case '\n':
        escaped[1] = 'n';
        return 2;
    case '\r':
        escaped[1] = 'r';
        return 2;
    case '\t':
        escaped[1] = 't';
        return 2;
    default:
        escaped[1] = 'x';
        escaped[2] = digits[byte >> 4];
        escaped[3] = digits[byte & 15];
        return 4;
    }
}

/* U+0080 to U+009F are C2 80 to C2 9F in UTF-8; terminals obey them as they obey ESC. */
static bool is_c1(const unsigned char *text)
{
    return text[0] == 0xc2 && text[1] >= 0x80 && text[1] <= 0x9f;
}

size_t escape_controls(const char *text, char *escaped, size_t size)
{
    const unsigned char *byte = (const unsigned char *)text;
    size_t used = 0;
    for (; *byte && used + 9 <= size; byte++) {
        if (is_c1(byte)) {
            used += escape_byte(byte[0], escaped + used);
            used += escape_byte(byte[1], escaped + used);
            byte++;
        } else if (*byte < 0x20 || *byte == 0x7f) {
            used += escape_byte(*byte, escaped + used);
        } else {
            escaped[used++] = (char)*byte;
        }
    }
    if (size > 0)
        escaped[used] = '\0';
    return used;
}

void message(const char *format, ...)
{
    static const char prefix[] = "untorn: ";
    char text[CLI_TEXT], line[sizeof prefix + 4 * CLI_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(line, prefix, sizeof prefix);
    size_t size = sizeof prefix - 1;
    size += escape_controls(text, line + size, sizeof line - size - 1);
    line[size++] = '\n';
    progress_hide();
    /* Nobody is left to tell when standard error itself fails. */
    (void)system_write(SYSTEM_MESSAGES, line, size);
}

void message_excerpt(const char *excerpt)
{
    char line[CLI_TEXT], escaped[4 * CLI_TEXT];
    while (*excerpt) {
        size_t length = strcspn(excerpt, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, excerpt);
        size_t size = escape_controls(line, escaped, sizeof escaped - 1);
        escaped[size++] = '\n';
        (void)system_write(SYSTEM_MESSAGES, escaped, size);
        excerpt += length + (excerpt[length] == '\n');
    }
}
