#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

mkdir real
printf '{"n":' >real/log.jsonl
ln -s real/log.jsonl link
echo 1 | untorn append --records jsonl link
expect 4 untorn check link
kept=$(sed -n 's/.*kept (\(.*\), 5 bytes)$/\1/p' out)
[ "$(cat "$kept")" = '{"n":' ] || fail "$(cat out)"
expect 4 untorn check real/
kept=$(sed -n 's/.*kept (\(.*\), 5 bytes)$/\1/p' out)
[ "$(cat "$kept")" = '{"n":' ] || fail "$(cat out)"
