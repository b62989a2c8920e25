#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo 0 >counter
for writer in 1 2 3 4 5 6 7 8; do
    for turn in 1 2 3 4 5 6 7 8 9 10; do
        untorn update --level cache --wait 60 counter -- awk '{ print $1 + 1 }'
    done &
done
wait
[ "$(cat counter)" = 80 ] || fail "$(cat counter) of 80"
