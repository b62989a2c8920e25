#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 0 untorn append log < <(echo one)
printf 'two' | untorn append log
printf 'three\nfour\n' | untorn append log
[ "$(cat log)" = 'one
two
three
four' ] || fail "$(cat log)"
[ ! -s out ] && [ ! -s err ] || fail 'success is silent'
