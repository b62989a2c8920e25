#include "file/owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "file/io.h"
#include "file/registry.h"

void owner_write(os_fd lock_file)
{
    char record[LIMIT_OWNER_RECORD];
    struct os_process self;
    registry_self(&self);
    int n = snprintf(record, sizeof record,
                     "pid %lld\nstart %llu\nboot %s\nhost %s\nsince %lld\ncommand %s\n",
                     (long long)self.pid, (unsigned long long)self.start, self.boot, self.host,
                     (long long)os_wall_clock(), self.command);
    if (n > 0 && (size_t)n < sizeof record)
        (void)io_write(lock_file, record, (size_t)n + 1, 0); /* for people: a full disk is no
                                                                reason not to hold the lock */
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

void owner_describe(const struct untorn_holder *holder, char *text, size_t size)
{
    char since[32] = "";
    time_t when = (time_t)holder->since;
    struct tm *utc = holder->since > 0 ? gmtime(&when) : NULL;
    if (utc)
        strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", utc);
    if (holder->pid <= 0)
        snprintf(text, size, "held by a process that left no name");
    else
        snprintf(text, size, "held by pid %lld%s on %s since %s: %s", (long long)holder->pid,
                 holder->alive ? "" : " (gone; something it started holds on)", holder->host, since,
                 holder->command);
}

void owner_announce_waiting(os_fd lock_file)
{
    (void)os_write_at(lock_file, "w", 1, LIMIT_OWNER_RECORD); /* a courtesy, nothing more */
}

bool owner_take_waiting(os_fd lock_file)
{
    char byte = 0;
    if (os_read_at(lock_file, &byte, 1, LIMIT_OWNER_RECORD) != 1 || byte != 'w')
        return false;
    (void)os_write_at(lock_file, "", 1, LIMIT_OWNER_RECORD);
    return true;
}
