#!/bin/bash
# A commit that fails changes nothing, but may have finished one that was killed: that did.
source "$TESTS/cli/lib.sh"
faultat=$BUILD/tests/faultat
[ -x "$faultat" ] || { echo 'faultat is not built' && exit 77; }
"$faultat" --count -- true >/dev/null 2>&1 || { echo 'tracing is forbidden' && exit 77; }

echo old >a && echo old >b && echo new >new && echo third >third
expect 137 "$faultat" --only renameat,renameat2 --match /b --kill-before 1 -- \
    untorn commit a=new b=new
[ "$(cat b)" = old ] || fail 'it was not interrupted'
expect 3 untorn commit a=third --remove b --remove gone
[ "$(cat a b)" = "$(printf 'new\nnew')" ] || fail "it was not finished: $(cat a b)"
grep -qxF 'untorn: gone: no such file; none of the 3 files was changed by this commit; an '\
'unfinished write of a dead process was finished first' err || fail "$(cat err)"
expect 3 untorn commit a=third --remove b --remove gone
grep -qxF 'untorn: gone: no such file; none of the 3 files was changed' err || fail "$(cat err)"
