#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

head -c 500000 /dev/urandom >large
untorn update - -- cat <large | cmp - large
