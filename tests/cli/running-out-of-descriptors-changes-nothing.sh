#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
done=0
for ((descriptors = 5; descriptors < 40; descriptors++)); do
    status=0
    (
        ulimit -n $descriptors
        untorn update file -- echo new
    ) >out 2>err || status=$?
    case $status$(cat file) in
    0new)
        done=$((done + 1))
        echo old >file
        ;;
    1old) [ -s err ] || fail "$descriptors descriptors: no message" ;;
    *) fail "$descriptors descriptors: status $status, file $(cat file)" "$(cat err)" ;;
    esac
done
[ $done -gt 5 ] || fail "done $done times"
