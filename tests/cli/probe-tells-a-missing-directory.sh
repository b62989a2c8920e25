#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 3 untorn probe no-such-directory
grep -q '^untorn: no-such-directory: ' err || fail "$(cat err)"
