#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
cat >busy <<'S'
. "$TESTS/cli/lib.sh"
unset UNTORN_LOCK
for words in 'write file new' 'update file -- echo new' 'append file'; do
    expect 6 untorn --wait 0 $words < <(echo new)
    grep -q '^untorn: file: the lock was not obtained in time: .*pid ' err ||
        fail "$words: $(cat err)"
done
expect 6 untorn write --wait 0 file </dev/null
expect 6 untorn write --report --wait 0 file new
jq -e '.status == "LOCKED" and .exit == 6' out || fail "$(cat out)"
S
echo new >new
untorn lock file -- bash -e busy
[ "$(cat file)" = old ]
