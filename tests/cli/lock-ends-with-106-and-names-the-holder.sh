#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

untorn lock file -- sh -c ': >ready; sleep 30' &
await test -e ready
expect 106 untorn lock --wait 0.05 file -- echo ran
[ ! -s out ] || fail 'the command ran'
line="^untorn: file: the lock was not obtained in time: .*pid $! on .* since .*untorn lock"
grep -qE "$line" err || fail "$(cat err)"
kill $!
