#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

for i in 1 2 3 4 5; do echo $i | untorn write --keep 3 file; done
[ "$(untorn log file | wc -l)" = 3 ] || fail "$(untorn log file)"
[ "$(untorn show file)$(untorn show file 2)$(untorn show file 3)" = 432 ] || fail order
untorn diff file 3 | grep -qx -- -2 || fail "$(untorn diff file 3)"
untorn restore --keep 3 file 2
[ "$(cat file)$(untorn show file 1)" = 35 ] || fail restore
[ "$(untorn log --report file | jq -r .version | tr '\n' ' ')" = "1 2 3 " ] || fail report
untorn show file 9 2>/dev/null && fail "a version that is not there"
[ $? -eq 3 ] || true
echo 6 | untorn write --keep 0 file
[ -z "$(untorn log file)" ] || fail "not erased"
