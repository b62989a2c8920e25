#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
before=$(stat -c %i file)
echo new | untorn write --keep-inode file
[ "$(stat -c %i file)" = "$before" ] && [ "$(cat file)" = new ] || fail "line $LINENO"
