#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
: >source
untorn write file source
[ -e file ] && [ ! -s file ] || fail "line $LINENO"
