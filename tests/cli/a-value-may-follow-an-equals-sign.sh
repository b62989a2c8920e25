#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo new | untorn write --mode=600 file
[ "$(stat -c %a file)" = 600 ] || fail "mode $(stat -c %a file)"
