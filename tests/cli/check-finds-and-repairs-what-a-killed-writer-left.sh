#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

mkfifo pipe
untorn write file <pipe &
exec 8>pipe
echo part >&8

await test -n "$(ls -A)"
head -c 300000 /dev/zero >&8
await sh -c 'ls .untorn/stage | grep -q .'
kill -KILL $!
wait $! 2>/dev/null || true
exec 8>&-
expect 4 untorn check
line='^file: a version that was never finished; its writer is gone \(\.untorn/stage/.* bytes\)$'
grep -qE "$line" out || fail "$(cat out)"
[ "$(cat err)" = 'untorn: .: 1 left (to clear up: untorn check --repair)' ] || fail "$(cat err)"
expect 4 untorn check --report "$PWD/file"
head -1 out | jq -e --arg file "$PWD/file" '.verb == "check" and .path == $file and
    .found == "stage" and .file == $file and (.repaired | not) and .size > 0'
expect 0 untorn check --repair file
grep -qE '^file: removed: a version that was never finished' out || fail "$(cat out)"
expect 0 untorn check
[ ! -s out ] && [ ! -s err ] || fail "line $LINENO"
