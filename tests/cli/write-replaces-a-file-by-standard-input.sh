#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
printf 'new\nwithout newline' >wanted
expect 0 untorn write file <wanted
cmp file wanted
[ ! -s out ] && [ ! -s err ] || fail 'success is silent'
