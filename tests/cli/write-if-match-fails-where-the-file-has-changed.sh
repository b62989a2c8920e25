#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo one >file
seen=$(untorn hash file)
echo two | untorn write --if-match "$seen" file
expect 5 untorn write --if-match "$seen" file < <(echo three)
[ "$(cat file)" = two ]
grep -q '^untorn: file: the file is not the version you expected' err || fail "$(cat err)"
expect 5 untorn write --if-match "$seen" missing < <(echo three)
[ ! -e missing ]
