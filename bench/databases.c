/* The schemes in which a database holds the keys, each in a row of its own. */
#include "schemes.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "crowd.h"
#include "hand.h"
#include "pairs.h"

/* ---- SQLite ---- */

#if __has_include(<sqlite3.h>)
#include <sqlite3.h>

enum { BUSY_MS = 60000 };

static sqlite3 *database;
static sqlite3_stmt *statement;

static void open_sqlite(void)
{
    int rc = sqlite3_open("sqlite/state.db", &database);
    if (rc == SQLITE_OK)
        rc = sqlite3_busy_timeout(database, BUSY_MS);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(database, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;", NULL, NULL,
                          NULL);
    pairs_must(rc == SQLITE_OK, "open an SQLite database");
}

static void prepare_sqlite(void)
{
    char text[128];
    make_directory("sqlite");
    remove_if_there("sqlite/state.db");
    remove_if_there("sqlite/state.db-wal");
    remove_if_there("sqlite/state.db-shm");
    open_sqlite();
    int rc = sqlite3_exec(database,
                          "CREATE TABLE state (name INTEGER PRIMARY KEY, value INTEGER,"
                          " note TEXT); BEGIN",
                          NULL, NULL, NULL);
    for (int i = 0; rc == SQLITE_OK && i < CROWD_MOST; i++) {
        snprintf(text, sizeof text, "INSERT INTO state VALUES (%d, 0, '%048d')", i, i);
        rc = sqlite3_exec(database, text, NULL, NULL, NULL);
    }
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    pairs_must(rc == SQLITE_OK && sqlite3_close(database) == SQLITE_OK, "make an SQLite database");
}

static void update_sqlite(int number, long value)
{
    if (!statement)
        pairs_must(sqlite3_prepare_v2(database, "UPDATE state SET value = ? WHERE name = ?", -1,
                                      &statement, NULL) == SQLITE_OK,
                   "prepare a statement");
    sqlite3_bind_int64(statement, 1, value);
    sqlite3_bind_int(statement, 2, number);
    int rc = sqlite3_step(statement);
    pairs_must(rc == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK, "update in SQLite");
}

static void read_sqlite(long *values)
{
    sqlite3_stmt *query;
    open_sqlite();
    int rc =
        sqlite3_prepare_v2(database, "SELECT value FROM state ORDER BY name", -1, &query, NULL);
    pairs_must(rc == SQLITE_OK, "read from SQLite");
    for (int i = 0; i < CROWD_MOST; i++) {
        pairs_must(sqlite3_step(query) == SQLITE_ROW, "a row");
        values[i] = (long)sqlite3_column_int64(query, 0);
    }
    sqlite3_finalize(query);
    sqlite3_close(database);
}

const struct scheme scheme_sqlite = {
    .name = "sqlite",
    .peer = "SQLite, WAL, synchronous=FULL, a row for each; writers wait in its busy handler",
    .prepare = prepare_sqlite,
    .open = open_sqlite,
    .update = update_sqlite,
    .read = read_sqlite,
};
#else
static const char *missing_sqlite(void)
{
    return "libsqlite3-dev is missing";
}

const struct scheme scheme_sqlite = {.name = "sqlite", .missing = missing_sqlite};
#endif

/* ---- LMDB ---- */

#if __has_include(<lmdb.h>)
#include <lmdb.h>

static MDB_env *environment;

static void open_lmdb(void)
{
    int rc = mdb_env_create(&environment);
    if (rc == 0)
        rc = mdb_env_open(environment, "lmdb", 0, 0644);
    pairs_must(rc == 0, "open an LMDB environment");
}

/* One transaction for the keys from `first` up to `end`. */
static void put_lmdb(int first, int end, int64_t number)
{
    MDB_txn *transaction;
    MDB_dbi names;
    int rc = mdb_txn_begin(environment, NULL, 0, &transaction);
    if (rc == 0)
        rc = mdb_dbi_open(transaction, NULL, 0, &names);
    for (int i = first; rc == 0 && i < end; i++) {
        int64_t content[7] = {number}; /* and what stands for the settings of the file */
        MDB_val key = {sizeof i, &i}, value = {sizeof content, content};
        rc = mdb_put(transaction, names, &key, &value, 0);
    }
    pairs_must(rc == 0 && mdb_txn_commit(transaction) == 0, "update in LMDB");
}

static void prepare_lmdb(void)
{
    make_directory("lmdb");
    remove_if_there("lmdb/data.mdb");
    remove_if_there("lmdb/lock.mdb");
    open_lmdb();
    put_lmdb(0, CROWD_MOST, 0);
    mdb_env_close(environment);
}

static void update_lmdb(int number, long value)
{
    put_lmdb(number, number + 1, value);
}

static void read_lmdb(long *values)
{
    MDB_txn *transaction;
    MDB_dbi names;
    open_lmdb();
    int rc = mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction);
    if (rc == 0)
        rc = mdb_dbi_open(transaction, NULL, 0, &names);
    for (int i = 0; rc == 0 && i < CROWD_MOST; i++) {
        MDB_val key = {sizeof i, &i}, value;
        int64_t number = -1;
        rc = mdb_get(transaction, names, &key, &value);
        if (rc == 0)
            memcpy(&number, value.mv_data, sizeof number);
        values[i] = (long)number;
    }
    pairs_must(rc == 0, "read from LMDB");
    mdb_txn_abort(transaction);
    mdb_env_close(environment);
}

const struct scheme scheme_lmdb = {
    .name = "lmdb",
    .peer = "LMDB as it comes, every commit flushed, a key for each",
    .prepare = prepare_lmdb,
    .open = open_lmdb,
    .update = update_lmdb,
    .read = read_lmdb,
};
#else
static const char *missing_lmdb(void)
{
    return "liblmdb-dev is missing";
}

const struct scheme scheme_lmdb = {.name = "lmdb", .missing = missing_lmdb};
#endif
