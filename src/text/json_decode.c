#include "text/json_scan.h"

#include <string.h>

static uint32_t four_digits(const char *at)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value = value << 4 | json_hex_digit(at[i]);
    return value;
}

static size_t put_utf8(char *to, uint32_t code)
{
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint32_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1; code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(lead[size] | code);
    return size;
}

/* From behind \u on; *at is moved behind the last digit of the character, or of its second half. */
static uint32_t escaped_character(const char **at, const char *end)
{
    uint32_t code = four_digits(*at);
    *at += 4;
    if (code < 0xd800 || code > 0xdfff)
        return code;
    if (code <= 0xdbff && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        uint32_t second = four_digits(*at + 2);
        if (second >= 0xdc00 && second <= 0xdfff) {
            *at += 6;
            return 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
        }
    }
    return code; /* half a character: kept, and written as the same escape again */
}

size_t json_decode(const char *raw, size_t size, char *decoded)
{
    const char *at = raw + 1, *end = raw + size - 1;
    char *to = decoded;
    while (at < end) {
        const char *escape = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((escape ? escape : end) - at);
        memcpy(to, at, plain);
        to += plain;
        at += plain;
        if (at == end)
            break;
        char what = at[1];
        at += 2;
        if (what == 'u') {
            to += put_utf8(to, escaped_character(&at, end));
            continue;
        }
        const char *spelled = "bfnrt", *found = strchr(spelled, what);
        *to++ = found ? "\b\f\n\r\t"[found - spelled] : what;
    }
    return (size_t)(to - decoded);
}
