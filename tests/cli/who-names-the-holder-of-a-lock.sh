#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

untorn lock file -- untorn who file >out
grep -qE '^pid [0-9]+ on [^ ]+ since 20[0-9-]+ [0-9:]+ UTC: .*untorn lock file -- untorn who file$' out ||
    fail "$(cat out)"
