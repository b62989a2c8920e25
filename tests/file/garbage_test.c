/* Random bytes and mutations wherever untorn reads something of its own: no crash, and the user's
 * files stay what they were. The same cases every time. */
#include "harness.h"

#include <sys/file.h>

#include <untorn.h>

#include "file/interpose.h"
#include "file/journal.h"
#include "file/support.h"
#include "text/json.h"

#define TARGET "d/target"
#define JOURNAL "d/.untorn/inplace/target"
#define BEGUN "nld" /* "old", with the first byte of "newest" */

static struct untorn_error error;
static struct untorn_options options = {.level = UNTORN_CACHE, .wait_ms = UNTORN_TRY_ONCE};
static uint64_t state = 20260713;

static uint32_t random_below(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % limit);
}

static void fill(char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (char)random_below(256);
}

/* A few bytes changed, cut off, repeated or replaced. Returns the new size. */
static size_t mutate(char *data, size_t size, size_t room)
{
    for (uint32_t i = random_below(4) + 1; i > 0; i--) {
        size_t at = size ? random_below((uint32_t)size) : 0;
        switch (random_below(6)) {
        case 0:
            if (size)
                data[at] = (char)(data[at] ^ 1 << random_below(8));
            break;
        case 1:
            if (size)
                data[at] = (char)random_below(256);
            break;
        case 2:
            size = at;
            break;
        case 3:
            if (size < room)
                data[size++] = (char)random_below(256);
            break;
        case 4:
            fill(data + at, (size - at) / 2);
            break;
        default:
            if (size)
                memset(data + at, random_below(2) ? 0 : 0xff, (size - at) / 3);
        }
    }
    return size;
}

static int look(void *context, const struct untorn_content *old, struct untorn_change *change)
{
    (void)context, (void)old, (void)change;
    return 0;
}

static void make_scene(void)
{
    flushes_are_skipped = true;
    work_in_memory();
    make_dir("d", 0755);
    put("victim", "victim");
    put("d/other", "other");
    put(TARGET, "old");
}

static void check_bystanders(void)
{
    CHECK_TEXT(text_of("victim"), "victim");
    CHECK_TEXT(text_of("d/other"), "other");
    CHECK_INT(count_entries("d", ""), 3);
    CHECK_INT(count_entries(".", ""), 2);
}

/* ---- journals ---- */

static void sign(char *head)
{
    struct untorn_hash check = untorn_hash(head, 496);
    memcpy(head + 496, check.bytes, sizeof check.bytes);
}

static size_t make_journal(char *bytes)
{
    struct journal journal = {.active = true,
                              .sequence = 7,
                              .own_inode = stat_of(JOURNAL).st_ino,
                              .target_inode = stat_of(TARGET).st_ino,
                              .old_size = 3,
                              .new_size = 6,
                              .old_hash = untorn_hash("old", 3),
                              .new_hash = untorn_hash("newest", 6),
                              .name = "target"};
    journal_encode(&journal, (unsigned char *)bytes);
    memcpy(bytes + JOURNAL_HEAD, "oldnewest", 9);
    return JOURNAL_HEAD + 9;
}

/* The target is what it was, or what a journal that was still whole says. */
static void check_target(void)
{
    struct untorn_content content;
    CHECK_INT(untorn_read(TARGET, NULL, &content, &error), 0);
    CHECK(strcmp(content.data, "old") == 0 || strcmp(content.data, BEGUN) == 0);
    untorn_content_free(&content);
    int rc = untorn_update(TARGET, look, NULL, &options, &error);
    CHECK_INT(rc, 0);
    CHECK_TEXT(text_of(TARGET), error.flags & UNTORN_FLAG_RECOVERED ? "newest" : BEGUN);
    check_bystanders();
}

TEST(mutated_journals_do_no_harm)
{
    static char bytes[JOURNAL_HEAD + 64];
    struct untorn_options in_place = {.keep_inode = true, .level = UNTORN_CACHE};
    int finished = 0;
    make_scene();
    for (int i = 0; i < 2500; i++) {
        if (!exists(JOURNAL))
            CHECK_INT(untorn_write(TARGET, "old", 3, &in_place, &error), 0);
        put(TARGET, BEGUN);
        size_t size = make_journal(bytes);
        if (i % 25)
            size = mutate(bytes, size, sizeof bytes);
        if (i % 2 && size >= JOURNAL_HEAD)
            sign(bytes);
        put_bytes(JOURNAL, bytes, size);
        check_target();
        finished += (error.flags & UNTORN_FLAG_RECOVERED) != 0;
    }
    CHECK(finished >= 100); /* those that were left whole: the scene is right */
    CHECK(finished < 1000);
}

