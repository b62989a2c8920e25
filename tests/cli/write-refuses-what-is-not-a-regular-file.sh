#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

mkdir directory
expect 4 untorn write directory < <(echo new)
grep -q '^untorn: directory: not a regular file' err || fail "$(cat err)"
