#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"
. "$TESTS/cli/lib-half-way.sh"

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
