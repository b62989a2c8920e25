/* untorn: save plain files so that nothing is lost.
 *
 * One include for everything. The headers go from what most programs need to what few need;
 * each one is enough to use its part:
 *
 *   untorn/write.h    replace a file, whole or not at all (one call, or streaming)
 *   untorn/read.h     read a file, whole
 *   untorn/update.h   lock, re-read, change, replace: the read-modify-write that loses nothing
 *   untorn/document.h edit JSON and TOML as text: comments and order stay
 *   untorn/store.h    a value that is created when first asked for; state in one document
 *   untorn/config.h   configuration in scopes: who wins, and a write that goes to one file
 *   untorn/transaction.h  several files that change together: all or none
 *   untorn/history.h  earlier versions: look at them, undo
 *   untorn/verdict.h  whole, missing, empty, truncated, ... and the last good version
 *   untorn/append.h   add records to a log without torn or fused lines
 *   untorn/lock.h     hold the lock across work of your own; who holds it
 *   untorn/hash.h     the content hash behind `if_match`
 *   untorn/probe.h    what a directory's file system really gives
 *   untorn/check.h    leftovers and unfinished writes: find them, finish them
 *   untorn/options.h  the options that all calls share
 *   untorn/error.h    what a call reports beyond its return value
 *   untorn/status.h   the list of outcomes
 *
 * Every call returns an int: below 0 it failed and the old content certainly stays, 0 it is done,
 * above 0 it is not settled (see untorn/status.h). All functions may be called from any thread.
 */
#ifndef UNTORN_H
#define UNTORN_H

#include <untorn/append.h>
#include <untorn/check.h>
#include <untorn/config.h>
#include <untorn/document.h>
#include <untorn/error.h>
#include <untorn/hash.h>
#include <untorn/history.h>
#include <untorn/lock.h>
#include <untorn/options.h>
#include <untorn/probe.h>
#include <untorn/read.h>
#include <untorn/status.h>
#include <untorn/store.h>
#include <untorn/transaction.h>
#include <untorn/update.h>
#include <untorn/verdict.h>
#include <untorn/version.h>
#include <untorn/write.h>

#endif
