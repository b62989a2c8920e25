#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

status=0
echo new | untorn write --report file >/dev/full 2>err || status=$?
[ "$status" = 7 ] || fail "status $status"
[ "$(cat file)" = new ]
[ "$(cat err)" = 'untorn: standard output: No space left on device' ] || fail "$(cat err)"