TEST(journals_of_random_bytes_do_no_harm)
{
    static char bytes[2000];
    struct untorn_options in_place = {.keep_inode = true, .level = UNTORN_CACHE};
    make_scene();
    CHECK_INT(untorn_write(TARGET, BEGUN, 3, &in_place, &error), 0);
    for (int i = 0; i < 500; i++) {
        size_t size = random_below(sizeof bytes);
        fill(bytes, size);
        if (i % 2 && size >= JOURNAL_HEAD) {
            make_journal(bytes);
            fill(bytes + 16, 480);
            bytes[16] = 1;
            memset(bytes + 17, 0, 3);
            sign(bytes);
        }
        put_bytes(JOURNAL, bytes, size);
        check_target();
        CHECK(!(error.flags & UNTORN_FLAG_RECOVERED));
    }
    CHECK_INT(untorn_write(TARGET, "overwritten", 11, &in_place, &error), 0);
    CHECK_TEXT(text_of(TARGET), "overwritten");
}

/* ---- lock files ---- */

TEST(lock_files_of_any_bytes_still_lock)
{
    static char bytes[3000];
    struct untorn_holder holder;
    make_scene();
    CHECK_INT(untorn_write(TARGET, "old", 3, &options, &error), 0);
    for (int i = 0; i < 600; i++) {
        size_t size = random_below(sizeof bytes);
        fill(bytes, size);
        if (i % 2) {
            size =
                (size_t)snprintf(bytes, sizeof bytes,
                                 "pid %d\nstart 1\nboot x\nhost h\nsince 1\ncommand c\n", getpid());
            size = mutate(bytes, size, sizeof bytes);
        }
        put_bytes("d/.untorn/lock/target", bytes, size);
        int theirs = open("d/.untorn/lock/target", O_RDONLY);
        CHECK_INT(flock(theirs, LOCK_EX), 0);
        CHECK_INT(untorn_who(TARGET, NULL, &holder, &error), 0);
        CHECK(holder.held);
        CHECK(memchr(holder.host, 0, sizeof holder.host));
        CHECK(memchr(holder.command, 0, sizeof holder.command));
        if (i % 20 == 0) {
            CHECK_INT(untorn_write(TARGET, "x", 1, &options, &error), -UNTORN_LOCKED);
            for (const char *c = error.detail; *c; c++)
                CHECK((unsigned char)*c >= ' ' && *c != 127);
        }
        close(theirs);
        CHECK_INT(untorn_update(TARGET, look, NULL, &options, &error), 0);
        CHECK_TEXT(text_of(TARGET), "old");
        check_bystanders();
    }
}

/* ---- format files ---- */

static void write_new(void *context)
{
    (void)context;
    int rc = untorn_write(TARGET, "new", 3, &options, &error);
    CHECK(rc == 0 || rc == -UNTORN_NEWER_FORMAT);
    CHECK_TEXT(text_of(TARGET), rc == 0 ? "new" : "old");
}

/* By a new process each time: one that has seen the format once does not look again. */
TEST(format_files_of_any_bytes_are_taken_or_refused)
{
    char bytes[64];
    int taken = 0, refused = 0;
    make_scene();
    CHECK_INT(untorn_write(TARGET, "old", 3, &options, &error), 0);
    for (int i = 0; i < 600; i++) {
        size_t size = random_below(sizeof bytes);
        fill(bytes, size);
        if (i % 2) {
            memcpy(bytes, "1\n", 2);
            size = mutate(bytes, 2, sizeof bytes);
        }
        if (i % 7 == 0)
            size = (size_t)snprintf(bytes, sizeof bytes, "%u", random_below(5));
        put_bytes("d/.untorn/format", bytes, size);
        put(TARGET, "old");
        in_child(write_new, NULL);
        bool written = strcmp(text_of(TARGET), "new") == 0;
        taken += written;
        refused += !written;
        check_bystanders();
    }
    CHECK(taken > 50 && refused > 50);
}

