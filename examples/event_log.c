/* Adds events to a log of JSON lines that many processes write:
 *
 *     event_log FILE.jsonl NAME...
 *
 * Every record is whole, on a line of its own, and on the disk when untorn_append returns 0. A
 * record that a crash tore is kept aside by the next append, which says so in its flags. */
#include <stdio.h>
#include <time.h>

#include <untorn.h>

int main(int argc, char **argv)
{
    struct untorn_error error;
    char record[512], text[UNTORN_TEXT_SIZE];
    if (argc < 3) {
        fprintf(stderr, "usage: event_log FILE.jsonl NAME...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        int size = snprintf(record, sizeof record, "{\"time\":%lld,\"event\":\"%s\"}\n",
                            (long long)time(NULL), argv[i]);
        if (size < 0 || (size_t)size >= sizeof record) {
            fprintf(stderr, "event_log: the name %d is too long\n", i - 1);
            return 1;
        }
        /* The name ends with .jsonl, so each line is checked to be JSON: a quote in NAME is
         * refused here, not found by a reader a year later. */
        if (untorn_append(argv[1], record, (size_t)size, UNTORN_RECORDS_BY_NAME, NULL, &error)) {
            fprintf(stderr, "event_log: %s\n", untorn_describe(&error, text, sizeof text));
            return untorn_status_exit_code(error.status);
        }
        if (error.flags & UNTORN_FLAG_TAIL_KEPT)
            fprintf(stderr, "event_log: a torn record was found and kept: %s\n", error.detail);
    }
    return 0;
}
