#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 4 untorn append --report log.jsonl < <(printf '{"n":1}\n{"n":}\n')
jq -e '.status == "DAMAGED" and .position == 13' out || fail "$(cat out)"
