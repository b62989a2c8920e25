#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
# The command ignores the signal and succeeds; a process group of its own stands for the terminal.
set -m
untorn update file -- sh -c 'trap "" INT; : >ready; sleep 0.3; echo new' &
pid=$!
await test -e ready
kill -INT -- -"$pid"
status=0
wait "$pid" || status=$?
[ "$status" = 130 ] || fail "status $status"
[ "$(cat file)" = old ]
