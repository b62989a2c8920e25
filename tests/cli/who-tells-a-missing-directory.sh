#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 3 untorn who no/such/file
grep -q '^untorn: no/such/file: ' err || fail "$(cat err)"
