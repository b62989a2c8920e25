#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

exec 8>lock
flock 8
expect 6 untorn write --wait 0.1 --lock-file lock file < <(echo new)
[ ! -e file ] || fail 'written without the lock'
flock -u 8
echo new | untorn write --wait 0.1 --lock-file lock file
[ "$(cat file)" = new ] && [ ! -s lock ] || fail "line $LINENO"
