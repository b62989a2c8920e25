# Every allocation fails once, and all from it on: the answer agrees with the file.
# run: budget 20
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# The preloaded library and the number of allocations of a command.
prepare() {
    need cc
    cc -shared -fPIC -O1 -D_GNU_SOURCE= -o "$AREA/failing_malloc.so" \
        "$TESTS/faults/failing_malloc.c" 2>"$AREA/err" || skip 'no compiler for the library'
}

with_failing() {
    local at=$1 ever=$2
    shift 2
    env LD_PRELOAD="$AREA/failing_malloc.so" FAIL_AT="$at" ${ever:+FAIL_FOR_EVER=1} "$@"
}

survives() {
    prepare
    local count at ever status failures=0 runs=0
    echo new >new
    echo old >f
    env LD_PRELOAD="$AREA/failing_malloc.so" FAIL_COUNT="$PWD/count" "$@" <new >/dev/null
    count=$(cat count)
    [ "$count" -gt 0 ]
    for ever in '' yes; do
        for at in $(seq "$count"); do
            rm -rf .untorn
            echo old >f
            status=0
            with_failing "$at" "$ever" "$@" <new >printed 2>"$AREA/err" || status=$?
            runs=$((runs + 1))
            echo "allocation $at of $count${ever:+ and all after it}: status $status"
            case $status in
            0) "$after" ;;
            1 | 101 | 126)
                holds f "old
"
                failures=$((failures + 1))
                [ -s "$AREA/err" ]
                ;;
            7) same "$("$UNTORN" read f)" old || same "$("$UNTORN" read f)" new ;;
            *) return 1 ;;
            esac
            "$UNTORN" write f new
            same "$("$UNTORN" check .)" ''
            same "$(find .untorn/stage -type f)" ''
        done
    done
    [ $failures -gt 0 ]
    echo "    $runs runs, $failures refused"
}

is_new() {
    holds f "new
"
}
is_appended() {
    holds f "old
new
"
}
is_old() {
    holds f "old
"
}
is_printed() {
    cmp printed f
}

after=is_new
check 'a write survives the failure of any allocation' survives "$UNTORN" write f
check 'an overwrite in place survives the failure of any allocation' \
    survives "$UNTORN" write --keep-inode f
check 'an update survives the failure of any allocation' survives "$UNTORN" update f -- cat new
after=is_appended
check 'an append survives the failure of any allocation' survives "$UNTORN" append f
after=is_old
check 'a lock survives the failure of any allocation' survives "$UNTORN" lock f -- true
after=is_printed
check 'a read survives the failure of any allocation' survives "$UNTORN" read f
finish
