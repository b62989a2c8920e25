#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

(
    trap '' HUP
    exec untorn lock file -- sh -c ': >ready; sleep 0.2; echo whole'
) >out &
await test -e ready
kill -HUP $!
wait $! || fail "status $?"
[ "$(cat out)" = whole ]
