#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >a
echo new >source
wrong=00000000000000000000000000000000
expect 2 untorn commit --if-match a=$wrong --if-match a="$(untorn hash a)" a=source
grep -q "^untorn: commit: --if-match 'a=.*' is the second for its TARGET" err || fail "$(cat err)"
[ "$(cat a)" = old ] || fail 'changed'
