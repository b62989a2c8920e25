#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
head -c 80000000 /dev/zero >large
cp large log
ulimit -v 60000
expect 1 untorn update file -- cat large
grep -q '^untorn: file: cannot collect what cat prints: Cannot allocate memory; the file is' err ||
    fail "$(cat err)"
expect 1 untorn append file <large
grep -q '^untorn: standard input: Cannot allocate memory (file is unchanged)' err ||
    fail "$(cat err)"
expect 1 untorn hash - <large
[ "$(cat file)" = old ]
