#!/bin/bash
# A commit over two directories is killed at every call behind the commit point, and then the folder
# of one of them is removed: what is left is all old, all new, or what untorn check tells of.
# run: budget 25
source "$TESTS/cli/lib.sh"
faultat=$BUILD/tests/faultat
[ -x "$faultat" ] || { echo 'faultat is not built' && exit 77; }
"$faultat" --count -- true >/dev/null 2>&1 || { echo 'tracing is forbidden' && exit 77; }

echo old >old && echo new >new
begin() {
    rm -rf one two
    mkdir one two
    tee one/a one/b two/c two/d <old >/dev/null
}
commit() {
    "$faultat" --kill-before "$1" -- untorn commit one/a=new one/b=new two/c=new two/d=new
    [ $? = 137 ]
}

begin
calls=$("$faultat" --count -- untorn commit one/a=new one/b=new two/c=new two/d=new 2>&1 |
    sed 's/[^0-9]//g')
mixed=0
for victim in one two; do
    call=$calls all_old=0
    while [ $all_old -lt 10 ]; do
        begin
        commit $call || fail "call $call of $calls did not come"
        rm -rf $victim/.untorn
        untorn check --repair --report one two >report 2>/dev/null
        case $(cat one/* two/* | sort | uniq -c | tr -s ' \n' ' ') in
        ' 4 old ') all_old=$((all_old + 1)) ;;
        ' 4 new ') ;;
        *)
            mixed=$((mixed + 1))
            grep -qE '"found":"(in-doubt|lost)"' report ||
                untorn check --report one two | grep -qE '"found":"(in-doubt|lost)"' ||
                fail "$victim, call $call: mixed, and nobody tells"
            ;;
        esac
        call=$((call - 1))
    done
done
[ $mixed -gt 10 ] || fail "only $mixed were mixed at all"

# What it says, and how it is given up.
begin
call=$calls
while commit $call && [ "$(cat two/c two/d | tr -d '\n')" != newold ]; do
    call=$((call - 1)) && begin
done
rm -r one/.untorn
untorn read two/d | cmp - new
untorn write two/e new
expect 0 untorn write two/d new
grep -q '^untorn: two/d: note: the journal of an interrupted commit is ' err || fail "$(cat err)"
expect 4 untorn check two
grep -q '^two/c: an interrupted commit of several files whose ' out || fail "$(cat out)"
grep -q 'to give up what was kept: untorn check --repair --abandon' err || fail "$(cat err)"
grep -qxF "It had files in $PWD/one, too." two/.untorn/kept/lost-c.* || fail 'not said where'
untorn check --repair --abandon two >/dev/null
untorn check two
