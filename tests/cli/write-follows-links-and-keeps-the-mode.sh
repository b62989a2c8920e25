#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

mkdir real
echo old >real/file
chmod 640 real/file
ln -s real/file second
ln -s second first
echo new | untorn write first
[ -L first ] && [ -L second ] || fail 'a link is gone'
[ "$(cat real/file)" = new ] || fail "$(cat real/file)"
[ "$(stat -c %a real/file)" = 640 ] || fail "mode $(stat -c %a real/file)"
