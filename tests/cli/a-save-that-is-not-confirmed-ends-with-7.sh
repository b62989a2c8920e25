#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

faultat=$BUILD/tests/faultat
[ -x "$faultat" ] || { echo 'faultat is not built' && exit 77; }

echo older >file
echo old >old
echo new >new
untorn write file old # which makes the folders that are flushed once
expect 7 "$faultat" --only fsync --fail 2 --errno EIO -- untorn write --report file new
[ "$(cat file)" = new ]
grep -q '^untorn: file: saved and visible, but not confirmed on the disk' err || fail "$(cat err)"
jq -e '.status == "UNSETTLED_FLUSH" and .exit == 7 and .hash and .message' out
expect 1 "$faultat" --only fsync --fail 1 --errno EIO -- untorn write file file
grep -q '^untorn: file: input/output error' err || fail "$(cat err)"
