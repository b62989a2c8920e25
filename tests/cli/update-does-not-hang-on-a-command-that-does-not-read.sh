#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

head -c 3000000 /dev/zero >file
untorn update file -- echo new
[ "$(cat file)" = new ]
