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
[ "$(untorn read file)" = old ] || fail 'not the version before'
expect 4 untorn check file
grep -qE '^file: an overwrite in place that stopped half way \(.*, 4 bytes\)$' out ||
    fail "$(cat out)"
expect 4 untorn check --report .
jq -es 'map(.found) | index("unfinished")' out >/dev/null || fail "$(cat out)"
expect 0 untorn check --repair .
grep -q '^file: finished: an overwrite in place that stopped half way' out || fail "$(cat out)"
[ "$(cat file)" = new ] && [ "$(untorn read file)" = new ] || fail "line $LINENO"
