#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

head -c 1000000 /dev/urandom >source
untorn write file source
cmp file source
