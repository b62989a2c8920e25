#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo first | untorn write --exclusive file
expect 5 untorn write --exclusive file < <(echo second)
[ "$(cat file)" = first ]
expect 5 untorn write --exclusive file </dev/null
grep -q '^untorn: file: the file exists already' err || fail "$(cat err)"
