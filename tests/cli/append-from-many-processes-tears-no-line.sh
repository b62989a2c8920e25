#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

for writer in 1 2 3 4 5 6 7 8; do
    for turn in 1 2 3 4 5; do
        printf '{"writer":%d,"turn":%d}\n' $writer $turn |
            untorn append --level cache --wait 60 log.jsonl
    done &
done
wait
jq -s length log.jsonl
[ "$(jq -s length log.jsonl)" = 40 ]
