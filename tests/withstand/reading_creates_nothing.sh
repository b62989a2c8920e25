# Verbs that only look leave no trace, wherever they are used.
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# Every verb that only looks, on a file, a missing one, and the directory.
look() {
    local prefix=$1 verb
    shift
    for verb in "read $prefix/f" "read $prefix/missing" "hash $prefix/f" "hash $prefix/missing" \
        "who $prefix/f" "who $prefix/missing" "check $prefix" "check $prefix/f" \
        "check $prefix/missing" "write --dry-run $prefix/f" "write --dry-run $prefix/missing" \
        "append --dry-run $prefix/f" "update --dry-run $prefix/f -- sed s/o/0/" \
        "write --dry-run --parents $prefix/a/b/c" "read --symlink refuse $prefix/f"; do
        # shellcheck disable=SC2086
        "$@" timeout 10 "$UNTORN" $verb </dev/null >/dev/null 2>"$AREA/err" || :
        # shellcheck disable=SC2086
        echo new | "$@" timeout 10 "$UNTORN" $verb >/dev/null 2>"$AREA/err" || :
    done
}

# The verbs did what they are for: otherwise it would be no wonder that nothing happened.
answers() {
    same "$("$@" "$UNTORN" read d/f)" old
    same "$("$@" "$UNTORN" hash d/f | wc -c)" 33
    expect 3 "$@" "$UNTORN" who d/f
    expect 0 "$@" "$UNTORN" check d
    echo new | expect 0 "$@" "$UNTORN" write --dry-run d/f
    grep -q '^+new' "$AREA/out"
}

fresh_directory() {
    mkdir d
    echo old >d/f
    local before
    before=$(snapshot .)
    look d
    look "$PWD/d"
    answers
    same "$(snapshot .)" "$before"
    [ ! -e d/.untorn ]
}

used_directory() {
    mkdir d
    echo old | "$UNTORN" write d/f
    local before
    before=$(snapshot .)
    look d
    answers
    same "$(snapshot .)" "$before"
}

read_only_directory() {
    need_root
    mkdir d
    echo old >d/f
    chmod 644 d/f
    chmod 555 d
    local before
    before=$(snapshot .)
    look d as $ALICE
    answers as $ALICE
    same "$(snapshot .)" "$before"
}

read_only_mount() {
    need_mounts
    mkdir d
    echo old >d/f
    mount --bind d d
    mount -o remount,bind,ro d
    look d
    answers
    same "$(ls -A d)" f
}

beside_a_holder() {
    mkdir d
    echo old >d/f
    "$UNTORN" lock d/f -- sh -c 'touch held; exec sleep 1.5' &
    while [ ! -e held ]; do sleep 0.01; done
    rm held
    local before
    before=$(snapshot .)
    expect 0 "$UNTORN" who d/f
    same "$(timeout 1 "$UNTORN" read d/f)" old
    expect 0 "$UNTORN" hash d/f
    expect 0 "$UNTORN" check d
    same "$(snapshot .)" "$before"
    wait
}

# Not one call that could make, change or lock anything.
no_such_calls() {
    need_faultat
    mkdir d
    echo old >d/f
    local verb
    for verb in 'read d/f' 'hash d/f' 'check d' 'check d/f' 'who d/f'; do
        # shellcheck disable=SC2086
        calls_of log "$UNTORN" $verb >/dev/null 2>&1 || :
        awk -F '\t' '$3 ~ /^(mkdir|unlink|rename|link|symlink|fchmod|fchown|ftruncate|fsync)/ ||
            $3 ~ /setxattr|removexattr/ || ($3 == "openat" && $5 ~ /create/) ||
            ($3 ~ /write/ && $4 ~ /\/d\//) {print}' log >changing
        [ ! -s changing ] || { echo "$verb:"; cat changing; return 1; }
    done
}

check 'looking at a fresh directory leaves no trace' fresh_directory
check 'looking at a directory in use leaves no trace' used_directory
check 'looking works in a directory one may not write' read_only_directory
check 'looking works on a read-only mount' read_only_mount
check 'looking beside a holder of the lock neither waits nor disturbs' beside_a_holder
check 'looking makes no call that could change anything' no_such_calls
finish
