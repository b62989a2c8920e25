#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

untorn write file </dev/null
[ -e file ] && [ ! -s file ] || fail "line $LINENO"
untorn write file </dev/null
