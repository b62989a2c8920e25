/* Several files at once: against the same files one after the other, and against a database that
 * takes the same bytes in one transaction. */
#include <stdio.h>
#include <string.h>

#if __has_include(<sqlite3.h>)
#include <sqlite3.h>
#define HAVE_SQLITE 1
#endif

#include <untorn/transaction.h>
#include <untorn/write.h>

#include "hand.h"
#include "pairs.h"

enum { FEW = 4 };

static int many = 1000;

static const char *name_of(const char *folder, int i)
{
    static char name[64];
    snprintf(name, sizeof name, "%s/%d.json", folder, i);
    return name;
}

static void commit_keeping(int keep, const char *folder, int first, int count)
{
    struct untorn_options options = {.keep = keep};
    struct untorn_transaction *transaction;
    int rc = untorn_transaction_begin(&options, &transaction, NULL);
    for (int i = first; rc == 0 && i < first + count; i++)
        rc = untorn_transaction_put(transaction, name_of(folder, i), fresh_content(), CONTENT_SIZE,
                                    NULL, NULL);
    if (rc == 0)
        rc = untorn_transaction_commit(transaction, NULL);
    untorn_transaction_free(transaction);
    pairs_must(rc == 0, "untorn_transaction_commit");
}

static void commit(const char *folder, int first, int count)
{
    commit_keeping(0, folder, first, count);
}

static void commit_few(void)
{
    commit("set", 0, FEW);
}

static void commit_few_keeping_none(void)
{
    commit_keeping(UNTORN_KEEP_NONE, "none", 0, FEW);
}

static void replace_few(void)
{
    for (int i = 0; i < FEW; i++) {
        int rc = untorn_write(name_of("one", i), fresh_content(), CONTENT_SIZE, NULL, NULL);
        pairs_must(rc == 0, "untorn_write");
    }
}

static void replace_few_by_hand(void)
{
    for (int i = 0; i < FEW; i++)
        hand_replace("hand", "hand/temporary", name_of("hand", i), fresh_content(), CONTENT_SIZE,
                     UNTORN_DURABLE);
}

static void replace_few_together(void)
{
    hand_replace_all("least", FEW);
}

static void commit_many(void)
{
    commit("many", 0, many);
}

static void commit_many_by_few(void)
{
    for (int i = 0; i < many; i += FEW)
        commit("fews", i, FEW);
}

static void prepare(void)
{
    static const char *const folders[] = {"set", "none", "one", "hand", "least", "many", "fews"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        make_directory(folders[i]);
}

/* ---- SQLite ---- */

#ifdef HAVE_SQLITE
static sqlite3 *database;
static sqlite3_stmt *statement;

static void open_sqlite(const char *file)
{
    int rc = sqlite3_open(file, &database);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(database,
                          "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                          "CREATE TABLE IF NOT EXISTS files (name INTEGER PRIMARY KEY, data BLOB);",
                          NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(database, "REPLACE INTO files VALUES (?, ?)", -1, &statement, NULL);
    pairs_must(rc == SQLITE_OK, "open an SQLite database");
}

static void close_sqlite(void)
{
    sqlite3_finalize(statement);
    int rc = sqlite3_close(database);
    statement = NULL;
    database = NULL;
    pairs_must(rc == SQLITE_OK, "close an SQLite database");
}

static void commit_sqlite(void)
{
    int rc = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    for (int i = 0; rc == SQLITE_OK && i < FEW; i++) {
        sqlite3_bind_int(statement, 1, i);
        sqlite3_bind_blob(statement, 2, fresh_content(), CONTENT_SIZE, SQLITE_TRANSIENT);
        rc = sqlite3_step(statement) == SQLITE_DONE ? sqlite3_reset(statement) : SQLITE_ERROR;
    }
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    pairs_must(rc == SQLITE_OK, "commit to SQLite");
}

/* Its log grows to 1000 pages, about 150 of these transactions, and is written over from then on.
 * While it grows a flush notes its size in the file system's journal, too, and takes twice as long:
 * that is over soon where a database stays open, so it is over before we measure. */
static void fill_log(void)
{
    for (int i = 0; i < (pairs_is_quick() ? 1 : 400); i++)
        commit_sqlite();
}

static void prepare_sqlite(void)
{
    prepare();
    if (database)
        return;
    open_sqlite("files.db");
    fill_log();
}

/* As a program does that starts, saves and ends: who closes last removes the log. */
static void commit_sqlite_from_the_start(void)
{
    open_sqlite("once.db");
    commit_sqlite();
    close_sqlite();
}

static void prepare_sqlite_from_the_start(void)
{
    prepare();
    if (database)
        close_sqlite();
}
#endif

static const struct pairs_row rows[] = {
    {.name = "commit of 4 files",
     .peer = "untorn_write of the 4 files, one after the other",
     .prepare = prepare,
     .ours = commit_few,
     .theirs = replace_few,
     .target = 0.8},
    {.name = "commit of 4 files against by hand",
     .peer = "4 times open, write, fdatasync, rename, fsync of the directory",
     .prepare = prepare,
     .ours = commit_few,
     .theirs = replace_few_by_hand},
#ifdef HAVE_SQLITE
    {.name = "commit of 4 files against SQLite",
     .peer = "one transaction of the same bytes, WAL that is written over, synchronous=FULL",
     .prepare = prepare_sqlite,
     .ours = commit_few,
     .theirs = commit_sqlite,
     .target = 5},
    {.name = "commit of 4 files against SQLite, no version kept",
     .peer = "the same transaction",
     .prepare = prepare_sqlite,
     .ours = commit_few_keeping_none,
     .theirs = commit_sqlite,
     .target = 5},
    {.name = "4 files by hand without a journal against SQLite", /* what is left for one above */
     .peer = "the same transaction; ours: all written, 4 fdatasync, 4 renames, 1 fsync",
     .prepare = prepare_sqlite,
     .ours = replace_few_together,
     .theirs = commit_sqlite},
    {.name = "commit of 4 files against SQLite, from the start", /* ours always is */
     .peer = "the database opened, the same transaction, closed",
     .prepare = prepare_sqlite_from_the_start,
     .ours = commit_few,
     .theirs = commit_sqlite_from_the_start},
#endif
    {.name = "commit of 1000 files, per file",
     .peer = "250 commits of 4 files",
     .prepare = prepare,
     .ours = commit_many,
     .theirs = commit_many_by_few,
     .count = 7,
     .target = 1,
     .journaled = true}, /* else no flush does the work of another */
};

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--quick") == 0)
        many = 40;
    return pairs_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
