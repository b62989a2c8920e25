#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 0 untorn probe
[ "$(grep -cE '^[a-zA-Z ]{16} (yes|no )  ' out)" = 12 ] || fail "$(cat out)"
grep -q '^file system' out
expect 0 untorn probe .
[ "$(ls -A | tr '\n' ' ')" = 'err out ' ] || fail "something was left: $(ls -A)"
