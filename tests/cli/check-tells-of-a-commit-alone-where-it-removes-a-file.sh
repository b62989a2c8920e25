#!/bin/bash
# Wherever a commit is killed that makes and removes documents: once it counts, none of them is
# missing, but on its way.
source "$TESTS/cli/lib.sh"
faultat=$BUILD/tests/faultat
[ -x "$faultat" ] || { echo 'faultat is not built' && exit 77; }
"$faultat" --count -- true >/dev/null 2>&1 || { echo 'tracing is forbidden' && exit 77; }

echo '{"n":1}' >new
begin() {
    rm -rf d e
    mkdir d e
    echo '{}' >d/changed.json && echo '{}' >d/gone.json && echo text >d/gone
}
calls_of() {
    begin
    "$faultat" --trace log --count -- "$@" >/dev/null
    awk -F '\t' '($3 ~ /write|sync/ && $4 ~ /\/slot$/) || $3 ~ /^rename/ { print $1 }' log
}

commit=(untorn commit d/changed.json=new d/made.json=new --remove d/gone.json --remove d/gone)
calls=$(calls_of "${commit[@]}")
still_there=0 gone=0
for call in $calls; do
    begin
    expect 137 "$faultat" --kill-before "$call" -- "${commit[@]}"
    ! untorn check d >out 2>/dev/null || continue
    grep -q 'a commit of several files' out || continue
    for path in d d/changed.json d/made.json d/gone.json d/gone; do
        expect 4 untorn check $path
        ! grep 'no such file' err || fail "$path, before call $call"
        expect 4 untorn check --report $path
        ! grep '"verdict":"missing"' out || fail "$path, before call $call"
    done
    if [ -e d/gone.json ]; then still_there=$((still_there + 1)); else gone=$((gone + 1)); fi
    expect 0 untorn check --repair d/gone.json
    [ ! -e d/gone.json ] || fail "it is there, before call $call"
    expect 3 untorn check d/gone.json # nothing is left that would remove it
done
[ $still_there -gt 0 ] && [ $gone -gt 0 ] || fail "still there $still_there, gone $gone"

# What is taken back makes no document: that one is missing then.
commit=(untorn commit d/changed.json=new e/made.json=new)
calls=$(calls_of "${commit[@]}")
taken_back=0
for call in $calls; do
    begin
    expect 137 "$faultat" --kill-before "$call" -- "${commit[@]}"
    ! untorn check --report e/made.json >out 2>/dev/null || continue
    grep -q '"withdrawn":true' out || continue
    expect 4 untorn check e/made.json
    expect 3 untorn check --repair e/made.json
    taken_back=$((taken_back + 1))
done
[ $taken_back -gt 0 ] || fail 'none was taken back'
