#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 3 untorn read missing
grep -q '^untorn: missing: no such file' err || fail "$(cat err)"
: >empty
expect 0 untorn read empty
[ ! -s out ] && [ ! -s err ] || fail "line $LINENO"
mkdir directory
expect 4 untorn read directory
grep -q '^untorn: directory: not a regular file' err || fail "$(cat err)"
