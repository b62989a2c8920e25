#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

untorn lock file -- sh -c 'echo $$ >pid; : >ready; exec sleep 30' &
await test -e ready
kill -KILL $!
wait $! 2>/dev/null || true
expect 6 untorn write --wait 0.05 file < <(echo new)
kill "$(cat pid)"
echo new | untorn write --wait 5 file
