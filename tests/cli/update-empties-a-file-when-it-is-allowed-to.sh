#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
untorn update --allow-empty file -- true
[ -e file ] && [ ! -s file ] || fail "line $LINENO"
untorn update file -- cat
