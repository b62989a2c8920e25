#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo one >file
untorn update --wait 0.5 file -- sh -c 'untorn read file; untorn hash file; untorn who file' 2>err
[ "$(wc -l <file)" = 3 ] || fail "$(cat file err)"
untorn update --wait 0.5 other -- sh -c 'echo two | untorn write --wait 0.5 file; echo three'
[ "$(cat file other)" = 'two
three' ]
