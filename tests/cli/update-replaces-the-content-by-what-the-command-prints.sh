#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo '{"n":1}' >file
expect 0 untorn update file -- jq -c '.n += 1'
[ "$(cat file)" = '{"n":2}' ]
[ ! -s out ] && [ ! -s err ] || fail 'success is silent'
