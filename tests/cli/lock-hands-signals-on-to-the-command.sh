#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

for signal in TERM HUP INT; do
    rm -f ready
    # A shell starts what runs in the background with SIGINT ignored; job control does not.
    set -m
    untorn lock file -- bash -c "trap 'echo got-$signal; exit 9' $signal
        : >ready
        for i in {1..1000}; do sleep 0.01; done" >out &
    set +m
    await test -e ready
    kill -$signal $!
    status=0
    wait $! || status=$?
    [ "$status" = 9 ] || fail "$signal: status $status"
    [ "$(cat out)" = got-$signal ] || fail "$signal: $(cat out)"
done
