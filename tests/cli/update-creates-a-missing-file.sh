#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

untorn update file -- sh -c 'wc -c'
[ "$(cat file)" = 0 ]
