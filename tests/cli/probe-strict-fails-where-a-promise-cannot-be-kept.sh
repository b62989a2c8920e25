#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

# Nobody, not even root, can make a file here.
[ -d /sys/kernel ] || { echo 'there is no /sys' && exit 77; }
expect 1 untorn probe --strict /sys/kernel
expect 0 untorn probe /sys/kernel
grep -qE '^writable +no' out || fail "$(cat out)"
grep -qE '^lock +\?' out || fail "$(cat out)"
grep -q -- --state-dir out || fail "$(cat out)"
expect 0 untorn probe --report /sys/kernel
jq -e '.writable == false and .lock == null and .promises == false' out
