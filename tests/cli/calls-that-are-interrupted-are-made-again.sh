#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

faultat=$BUILD/tests/faultat
[ -x "$faultat" ] || { echo 'faultat is not built' && exit 77; }

interrupt() {
    "$faultat" --main-only --only read,write,poll,ppoll,waitid,wait4 "$@"
}
total=0
echo old >file
head -c 300000 /dev/urandom >new
for words in 'write file new' 'update file -- cat new' 'read new' 'read -' 'hash -' 'append log' \
    'lock file -- cat new'; do
    # shellcheck disable=SC2086 # words
    count=$(interrupt --count -- untorn $words <new 2>&1 >/dev/null |
        sed -n 's/^faultat: \([0-9]*\) calls$/\1/p')
    for ((call = 1; call <= count; call++)); do
        # shellcheck disable=SC2086
        expect 0 interrupt --fail $call --errno EINTR -- untorn $words <new
        case $words in
        write* | update*) cmp file new ;;
        read* | lock*) cmp out new ;;
        esac
    done
    total=$((total + count))
done
[ $total -gt 20 ] || fail "only $total calls"
