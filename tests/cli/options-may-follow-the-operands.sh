#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo new | untorn write file --mode 600
[ "$(stat -c %a file)" = 600 ] || fail "mode $(stat -c %a file)"
