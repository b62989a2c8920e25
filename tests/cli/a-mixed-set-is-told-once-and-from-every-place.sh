#!/bin/bash
# Each directory of a set knows all of it: a walk over both tells its old file once.
source "$TESTS/cli/lib.sh"
mkdir one two
echo old | untorn write one/a
echo old | untorn write two/b
echo new >new
untorn commit one/a=new two/b=new
expect 0 untorn check .
cp two/b keep && echo old >two/b # as a program without untorn, or a backup, does
for from in one two one/a two/b . "$PWD"; do
    expect 4 untorn check "$from"
    [ "$(grep -c 'from before a commit of several files' out)" = 1 ] || fail "$from: $(cat out)"
    grep -q '^\(.*/\)\?two/b: ' out || fail "$from does not name it: $(cat out)"
    ! grep -q '//' out || fail "$from: $(cat out)"
    grep -q 'untorn commit FILE=FILE' err || fail "$from does not say what to do: $(cat err)"
done
expect 4 untorn check --report .
[ "$(tail -1 out | grep -c '"left":1,')" = 1 ] || fail "$(cat out)"
expect 4 untorn check --repair .
[ "$(cat one/a two/b)" = "new
old" ]
cd two
expect 4 untorn check
grep -q '^b: ' out || fail "$(cat out)"
cd ..
cp two/b mixed
cp keep two/b
expect 0 untorn check .
cp mixed two/b
expect 4 untorn check .
untorn commit one/a=one/a two/b=two/b # they are to be so
expect 0 untorn check .
