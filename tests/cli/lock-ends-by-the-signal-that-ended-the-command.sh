#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

untorn lock file -- sh -c ': >ready; exec sleep 30' &
await test -e ready
kill -TERM $!
status=0
wait $! || status=$?
[ "$status" = 143 ] || fail "status $status"
