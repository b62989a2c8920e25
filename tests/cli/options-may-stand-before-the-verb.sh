#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo new | untorn --mode 600 --wait=2 write file
[ "$(stat -c %a file)" = 600 ] || fail "mode $(stat -c %a file)"
