#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

faultat=$BUILD/tests/faultat
[ -x "$faultat" ] || { echo 'faultat is not built' && exit 77; }

# Stops an overwrite in place after its last byte and before it is settled.
stop_half_way() {
    local call
    echo old | untorn write --keep-inode file
    "$faultat" --trace log --count -- untorn write --keep-inode file new
    call=$(awk -F '\t' -v path="$PWD/file" '$3 == "fsync" && $4 == path { print $1 }' log | head -1)
    echo old | untorn write --keep-inode file
    expect 137 "$faultat" --kill-before "$call" -- untorn write --keep-inode file new
}
echo new >new
echo first >file
untorn write --keep-inode file new

stop_half_way
echo foreign >file
expect 0 untorn write --report file < <(echo newer)
[ "$(cat err)" = 'untorn: file: note: an unfinished write met content it did not know; both'\
' versions are kept (untorn check)' ] || fail "$(cat err)"
jq -e '.flags | index("conflict-kept")' out
[ "$(cat file)" = newer ]
expect 4 untorn check --repair
grep -q '^file: an overwrite in place that met content it did not know; kept (' out ||
    fail "$(cat out)"
expect 0 untorn check --repair --abandon
grep -q '^file: given up: an overwrite in place that met content it did not know (' out ||
    fail "$(cat out)"
expect 0 untorn check
