#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo '{"n":1}' | untorn append log.jsonl
expect 4 untorn append log.jsonl < <(echo 'not JSON')
grep -q '^untorn: log.jsonl: ' err || fail "$(cat err)"
expect 4 untorn append --records jsonl log < <(echo 'not JSON')
echo 'not JSON' | untorn append --records text log.jsonl
[ "$(cat log.jsonl)" = '{"n":1}
not JSON' ] || fail "$(cat log.jsonl)"
