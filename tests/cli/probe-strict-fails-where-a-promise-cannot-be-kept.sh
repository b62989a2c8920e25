#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 1 untorn probe --strict /proc/self
expect 0 untorn probe /proc/self
grep -qE '^writable +no' out || fail "$(cat out)"
grep -q -- --state-dir out || fail "$(cat out)"
