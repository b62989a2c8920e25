#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/place.h"
#include "text/write.h"

enum { SMALLEST = 64 };

/* Room for `more` bytes and the NUL. */
static bool reserve(struct buffer *buffer, size_t more)
{
    if (buffer->failed)
        return false;
    if (buffer->room - buffer->size > more)
        return true;
    size_t room = buffer->room < SMALLEST ? SMALLEST : buffer->room;
    bool fits = more < SIZE_MAX / 4 && buffer->size < SIZE_MAX / 4;
    while (fits && room - buffer->size <= more)
        room *= 2;
    char *data = fits ? realloc(buffer->data, room) : NULL;
    buffer->failed = !data;
    if (!data)
        return false;
    buffer->data = data;
    buffer->room = room;
    return true;
}

void buffer_add(struct buffer *buffer, const char *text, size_t size)
{
    if (!reserve(buffer, size))
        return;
    if (size > 0)
        memcpy(buffer->data + buffer->size, text, size);
    buffer->size += size;
    buffer->data[buffer->size] = '\0';
}

void buffer_text(struct buffer *buffer, const char *text)
{
    buffer_add(buffer, text, strlen(text));
}

void buffer_repeat(struct buffer *buffer, char byte, size_t count)
{
    if (!reserve(buffer, count))
        return;
    memset(buffer->data + buffer->size, byte, count);
    buffer->size += count;
    buffer->data[buffer->size] = '\0';
}

void buffer_align(struct buffer *buffer, size_t start, size_t column)
{
    size_t width = buffer->failed ? column : text_width(buffer->data + start, buffer->size - start);
    if (width < column)
        buffer_repeat(buffer, ' ', column - width);
}

void buffer_escape(struct buffer *buffer, uint32_t code)
{
    static const char digits[] = "0123456789abcdef";
    bool wide = code > 0xffff;
    buffer_text(buffer, wide ? "\\U" : "\\u");
    for (int shift = wide ? 28 : 12; shift >= 0; shift -= 4)
        buffer_add(buffer, &digits[code >> shift & 15], 1);
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}

/* The bytes of a surrogate as UTF-8 would have it, if it were allowed. */
static bool is_surrogate(const unsigned char *at, size_t size)
{
    return size >= 3 && at[0] == 0xed && at[1] >= 0xa0 && at[1] <= 0xbf && at[2] >= 0x80 &&
           at[2] <= 0xbf;
}

size_t character_at(const char *text, size_t size, uint32_t *ret_code)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = utf8_length(text, size);
    if (length == 0 && is_surrogate(at, size))
        length = 3;
    uint32_t code = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (at[i] & 0x3fu);
    *ret_code = length > 0 ? code : 0xfffd;
    return length > 0 ? length : 1;
}
