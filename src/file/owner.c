#include "file/owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/pathtext.h"
#include "file/batch.h"
#include "file/io.h"
#include "file/registry.h"

enum { WAITING = LIMIT_OWNER_RECORD, STAGES, APPENDED, ALL = BATCH_PLACE + BATCH_SIZE };

static char *add_number(char *end, const char *key, uint64_t number)
{
    char digits[21] = "", *first = digits + sizeof digits - 1;
    do
        *--first = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return path_add(path_add(path_add(end, key), first), "\n");
}

static char *add_text(char *end, const char *key, const char *text)
{
    return path_add(path_add(path_add(end, key), text), "\n");
}

/* Its size, the NUL included. */
static size_t make_record(char record[LIMIT_OWNER_RECORD])
{
    struct os_process self;
    _Static_assert(sizeof self.boot + sizeof self.host + sizeof self.command + 128 <
                       LIMIT_OWNER_RECORD,
                   "a record always has room");
    registry_self(&self);
    char *end = add_number(record, "pid ", (uint64_t)self.pid);
    end = add_number(end, "start ", self.start);
    end = add_text(end, "boot ", self.boot);
    end = add_text(end, "host ", self.host);
    end = add_number(end, "since ", (uint64_t)os_wall_clock());
    end = add_text(end, "command ", self.command);
    return (size_t)(end - record) + 1;
}

static void take_text(const char *record, const char *key, char *text, size_t size)
{
    size_t length = strlen(key);
    text[0] = '\0';
    for (const char *line = record; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && line[length] == ' ') {
            snprintf(text, size, "%.*s", (int)strcspn(line + length + 1, "\n"), line + length + 1);
            return;
        }
    }
}

/* Whether the older record was made since the system started. */
static bool is_of_this_boot(char *old, int64_t known, const char *record)
{
    char boot[40], own_boot[40];
    old[known < 0 ? 0 : known < LIMIT_OWNER_RECORD ? known : LIMIT_OWNER_RECORD] = '\0';
    take_text(old, "boot", boot, sizeof boot);
    take_text(record, "boot", own_boot, sizeof own_boot);
    return *boot && strcmp(boot, own_boot) == 0;
}

uint64_t owner_area_place(void)
{
    return OWNER_AREA + os_user() % OWNER_AREAS * OWNER_AREA_SIZE;
}

static void take_hints(const char *bytes, int64_t known, struct owner_hints *ret_hints)
{
    const unsigned char *batches = (const unsigned char *)bytes + BATCH_PLACE;
    int64_t area = (int64_t)owner_area_place();
    *ret_hints = (struct owner_hints){
        .stages = known > STAGES && bytes[STAGES] == 's',
        .area = known > area && bytes[area] != '\0',
        .batch = known > BATCH_PLACE && batch_is_open(batches, (size_t)known - BATCH_PLACE),
    };
}

void owner_write(os_fd lock_file, struct owner_hints *ret_hints)
{
    char record[LIMIT_OWNER_RECORD], now[ALL];
    size_t size = make_record(record);
    /* Often it is there already, and a read is cheaper than a write that must reach the disk. */
    int64_t known = os_read_at(lock_file, now, sizeof now, 0);
    take_hints(now, known, ret_hints);
    if (known >= (int64_t)size && memcmp(now, record, size) == 0)
        return;
    (void)io_write(lock_file, record, size, 0); /* a full disk is no reason not to lock */
    if (ret_hints->stages || is_of_this_boot(now, known, record))
        return;
    owner_note_stages(lock_file, true); /* a power loss may have taken the hint, not the stage */
    ret_hints->stages = true;
}

bool owner_may_be(os_fd lock_file)
{
    static const char begin[] = {'p', 'i', 'd', ' '}, zeros[sizeof begin];
    char bytes[sizeof begin] = {0};
    int64_t n = io_read(lock_file, bytes, sizeof bytes, 0);
    return n >= 0 &&
           (memcmp(bytes, begin, (size_t)n) == 0 || memcmp(bytes, zeros, sizeof zeros) == 0);
}

static long long take_number(const char *record, const char *key)
{
    char text[32];
    take_text(record, key, text, sizeof text);
    return strtoll(text, NULL, 10);
}

/* Whoever may write the lock file may write anything into it. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}

void owner_read(os_fd lock_file, struct untorn_holder *ret_holder)
{
    char record[LIMIT_OWNER_RECORD + 1] = "";
    struct os_process process = {0};
    int64_t n = io_read(lock_file, record, LIMIT_OWNER_RECORD, 0);
    record[n < 0 ? 0 : n] = '\0';
    process.pid = take_number(record, "pid");
    process.start = (uint64_t)take_number(record, "start");
    take_text(record, "boot", process.boot, sizeof process.boot);
    ret_holder->pid = process.pid;
    ret_holder->since = take_number(record, "since");
    take_text(record, "host", ret_holder->host, sizeof ret_holder->host);
    take_text(record, "command", ret_holder->command, sizeof ret_holder->command);
    make_printable(ret_holder->host);
    make_printable(ret_holder->command);
    ret_holder->alive = os_is_alive(&process);
}

/* Of the Gregorian calendar, in UTC. The C library's gmtime is not safe among threads. */
static void format_time(int64_t seconds, char *text, size_t size)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t day = seconds / 86400, second = seconds % 86400, year = 1970;
    int month = 0;
    if (seconds <= 0 || seconds > 253402300799) { /* the end of the year 9999 */
        snprintf(text, size, "an unknown time");
        return;
    }
    for (;; year++) {
        bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        if (day < 365 + leap) {
            for (; day >= lengths[month] + (month == 1 && leap); month++)
                day -= lengths[month] + (month == 1 && leap);
            break;
        }
        day -= 365 + leap;
    }
    snprintf(text, size, "%04d-%02d-%02d %02d:%02d:%02d UTC", (int)year, month + 1, (int)day + 1,
             (int)(second / 3600), (int)(second / 60 % 60), (int)(second % 60));
}

void owner_describe(const struct untorn_holder *holder, char *text, size_t size)
{
    char since[64];
    format_time(holder->since, since, sizeof since);
    if (holder->pid <= 0)
        snprintf(text, size, "held by a process that left no name");
    else
        snprintf(text, size, "held by pid %lld%s on %s since %s: %s", (long long)holder->pid,
                 holder->alive ? "" : " (gone; something it started holds on)", holder->host, since,
                 holder->command);
}

void owner_announce_waiting(os_fd lock_file)
{
    (void)os_write_at(lock_file, "w", 1, WAITING); /* a courtesy, nothing more */
}

bool owner_take_waiting(os_fd lock_file)
{
    char byte = 0;
    if (os_read_at(lock_file, &byte, 1, WAITING) != 1 || byte != 'w')
        return false;
    (void)os_write_at(lock_file, "", 1, WAITING);
    return true;
}

static void note(os_fd lock_file, uint64_t place, char wanted)
{
    char byte = '\0';
    (void)os_read_at(lock_file, &byte, 1, place);
    if (byte != wanted)
        (void)os_write_at(lock_file, &wanted, 1, place);
}

void owner_note_stages(os_fd lock_file, bool some)
{
    note(lock_file, STAGES, some ? 's' : '\0');
}

void owner_note_appended(os_fd lock_file, bool flushed)
{
    note(lock_file, APPENDED, flushed ? 'f' : '\0');
}

bool owner_appended_is_flushed(os_fd lock_file)
{
    char byte = '\0';
    return os_read_at(lock_file, &byte, 1, APPENDED) == 1 && byte == 'f';
}
