#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

untorn lock file -- sh -c 'sleep 30 >/dev/null 2>&1 & echo $!' >pid
expect 6 untorn write --wait 0.05 file < <(echo new)
expect 0 untorn who file
grep -q 'gone; something it started holds the lock' out || fail "$(cat out)"
kill "$(cat pid)"
echo new | untorn write --wait 5 file
