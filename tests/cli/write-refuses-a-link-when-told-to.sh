#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >real
ln -s real link
expect 1 untorn write --symlink refuse link < <(echo new)
[ "$(cat real)" = old ]
grep -q '^untorn: link: a symbolic link' err || fail "$(cat err)"
