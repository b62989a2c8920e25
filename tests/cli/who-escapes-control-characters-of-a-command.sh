#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

untorn lock file -- sh -c 'untorn who file' $'\033[31m' $'two\nlines' >out
[ "$(wc -l <out)" = 1 ] || fail "$(cat out)"
! grep -q $'\033' out || fail 'an escape character'
