#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo one >file
untorn update file -- sh -c '
    [ -e once ] || { : >once; echo two >new; mv new file; }
    sed s/^/seen-/'
[ "$(cat file)" = seen-two ] || fail "$(cat file)"
