#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >real
ln -s real link
echo new | untorn write --symlink replace link
[ ! -L link ] && [ "$(cat link)" = new ] && [ "$(cat real)" = old ] || fail "line $LINENO"
