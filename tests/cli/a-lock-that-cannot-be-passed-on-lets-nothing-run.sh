#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
UNTORN_LOCK=$(printf '9:1:1:x,%.0s' {1..5000})
export UNTORN_LOCK
expect 101 untorn lock file -- echo ran
[ "$(cat err)" = 'untorn: file: cannot pass the lock on: too large' ] || fail "$(cat err)"
[ ! -s out ] || fail 'the command ran'
expect 1 untorn update file -- echo new
[ "$(cat err)" = 'untorn: file: cannot pass the lock on: too large' ] || fail "$(cat err)"
[ "$(cat file)" = old ]
