# A file that is itself a mount point cannot be renamed over: it is overwritten through a journal.
# run: budget 20
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# outside/real is mounted over inside/f, both on this file system.
mounted() {
    need_mounts
    mkdir outside inside
    seq 1 3000 >outside/real
    chmod 640 outside/real
    touch inside/f
    mount --bind outside/real inside/f
}

in_place() {
    mounted
    local inode
    inode=$(stat -c %i inside/f)
    seq 1 5000 >new
    expect 0 "$UNTORN" write --report inside/f new
    grep -q '"in-place"' "$AREA/out"
    grep -q '"other-views"' "$AREA/out"
    cmp new inside/f
    cmp new outside/real
    same "$(stat -c '%i %a' inside/f)" "$inode 640"
    shows inside f
    shows outside real
    tidy inside
    echo short | "$UNTORN" write inside/f
    holds inside/f "short
"
}

all_verbs() {
    mounted
    "$UNTORN" update inside/f -- sed 's/^1$/one/'
    same "$(head -n 1 outside/real)" one
    echo tail | "$UNTORN" append inside/f
    same "$(tail -n 1 outside/real)" tail
    same "$("$UNTORN" read inside/f | wc -l)" 3001
    "$UNTORN" lock inside/f -- "$UNTORN" write inside/f "$0"
    cmp "$0" outside/real
    tidy inside
}

# Killed at the first write to the file itself, and torn in the middle of it.
killed() {
    mounted
    need_faultat
    local kind
    seq 1 3000 >old
    seq 90000 99000 >new
    for kind in --kill-before --kill-after '--unit 512 --tear'; do
        cat old >inside/f
        # shellcheck disable=SC2086
        expect 137 "$FAULTAT" --only write,pwrite64 --match "$PWD/inside/f" $kind 1 -- \
            "$UNTORN" write inside/f new
        "$UNTORN" read inside/f >seen
        cmp seen new || cmp seen old
        expect 4 "$UNTORN" check inside
        echo next | "$UNTORN" write --report inside/f >report
        grep -q '"recovered"' report
        holds inside/f "next
"
        tidy inside
    done
}

# A reader through untorn beside a writer: only whole versions.
never_torn() {
    mounted
    seq 100000 120000 >a
    seq 200000 230000 >b
    cat a >inside/f
    (for _ in $(seq 40); do "$UNTORN" write inside/f b; "$UNTORN" write inside/f a; done) &
    local writer=$! reads=0 hash_a hash_b hash
    hash_a=$("$UNTORN" hash a)
    hash_b=$("$UNTORN" hash b)
    while kill -0 $writer 2>/dev/null; do
        hash=$("$UNTORN" hash inside/f)
        [ "$hash" = "$hash_a" ] || [ "$hash" = "$hash_b" ]
        reads=$((reads + 1))
    done
    wait $writer
    [ $reads -gt 5 ]
    echo "    $reads reads, all whole"
}

unlinked_source() {
    mounted
    rm outside/real
    echo new >new
    expect 1 "$UNTORN" write inside/f new
    same "$(wc -l <inside/f)" 3000
}

read_only_mount() {
    mounted
    mount -o remount,bind,ro inside/f
    echo new >new
    expect 1 "$UNTORN" write inside/f new
    says 'read-only'
    same "$(wc -l <inside/f)" 3000
}

# As a sandbox does it: everything is read-only but the one file.
read_only_around() {
    need_mounts
    mkdir outside inside
    echo old >outside/real
    touch inside/f
    mount --bind inside inside
    mount --bind outside/real inside/f
    mount -o remount,bind,ro inside
    echo new >new
    expect 1 "$UNTORN" write inside/f new
    says '--state-dir'
    holds outside/real "old
"
    mkdir state
    expect 0 "$UNTORN" write --report --state-dir state inside/f new
    grep -q '"in-place"' "$AREA/out"
    holds outside/real "new
"
    "$UNTORN" check --state-dir state inside/f
}

from_another_device() {
    need_mounts
    tmpfs disk 4m
    echo old >disk/real
    mkdir inside
    touch inside/f
    mount --bind disk/real inside/f
    echo new | "$UNTORN" write inside/f
    holds disk/real "new
"
    tidy inside
    shows disk real
}

check 'a bind-mounted file is overwritten in place, and the report says so' in_place
check 'update, append, read and lock work on a bind-mounted file' all_verbs
check 'a write to a bind-mounted file that was killed is finished by the next call' killed
check 'a read of a bind-mounted file never sees a mixture' never_torn
check 'a bind-mounted file that has no name any more is refused' unlinked_source
check 'a bind-mounted file on a read-only mount is refused' read_only_mount
check 'a writable file in a read-only mount works with a state folder' read_only_around
check 'a file mounted from another device works' from_another_device
finish
