#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo new | untorn write -- --report
[ "$(cat ./--report)" = new ] || fail 'no file of the name --report'
