#!/bin/bash
# Wherever a commit is killed: what --repair says is what the files are then.
source "$TESTS/cli/lib.sh"
faultat=$BUILD/tests/faultat
[ -x "$faultat" ] || { echo 'faultat is not built' && exit 77; }
"$faultat" --count -- true >/dev/null 2>&1 || { echo 'tracing is forbidden' && exit 77; }

echo new >new
begin() {
    rm -rf one two
    mkdir one two
    echo old >one/a && echo old >two/b
}
begin
"$faultat" --trace log --count -- untorn commit one/a=new two/b=new >/dev/null
calls=$(awk -F '\t' '($3 ~ /write|sync/ && $4 ~ /\/slot$/) || $3 ~ /^rename/ { print $1 }' log)

finished=0 back=0
for call in $calls; do
    begin
    expect 137 "$faultat" --kill-before "$call" -- untorn commit one/a=new two/b=new
    expect 0 untorn check --repair .
    mv out said
    case $(sort -u one/a two/b) in
    old)
        ! grep 'finished: a commit' said || fail "old, before call $call"
        ! grep -q 'taken back: a commit .*; no file was changed' said || back=$((back + 1))
        ;;
    new)
        ! grep 'taken back: a commit' said || fail "new, before call $call"
        ! grep -q 'finished: a commit' said || finished=$((finished + 1))
        ;;
    *) fail "mixed, before call $call" ;;
    esac
done
[ $finished -gt 0 ] && [ $back -gt 0 ] || fail "finished $finished, taken back $back"
