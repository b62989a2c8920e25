#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
expect 5 untorn write --report --exclusive file < <(echo new)
jq -e '.verb == "write" and .path == "file" and .status == "EXISTS" and .exit == 5 and
    .flags == [] and (has("hash") | not) and (.message | startswith("file: the file exists"))' out
[ "$(wc -l <out)" = 1 ]
