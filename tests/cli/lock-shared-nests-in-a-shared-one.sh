#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo text >file
untorn lock -s file -- untorn lock -s file -- untorn lock -s file -- \
    untorn read file >out || fail "status $?"
[ "$(cat out)" = text ] || fail 'the command did not run'
untorn lock file -- untorn lock -s file -- untorn lock -s file -- true || fail "inside: $?"

# What writes is refused at once, however deep.
for command in 'untorn lock file -- true' 'untorn set --string file.json a b' \
    'untorn write file /dev/null'; do
    echo '{}' >file.json
    timeout 5 untorn lock -s file file.json -- untorn lock -s file file.json -- $command 2>err &&
        fail "$command inside a shared lock"
    grep -q 'while holding a shared one' err || fail "$(cat err)"
done
[ "$(cat file)" = text ] || fail 'it was written'
