#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

seq 1 2000 >file
seq 3001 5000 >new
untorn write --dry-run file new >out
sed -n 3p out | grep -qxF -- '@@ -1,2000 +1,2000 @@' || fail "$(head -3 out)"
[ "$(wc -l <out)" = 4003 ]
