#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

faultat=$BUILD/tests/faultat
[ -x "$faultat" ] || { echo 'faultat is not built' && exit 77; }

echo text >file
status=0
"$faultat" --only close --match out --fail 1 --errno EIO -- untorn read file >out 2>err || status=$?
[ "$status" = 1 ] || fail "status $status"
grep -qx 'untorn: standard output: Input/output error' err || fail "$(cat err)"
