#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

printf 'one' >log
echo two | untorn append --report log | jq -e '.flags == ["tail-ended"]' >/dev/null
[ "$(cat log)" = 'one
two' ] || fail "$(cat log)"
