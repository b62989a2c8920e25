#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

printf '{"n":1}\n{"n":' >log.jsonl
expect 0 untorn append --report log.jsonl < <(echo '{"n":2}')
jq -e '.flags == ["tail-kept"]' out
grep -q '^untorn: log.jsonl: note: a torn last record was cut' err || fail "$(cat err)"
[ "$(cat log.jsonl)" = '{"n":1}
{"n":2}' ] || fail "$(cat log.jsonl)"
expect 4 untorn check
grep -qE '^log.jsonl: a torn record that an append cut; kept \(.*, 5 bytes\)$' out ||
    fail "$(cat out)"
expect 4 untorn check --repair log.jsonl
grep -q 'untorn check --repair --abandon' err || fail "$(cat err)"
expect 0 untorn check --repair --abandon .
grep -q '^log.jsonl: given up: ' out || fail "$(cat out)"
expect 0 untorn check
