/* power_work: the first and only program of a machine whose power is cut.
 *
 *     power_work VARIANT FIRST FILESYSTEM=DEVICE...
 *
 * Runs as init of a user-mode Linux (tests/uml). Mounts each device and changes files on all of
 * them, without end, one process for each; the number N of a round, from FIRST on, is what the
 * files then hold. Prints "ready", then "FILESYSTEM WHAT N" after each change that was
 * acknowledged: the terminal is what outlives the machine.
 *
 * VARIANT: good; or one that the judge must catch: cache (acknowledged and not flushed), apart (the
 * files of a set one after the other).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include <untorn.h>

#define WORK "/tmp"

enum { BODY_SIZE = 32 * 1024, BODY_STEP = 37, BODY_LINES = 2000 };

static const char *variant;

static void fail(const char *what, const char *detail)
{
    printf("failed: %s: %s\n", what, detail);
    pause(); /* init may not end */
}

static bool is(const char *name)
{
    return strcmp(variant, name) == 0;
}

/* Lines of nothing but the number, so that any part of another version shows; the count differs
 * from round to round. */
static size_t make_body(char body[BODY_SIZE], unsigned n)
{
    size_t size = 0;
    unsigned lines = 1 + n * BODY_STEP % BODY_LINES;
    for (unsigned i = 0; i < lines && size + 16 < BODY_SIZE; i++)
        size += (size_t)sprintf(body + size, "%u\n", n);
    return size;
}

static int write_all(const char *const *paths, size_t count, const char *body, size_t size,
                     const struct untorn_options *options, struct untorn_error *error)
{
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = untorn_write(paths[i], body, size, options, error);
    return rc;
}

static int commit_all(const char *const *paths, size_t count, const char *body, size_t size,
                      const struct untorn_options *options, struct untorn_error *error)
{
    struct untorn_transaction *transaction;
    int rc = untorn_transaction_begin(options, &transaction, error);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = untorn_transaction_put(transaction, paths[i], body, size, options, error);
    if (rc == 0)
        rc = untorn_transaction_commit(transaction, error);
    untorn_transaction_free(transaction);
    return rc;
}

static void acknowledge(const char *filesystem, const char *what, unsigned n, int rc,
                        const struct untorn_error *error)
{
    char line[64];
    if (rc != 0)
        fail(what, untorn_status_name(error->status));
    int size = snprintf(line, sizeof line, "%s %s %u\n", filesystem, what, n);
    if (write(1, line, (size_t)size) != size)
        _exit(1);
}

static void work(const char *filesystem, unsigned n)
{
    static const char *const set[] = {"one/a", "one/b", "two/c"};
    const size_t members = sizeof set / sizeof set[0];
    struct untorn_options options = {.level = is("cache") ? UNTORN_CACHE : UNTORN_DURABLE};
    struct untorn_error error = {0};
    char body[BODY_SIZE], text[32];
    size_t size = make_body(body, n);

    int rc = untorn_write("single", body, size, &options, &error);
    acknowledge(filesystem, "single", n, rc, &error);

    rc = (is("apart") ? write_all : commit_all)(set, members, body, size, &options, &error);
    acknowledge(filesystem, "set", n, rc, &error);

    int length = snprintf(text, sizeof text, "{\"n\": %u}", n);
    rc = untorn_append("log.jsonl", text, (size_t)length, UNTORN_RECORDS_JSON, &options, &error);
    acknowledge(filesystem, "log", n, rc, &error);

    length = snprintf(text, sizeof text, "%u", n);
    struct untorn_edit edit = {.key = "count.n", .value = text, .value_size = (size_t)length};
    rc = untorn_edit("state.toml", &edit, 1, NULL, &options, &error);
    acknowledge(filesystem, "state", n, rc, &error);
}

static void start(char *spec, unsigned first)
{
    char point[64];
    char *device = strchr(spec, '=');
    if (!device)
        fail(spec, "not FILESYSTEM=DEVICE");
    *device++ = '\0';
    snprintf(point, sizeof point, WORK "/%s", spec);
    if (mkdir(point, 0755) < 0 || mount(device, point, spec, 0, NULL) < 0 || chdir(point) < 0)
        fail(point, strerror(errno));
    (void)mkdir("one", 0755);
    (void)mkdir("two", 0755);
    sync();
    if (fork() == 0)
        for (unsigned n = first;; n++)
            work(spec, n);
    if (chdir("/") < 0)
        fail("/", strerror(errno));
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    variant = argv[1];
    unsigned first = (unsigned)strtoul(argv[2], NULL, 10);
    (void)mount("dev", "/dev", "devtmpfs", 0, NULL); /* it may be there already */
    if (mount("proc", "/proc", "proc", 0, NULL) < 0 || mount("tmp", WORK, "tmpfs", 0, NULL) < 0)
        fail("mount", strerror(errno));
    setvbuf(stdout, NULL, _IOLBF, 0);
    /* The kernel adds words of its own behind ours. */
    for (int i = 3; i < argc && strstr(argv[i], "=/dev/ubd"); i++)
        start(argv[i], first);
    puts("ready");
    for (;;)
        pause();
}
