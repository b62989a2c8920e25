#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

untorn lock file -- untorn who file >out
line='^pid [0-9]+ on [^ ]+ since 20[0-9-]+ [0-9:]+ UTC: .*untorn lock file -- untorn who file$'
grep -qE "$line" out || fail "$(cat out)"
