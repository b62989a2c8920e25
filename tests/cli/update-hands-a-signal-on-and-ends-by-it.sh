#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
untorn update file -- sh -c ': >ready; exec sleep 30' &
pid=$!
await test -e ready
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
[ "$status" = 143 ] || fail "status $status"
[ "$(cat file)" = old ]
untorn update --wait 0 file -- echo new || fail 'the lock is still held'
