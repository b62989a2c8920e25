#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"
. "$TESTS/cli/lib-half-way.sh"

stop_half_way
echo foreign >file
expect 0 untorn write --report file < <(echo newer)
[ "$(cat err)" = 'untorn: file: note: an unfinished write met content it did not know; both'\
' versions are kept (untorn check)' ] || fail "$(cat err)"
jq -e '.flags | index("conflict-kept")' out
[ "$(cat file)" = newer ]
expect 4 untorn check --repair
grep -q '^file: an unfinished write that met content it did not know; kept (' out ||
    fail "$(cat out)"
expect 0 untorn check --repair --abandon
grep -q '^file: given up: an unfinished write that met content it did not know (' out ||
    fail "$(cat out)"
expect 0 untorn check
