#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
untorn write --allow-empty file </dev/null
[ -e file ] && [ ! -s file ] || fail "line $LINENO"
