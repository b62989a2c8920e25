#include "progress.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "limits.h"
#include "message.h"
#include "system.h"

static bool shown;

/* The first call only begins the wait. */
static bool is_time(void)
{
    static int64_t next;
    int64_t now = system_clock_ms();
    bool first = next == 0;
    if (!first && now < next)
        return false;
    next = now + (first ? CLI_PROGRESS_AFTER_MS : CLI_PROGRESS_EVERY_MS);
    return !first;
}

/* At most `room` bytes, and no part of a character. */
static size_t cut(const char *text, size_t size, size_t room)
{
    if (size <= room)
        return size;
    while (room > 0 && ((unsigned char)text[room] & 0xc0) == 0x80)
        room--;
    return room;
}

void progress_show(size_t count, const char *path)
{
    char text[CLI_PROGRESS_WIDTH + CLI_TEXT], escaped[4 * CLI_TEXT];
    static int possible = -1;
    if (possible < 0)
        possible = system_obeys(SYSTEM_MESSAGES);
    if (!possible || !is_time())
        return;
    escape_controls(path, escaped, sizeof escaped);
    int length = snprintf(text, sizeof text, "\r%zu file%s: %.*s", count, count == 1 ? "" : "s",
                          CLI_TEXT / 2, escaped);
    size_t size = cut(text, (size_t)length, CLI_PROGRESS_WIDTH);
    memcpy(text + size, "\033[K", 3); /* what a longer line before it left */
    (void)system_write(SYSTEM_MESSAGES, text, size + 3);
    shown = true;
}

void progress_hide(void)
{
    if (shown)
        (void)system_write(SYSTEM_MESSAGES, "\r\033[K", 4);
    shown = false;
}
