#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

exec 8>lock
flock 8
expect 0 untorn who --lock-file lock file
[ "$(cat out)" = 'a process that left no name' ] || fail "$(cat out)"
