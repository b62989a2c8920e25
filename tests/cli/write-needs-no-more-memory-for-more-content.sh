#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

head -c 150000000 /dev/zero >source
ulimit -v 60000
untorn write --level cache file source
cmp file source
