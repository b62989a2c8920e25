#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

seq 1 3000 >file
sed -e 17d -e '100s/$/x/' -e '200a new' -e 2999d file >new
untorn write --dry-run file new | grep -c '^[-+]' >ours
diff -u file new | grep -c '^[-+]' >theirs
cmp ours theirs
