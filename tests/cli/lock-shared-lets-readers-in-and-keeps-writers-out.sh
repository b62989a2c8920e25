#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo text >file
untorn lock -s file -- sh -c '
    env -u UNTORN_LOCK untorn lock --shared --wait 0.05 file -- true || exit 1
    echo new | env -u UNTORN_LOCK untorn write --wait 0.05 file
    [ $? = 6 ] || exit 2
    echo new | untorn write --wait 0.05 file
    [ $? = 1 ] || exit 3
' 2>err || fail "status $?: $(cat err)"
