/* untorn_uuid: 122 random bits as RFC 9562 spells them. */
#include <untorn/store.h>

#include "os/os.h"

int untorn_uuid(char ret_text[UNTORN_UUID_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[16];
    char *at = ret_text;
    *ret_text = '\0';
    if (os_random(bytes, sizeof bytes) < 0)
        return -UNTORN_FAILED;
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40); /* version 4 */
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80); /* the variant that says so */
    for (size_t i = 0; i < sizeof bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *at++ = '-';
        *at++ = digits[bytes[i] >> 4];
        *at++ = digits[bytes[i] & 15];
    }
    *at = '\0';
    return 0;
}
