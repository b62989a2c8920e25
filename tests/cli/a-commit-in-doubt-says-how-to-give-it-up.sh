#!/bin/bash
# A commit was killed, and the directory that knows whether it counts is away: other files are saved
# as ever, and for other commits in that directory the message names the command that helps.
source "$TESTS/cli/lib.sh"
faultat=$BUILD/tests/faultat
[ -x "$faultat" ] || { echo 'faultat is not built' && exit 77; }
"$faultat" --count -- true >/dev/null 2>&1 || { echo 'tracing is forbidden' && exit 77; }

for i in 1 2 3; do echo "new $i" >"new $i"; done
doubt() {
    local call=1
    rm -rf one two away
    mkdir one two
    echo 'old a' >one/a && echo 'old b' >two/b
    while "$faultat" --kill-before $call -- untorn commit one/a='new 1' two/b='new 2'
        [ $? = 137 ]; do
        mv one away
        untorn check --report two | grep -q '"found":"in-doubt"' && return
        mv away one
        call=$((call + 1))
    done
    fail 'no crash left it in doubt'
}

doubt
expect 1 untorn write two/b 'new 3'
echo saved | untorn write two/alone
expect 1 untorn commit two/c='new 1' two/d='new 2'
grep -q "only $PWD/one knows whether it counts" err || fail "$(cat err)"
[ ! -e two/c ] || fail 'committed in spite of it'
expect 4 untorn check two
grep -qxF 'untorn: two: 1 left (bring back what is named, or give the commit up: '\
'untorn check --repair --abandon)' err || fail "$(cat err)"
expect 4 untorn check --repair two
grep -q '^two/b: .* while the directory that knows, or its journal, is away: one (' out ||
    fail "$(cat out)"
expect 1 untorn write two/b 'new 3'
command=$(sed -n 's/.*: untorn \(check --repair --abandon .*\)$/\1/p' err)
[ "$command" = "check --repair --abandon $PWD/two/b" ] || fail "no command: $command"

# shellcheck disable=SC2086 # words of a command
untorn $command >/dev/null
untorn check two/b # once is enough
untorn commit two/c='new 1' two/d='new 2'
[ "$(cat two/b two/c two/d two/alone)" = "$(printf '%s\n' 'old b' 'new 1' 'new 2' saved)" ]
ls two/.untorn/kept | grep -q '^givenup-b' || fail 'the evidence is gone'

doubt
mv away one # or it comes back
untorn commit two/c='new 2' two/d='new 1'
case $(cat one/a two/b) in
"old a
old b" | "new 1
new 2") ;;
*) fail "mixed: $(cat one/a two/b)" ;;
esac
