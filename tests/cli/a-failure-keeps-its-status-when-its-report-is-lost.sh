#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
status=0
echo new | untorn write --report --exclusive file >/dev/full 2>err || status=$?
[ "$status" = 5 ] || fail "status $status"
