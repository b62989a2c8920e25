#!/bin/bash
# What was kept aside is not cleared up by --repair: the first message names what does.
source "$TESTS/cli/lib.sh"
printf '{"n":' >s.json
echo '{"n":1}' | untorn write s.json 2>/dev/null
expect 4 untorn check
grep -qxF 'untorn: .: 1 left (to give up what was kept: untorn check --repair --abandon)' err ||
    fail "$(cat err)"
expect 0 untorn check --repair --abandon
expect 0 untorn check

printf '{"n":' >t.json
expect 4 untorn read --last-good t.json
grep -q '; no earlier version that is whole is kept$' err || fail "$(cat err)"
expect 3 untorn undo t.json
grep -q 'none is kept' err || fail "$(cat err)"
expect 3 untorn restore t.json 1
grep -q 'none is kept' err || fail "$(cat err)"
expect 3 untorn show s.json 2
grep -q 'no version 2' err || fail "$(cat err)"
