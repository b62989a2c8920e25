#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
untorn update --allow-empty file -- true
[ -e file ] && [ ! -s file ]
untorn update file -- cat
