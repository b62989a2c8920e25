#include "output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "limits.h"
#include "message.h"
#include "progress.h"
#include "system.h"

static char waiting[32 * 1024];
static size_t waiting_size;
static int first_error;
static bool used;

static void write_out(const char *data, size_t size)
{
    progress_hide();
    while (size > 0 && first_error == 0) {
        int64_t count = system_write(SYSTEM_OUTPUT, data, size);
        if (count >= 0) {
            data += count;
            size -= (size_t)count;
        } else {
            first_error = (int)-count;
        }
    }
}

static void flush(void)
{
    write_out(waiting, waiting_size);
    waiting_size = 0;
}

void output_bytes(const void *data, size_t size)
{
    used = true;
    if (size > sizeof waiting - waiting_size)
        flush();
    if (size > sizeof waiting) {
        write_out(data, size);
        return;
    }
    if (size > 0)
        memcpy(waiting + waiting_size, data, size);
    waiting_size += size;
}

bool output_now(const void *data, size_t size)
{
    used = true;
    flush();
    write_out(data, size);
    return first_error == 0;
}

void output_text(const char *text)
{
    output_bytes(text, strlen(text));
}

void output_format(const char *format, ...)
{
    char text[CLI_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    output_text(text);
}

void output_escaped(const char *text)
{
    char escaped[4 * CLI_TEXT];
    output_bytes(escaped, escape_controls(text, escaped, sizeof escaped));
}

static bool continues(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* The length of the UTF-8 sequence that starts here, 0 if it is none: cut short, longer than it
 * need be, a surrogate, or beyond U+10FFFF. The final NUL continues nothing, so no byte behind it
 * is looked at. */
static size_t utf8_length(const unsigned char *text)
{
    unsigned char lead = text[0];
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || !continues(text[1]))
        return 0;
    if (lead < 0xe0)
        return 2;
    if ((lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] >= 0xa0) ||
        !continues(text[2]))
        return 0;
    if (lead < 0xf0)
        return 3;
    if ((lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] >= 0x90) || lead > 0xf4 ||
        !continues(text[3]))
        return 0;
    return 4;
}

void output_json_text(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    output_text("\"");
    while (*byte) {
        size_t length = utf8_length(byte);
        if (length == 0)
            output_format("\\udc%02x", *byte);
        else if (*byte < 0x20 || *byte == 0x7f)
            output_format("\\u%04x", *byte);
        else if (*byte == '"' || *byte == '\\')
            output_format("\\%c", *byte);
        else
            output_bytes(byte, length);
        byte += length ? length : 1;
    }
    output_text("\"");
}

bool output_colour(void)
{
    const char *never = system_variable("NO_COLOR");
    return !(never && *never) && system_obeys(SYSTEM_OUTPUT);
}

int output_finish(void)
{
    flush();
    int error = used ? system_close(SYSTEM_OUTPUT) : 0;
    return first_error != 0 ? first_error : error;
}