/* ---- kept entries and stages ---- */

static void count_findings(void *context, const struct untorn_finding *finding)
{
    CHECK(strlen(finding->name) <= 255);
    CHECK(!strchr(finding->name, '/'));
    ++*(int *)context;
}

/* A name that is nearly an entry; never one that the file system refuses. */
static void random_name(char *name, const char *kind)
{
    int size = snprintf(name, 256, "%s%s.%08x%08x", kind, random_below(3) ? "target" : "x",
                        random_below(UINT32_MAX), random_below(UINT32_MAX));
    if (random_below(2))
        size = (int)mutate(name, (size_t)size, 200);
    name[size] = '\0';
    for (int i = 0; i < size; i++)
        if (name[i] == '/' || name[i] == '\0')
            name[i] = '_';
    if (size == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        strcpy(name, "x");
}

TEST(entries_of_any_name_and_content_do_no_harm)
{
    static const char *const folders[] = {"stage", "kept", "inplace", "lock"};
    char name[256], path[512], bytes[700];
    int findings = 0;
    size_t still_open;
    make_scene();
    CHECK_INT(untorn_write(TARGET, "old", 3, &options, &error), 0);
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "d/.untorn/%s", folders[i]);
        if (!exists(path))
            make_dir(path, 0755);
    }
    for (int i = 0; i < 400; i++) {
        random_name(name, i % 3 == 0 ? "tail-" : i % 3 == 1 ? "conflict-" : "");
        snprintf(path, sizeof path, "d/.untorn/%s/%s", folders[i % 4], name);
        size_t size = random_below(sizeof bytes);
        fill(bytes, size);
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (file >= 0) {
            CHECK_INT(write(file, bytes, size), size);
            close(file);
        }
        struct untorn_check what = {
            .repair = i % 2, .abandon = i % 4 == 3, .found = count_findings, .context = &findings};
        CHECK_INT(untorn_check(i % 5 ? "d" : TARGET, &what, &options, &still_open, &error), 0);
        CHECK_INT(untorn_update(TARGET, look, NULL, &options, &error), 0);
        CHECK_TEXT(text_of(TARGET), "old");
        check_bystanders();
    }
    CHECK(findings > 50);
}

/* ---- the environment ---- */

TEST(whatever_stands_in_the_environment_the_lock_holds)
{
    char value[300];
    make_scene();
    for (int i = 0; i < 1500; i++) {
        size_t size = (size_t)snprintf(value, sizeof value, "%u:%u:%u:x,%u:%u:%u:s",
                                       random_below(20), random_below(9999), random_below(99999),
                                       random_below(20), random_below(9999), random_below(99999));
        size = mutate(value, size, sizeof value - 1);
        value[size] = '\0';
        CHECK_INT(setenv(UNTORN_LOCK_VARIABLE, value, 1), 0);
        struct untorn_lock *lock = NULL;
        CHECK_INT(untorn_lock(TARGET, UNTORN_LOCK_EXCLUSIVE, &options, &lock, &error), 0);
        int theirs = open("d/.untorn/lock/target", O_RDONLY);
        CHECK_INT(flock(theirs, LOCK_EX | LOCK_NB), -1);
        close(theirs);
        untorn_unlock(lock);
    }
}

/* ---- text ---- */

TEST(json_of_any_bytes_is_judged)
{
    static const char seed[] =
        "{\"a\":[1,-2.5e+3,true,false,null],\"\\u00e9\\n\":{\"b\":\"\xf0\x9f\x98"
        "\x80\"}}";
    int valid = 0;
    for (int i = 0; i < 20000; i++) {
        char *text = malloc(sizeof seed + 8);
        memcpy(text, seed, sizeof seed - 1);
        size_t size = mutate(text, sizeof seed - 1, sizeof seed + 8), position = 0;
        char *exact = malloc(size ? size : 1); /* so that a sanitizer sees a byte too many */
        memcpy(exact, text, size);
        valid += json_is_valid(exact, size, &position);
        CHECK(position <= size);
        free(exact);
        free(text);
    }
    CHECK(valid > 100 && valid < 15000);
}
