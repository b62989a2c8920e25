#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 3 untorn check nothing
[ "$(cat err)" = 'untorn: nothing: no such file' ] || fail "$(cat err)"
expect 3 untorn check nothing/
[ "$(cat err)" = 'untorn: nothing/: no such directory' ] || fail "$(cat err)"
expect 3 untorn check --repair --report . nothing
jq -se 'last | .failed == 1 and .exit == 3' out >/dev/null || fail "$(cat out)"

# What was left of a file that is gone can still be asked for.
printf '{"n":1}\n{"n":' >log.jsonl
expect 0 untorn append log.jsonl < <(echo '{"n":2}')
rm log.jsonl
expect 4 untorn check log.jsonl
expect 0 untorn check --repair --abandon log.jsonl
expect 3 untorn check log.jsonl
