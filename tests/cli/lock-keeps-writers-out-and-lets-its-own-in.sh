#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

untorn lock a b -- sh -c '
    echo in | untorn write --wait 0.05 a || exit 1
    untorn update --wait 0.05 b -- echo in || exit 2
    untorn lock --wait 0.05 b a -- true || exit 3
    untorn lock --wait 0.05 c -- sh -c "echo inner | untorn write --wait 0.05 a" || exit 4
    echo out | env -u UNTORN_LOCK untorn write --wait 0.05 a
    [ $? = 6 ] || exit 5
' 2>err || fail "status $?: $(cat err)"
[ "$(cat a b)" = 'inner
in' ]
