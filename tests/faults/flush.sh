# What is flushed, in which order, and what is said when a flush fails.
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

made() {
    need_faultat
    mkdir -p d
    echo old >d/f
    echo new >new
    "$UNTORN" lock d/f -- true
}

# The positions of what calls match: awk condition on name, path and argument.
positions() {
    awk -F '\t' "$1 {print \$1}" log
}

renamed="\$3 ~ /^rename/ && \$4 ~ /stage/"
stage_flushed="\$3 ~ /sync\$/ && \$4 ~ /stage\\/f/"
directory_flushed="\$3 == \"fsync\" && \$4 ~ /\\/d\$/"

in_order() {
    made
    calls_of log "$UNTORN" write d/f new
    local rename stage directory write
    rename=$(positions "$renamed")
    stage=$(positions "$stage_flushed")
    directory=$(positions "$directory_flushed" | tail -n 1)
    write=$(positions '$3 ~ /write/ && $4 ~ /stage\/f/' | tail -n 1)
    [ "$write" -lt "$stage" ]
    [ "$stage" -lt "$rename" ]
    [ "$rename" -lt "$directory" ]
    # Nothing changes the stage between its flush and the rename.
    awk -F '\t' -v from="$stage" -v to="$rename" '$1 > from && $1 < to && $4 ~ /stage/ &&
        $3 ~ /write|truncate|chmod|chown|setxattr/' log >late
    [ ! -s late ]
}

levels() {
    made
    calls_of log "$UNTORN" write --level ordered --keep 0 d/f new
    [ -n "$(positions "$stage_flushed")" ]
    same "$(positions "$directory_flushed")" ''
    calls_of log "$UNTORN" write --level cache d/f new
    same "$(positions '$3 ~ /sync/')" ''
}

stage_fails() {
    made
    local error
    for error in EIO ENOSPC EDQUOT; do
        expect 1 "$FAULTAT" --only fsync,fdatasync --match /stage/f --fail 1 --errno $error -- \
            "$UNTORN" write d/f new
        not grep 'flushed again' "$AREA/err"
        holds d/f "old
"
        tidy d
    done
    "$UNTORN" write d/f new
    holds d/f "new
"
}

# The second flush in the directory is that of the directory itself, behind the rename.
directory_fails() {
    made
    local error
    for error in EIO ENOSPC; do
        echo old | "$UNTORN" write --keep 0 d/f
        expect 7 "$FAULTAT" --only fsync --match "$PWD/d" --fail 2 --errno $error -- \
            "$UNTORN" write --keep 0 d/f new
        says "call 2.fsync.$PWD/d[[:space:]]"
        says 'not confirmed'
        holds d/f "new
"
        echo next | "$UNTORN" write --keep 0 d/f
        holds d/f "next
"
        tidy d
    done
}

directory_cannot() {
    made
    expect 0 "$FAULTAT" --only fsync --match "$PWD/d" --for-ever --fail 2 --errno EINVAL -- \
        "$UNTORN" write --report d/f new
    grep -q '"no-directory-flush"' "$AREA/out"
    echo old | "$UNTORN" write d/f
    local status=0
    "$FAULTAT" --only fsync --match "$PWD/d" --for-ever --fail 2 --errno EINVAL -- \
        "$UNTORN" write --strict d/f new 2>"$AREA/err" || status=$?
    case $status in
    1) holds d/f "old
" ;;
    7) holds d/f "new
" ;;
    *) echo "strict, and yet status $status"; return 1 ;;
    esac
}

unchanged() {
    made
    calls_of log "$UNTORN" write --if-changed d/f new
    calls_of log "$UNTORN" write --if-changed d/f new
    same "$(positions "$renamed")" ''
    [ -n "$(positions '$3 ~ /sync$/ && $4 ~ /d\/f$/')" ]
    [ -n "$(positions "$directory_flushed")" ]
    local status=0
    "$FAULTAT" --only fsync,fdatasync --match "$PWD/d/f" --fail 1 --errno EIO -- \
        "$UNTORN" write --if-changed d/f new 2>"$AREA/err" || status=$?
    [ $status = 1 ] || [ $status = 7 ]
    holds d/f "new
"
}

parents() {
    need_faultat
    echo new >new
    calls_of log "$UNTORN" write --parents a/b/c/f new
    local directory
    for directory in "$PWD" "$PWD/a" "$PWD/a/b" "$PWD/a/b/c"; do
        [ -n "$(awk -F '\t' -v d="$directory" '$3 == "fsync" && $4 == d && $6 == 0' log)" ] || {
            echo "not flushed: $directory"
            return 1
        }
    done
}

appended() {
    made
    calls_of log "$UNTORN" append d/f <new
    local write flush
    write=$(positions '$3 ~ /write/ && $4 ~ /d\/f$/' | tail -n 1)
    flush=$(positions '$3 ~ /sync$/ && $4 ~ /d\/f$/' | tail -n 1)
    [ "$write" -lt "$flush" ]
    echo old >d/f
    # After a failed flush the record may or may not be on the disk.
    local status=0
    "$FAULTAT" --only fsync,fdatasync --match "$PWD/d/f" --fail 1 --errno EIO -- \
        "$UNTORN" append d/f <new 2>"$AREA/err" || status=$?
    case $status in
    1) holds d/f "old
" ;;
    7) holds d/f "old
new
" ;;
    *) echo "status $status"; return 1 ;;
    esac
    not grep 'flushed again' "$AREA/err"
}

check 'the content is flushed, then renamed, then the directory is flushed' in_order
check 'each level flushes what it says and no more' levels
check 'a failed flush of the new version leaves the old one and is not repeated' stage_fails
check 'a failed flush of the directory is told as not settled' directory_fails
check 'a directory that cannot be flushed is flagged, and refused when strict' directory_cannot
check 'content that is unchanged is flushed before that is said' unchanged
check 'every directory that was made is flushed in the one above it' parents
check 'an append is flushed, and a failed flush of it is not called done' appended
finish
