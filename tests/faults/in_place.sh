# Overwrites in place that fail or are killed half way.
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

made() {
    need_faultat
    mkdir -p d
    seq 1 2000 >old
    seq 5000 8000 >new
    cp old d/f
    chmod 640 d/f
}

journal_first() {
    made
    calls_of log "$UNTORN" write --keep-inode d/f new
    local journal first last flushed cleared
    journal=$(awk -F '\t' '$3 ~ /sync$/ && $4 ~ /inplace\/f$/ {print $1; exit}' log)
    first=$(awk -F '\t' '$3 ~ /write/ && $4 ~ /\/d\/f$/ {print $1; exit}' log)
    last=$(awk -F '\t' '$3 ~ /write|truncate/ && $4 ~ /\/d\/f$/ {n = $1} END {print n}' log)
    flushed=$(awk -F '\t' '$3 ~ /sync$/ && $4 ~ /\/d\/f$/ {n = $1} END {print n}' log)
    cleared=$(awk -F '\t' -v from="$last" \
        '$1 > from && $3 ~ /write|truncate|unlink/ && $4 ~ /inplace\/f$/ {print $1; exit}' log)
    [ "$journal" -lt "$first" ]
    [ "$last" -lt "$flushed" ]
    [ "$flushed" -lt "$cleared" ]
}

undone() {
    made
    local position error
    for position in 1 2; do
        for error in ENOSPC EIO EDQUOT; do
            cp old d/f
            expect 1 "$FAULTAT" --only write,pwrite64 --match "$PWD/d/f" --fail $position \
                --errno $error -- "$UNTORN" write --keep-inode d/f new
            cmp old d/f
            tidy d
            same "$(stat -c %a d/f)" 640
        done
    done
}

not_undone() {
    made
    local inode
    inode=$(stat -c %i d/f)
    expect 7 "$FAULTAT" --only write,pwrite64 --match "$PWD/d/f" --for-ever --fail 2 \
        --errno EIO -- "$UNTORN" write --keep-inode d/f new
    says 'next call finishes'
    "$UNTORN" read d/f >seen
    cmp seen old || cmp seen new
    expect 4 "$UNTORN" check d
    echo more | "$UNTORN" append d/f
    head -n -1 d/f >seen
    cmp seen old || cmp seen new
    tidy d
    same "$(stat -c %i d/f)" "$inode"
}

# The disk really is full while an overwrite fills a hole of the file.
really_full() {
    tmpfs disk 1m
    mkdir state
    truncate -s 600k disk/f
    cp disk/f old
    head -c 600k /dev/urandom >new
    dd if=/dev/zero of=disk/FILLER bs=64k count=12 2>/dev/null
    local status=0
    "$UNTORN" write --keep-inode --state-dir state disk/f new 2>"$AREA/err" || status=$?
    # Undone; or, as that needs room too, not settled and then finished by the next call.
    case $status in
    1) cmp old disk/f ;;
    7) says 'next call finishes' ;;
    *) return 1 ;;
    esac
    "$UNTORN" read --state-dir state disk/f >seen || [ $? = 4 ] # the old one is nothing but NUL
    cmp seen old || cmp seen new
    rm disk/FILLER
    "$UNTORN" check --repair --state-dir state disk/f
    cmp disk/f old || cmp disk/f new
    "$UNTORN" write --keep-inode --state-dir state disk/f new
    cmp new disk/f
}

# Someone who knows nothing of untorn changed the file after the crash: both are kept.
conflict() {
    made
    expect 137 "$FAULTAT" --only write,pwrite64 --match "$PWD/d/f" --unit 512 --tear 1 -- \
        "$UNTORN" write --keep-inode d/f new
    echo 'somebody else' >d/f
    echo next >next
    expect 0 "$UNTORN" write --report d/f next
    grep -q '"conflict-kept"' "$AREA/out"
    holds d/f "next
"
    expect 4 "$UNTORN" check d
    grep -q 'kept' "$AREA/out"
    "$UNTORN" check --repair --abandon d
    tidy d
}

# Before the next call, a reader of the conflict gets what is there.
conflict_read() {
    made
    expect 137 "$FAULTAT" --only write,pwrite64 --match "$PWD/d/f" --unit 512 --tear 1 -- \
        "$UNTORN" write --keep-inode d/f new
    mv d/f d/g
    echo 'another file' >d/f
    same "$("$UNTORN" read d/f)" 'another file'
    "$UNTORN" update d/f -- sed s/another/the/
    holds d/f "the file
"
}

readers_in_between() {
    made
    expect 137 "$FAULTAT" --only write,pwrite64 --match "$PWD/d/f" --unit 512 --tear 1 -- \
        "$UNTORN" write --keep-inode d/f new
    not cmp -s d/f old
    not cmp -s d/f new
    local before
    before=$(snapshot d)
    "$UNTORN" read d/f >seen
    cmp seen old || cmp seen new
    same "$("$UNTORN" hash d/f)" "$("$UNTORN" hash seen)"
    same "$(snapshot d)" "$before"
    expect 5 "$UNTORN" write --if-match "$("$UNTORN" hash new.missing 2>/dev/null ||
        echo 00000000000000000000000000000000)" d/f new
    "$UNTORN" check --repair d
    cmp d/f old || cmp d/f new
    tidy d
}

check 'the journal is on the disk before the first byte of the file changes' journal_first
check 'an overwrite that fails half way is undone' undone
check 'an overwrite that cannot be undone is not settled, and finished by the next call' not_undone
check 'an overwrite that meets a full disk half way is undone or finished later' really_full
check 'what somebody else wrote after the crash is kept, and so is the journal' conflict
check 'another file under the name is left alone' conflict_read
check 'a read between crash and recovery is whole, and changes nothing' readers_in_between
finish
