#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 3 untorn hash missing
[ ! -s out ]
