#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo new | untorn write -5
[ "$(cat ./-5)" = new ] || fail 'no file of the name -5'
