# On a full disk the old bytes stay, and the answer says why.
# run: budget 20
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

old=$(seq 1 4000)
large() { seq 1 100000; }

refuses_when_full() {
    local file=$1 real=${2:-$1} before
    before=$(about "$real")
    large | expect 1 "$UNTORN" write "$file"
    says 'no space'
    [ "$(cat "$real")" = "$old" ]
    same "$(about "$real")" "$before"
    "$UNTORN" read "$file" | cmp - "$real"
    shows "$(dirname "$real")" "$(basename "$real")" FILLER FILLER.2 $3
    tidy "$(dirname "$real")"
}

works_again() {
    rm "$1"/FILLER*
    large | "$UNTORN" write "$2"
    [ "$(cat "$2")" = "$(large)" ]
    tidy "$1"
}

prepared() {
    echo "$old" >"$1/f"
    fill "$1"
}

tmpfs_write() {
    tmpfs disk 1m
    prepared disk
    refuses_when_full disk/f
    rm disk/FILLER*
    echo new | "$UNTORN" write disk/f
    holds disk/f "new
"
}

ext4_write() {
    ext4 disk 8
    prepared disk
    rmdir disk/lost+found
    refuses_when_full disk/f
    works_again disk disk/f
}

through_link() {
    "$1" disk "$2"
    rmdir disk/lost+found 2>/dev/null || :
    prepared disk
    mkdir home
    ln -s ../disk/f home/f
    refuses_when_full home/f disk/f
    shows home f
    [ -L home/f ]
    [ ! -e home/.untorn ]
}

with_state_before() {
    ext4 disk 8
    rmdir disk/lost+found
    echo "$old" | "$UNTORN" write disk/f
    fill disk
    refuses_when_full disk/f
    works_again disk disk/f
}

keeps_inode() {
    ext4 disk 8
    rmdir disk/lost+found
    prepared disk
    large | expect 1 "$UNTORN" write --keep-inode disk/f
    says 'no space'
    [ "$(cat disk/f)" = "$old" ]
    tidy disk
}

update_and_append() {
    "$1" disk "$2"
    rmdir disk/lost+found 2>/dev/null || :
    prepared disk
    large >more
    expect 1 "$UNTORN" update disk/f -- cat more
    says 'no space'
    [ "$(cat disk/f)" = "$old" ]
    expect 1 "$UNTORN" append disk/f <more
    says 'no space'
    [ "$(cat disk/f)" = "$old" ]
    tidy disk
}

# Every amount of free space from none to enough: the answer always agrees with the file.
every_free_size() {
    tmpfs disk 256k
    local free done=0 refused=0 status
    seq 1 2000 >old
    seq 1 9000 >new
    for free in $(seq 0 26); do
        rm -rf disk/* disk/.untorn
        cp old disk/f
        dd if=/dev/zero of=disk/FILLER bs=4096 2>/dev/null || :
        truncate -s "$(($(stat -c %s disk/FILLER) / 4096 * 4096 - free * 4096))" disk/FILLER
        status=0
        "$UNTORN" write disk/f new 2>"$AREA/err" || status=$?
        case $status in
        0)
            cmp new disk/f
            done=$((done + 1))
            ;;
        1)
            cmp old disk/f
            says 'no space'
            refused=$((refused + 1))
            ;;
        *) echo "status $status with $free pages free"; return 1 ;;
        esac
        rm disk/FILLER
        "$UNTORN" write disk/f new
        cmp new disk/f
        tidy disk
    done
    [ $done -gt 0 ]
    [ $refused -gt 0 ]
    echo "    $refused amounts of free space refused, $done sufficed"
}

# No name is left to be had, though there is room.
no_names() {
    tmpfs disk 1m
    mount -o remount,nr_inodes=3 disk
    echo old >disk/f
    echo new >new
    local i
    for i in 3 4 5 6 7 8; do
        mount -o remount,nr_inodes=$i disk
        local status=0
        "$UNTORN" write disk/f new 2>"$AREA/err" || status=$?
        [ $status = 0 ] || { holds disk/f "old
" && says 'no space'; }
    done
    mount -o remount,nr_inodes=100 disk
    "$UNTORN" write disk/f new
    holds disk/f "new
"
    tidy disk
}

# A limit on the size of files is a signal first; ignored, it is an error.
file_limit() {
    echo old >f
    large >new
    local status=0
    (ulimit -f 8; "$UNTORN" write f new) 2>"$AREA/err" || status=$?
    [ $status = 1 ] || [ $status = $((128 + 25)) ]
    holds f "old
"
    status=0
    (trap '' XFSZ; ulimit -f 8; exec "$UNTORN" write f new) 2>"$AREA/err" || status=$?
    same $status 1
    holds f "old
"
    "$UNTORN" write f new
    cmp f new
    tidy .
}

check 'a write to a full tmpfs fails, and the old bytes stay' tmpfs_write
check 'a write to a full ext4 fails, and the old bytes stay' ext4_write
check 'a write through a link to a full tmpfs leaves the old bytes' through_link tmpfs 1m
check 'a write through a link to a full ext4 leaves the old bytes' through_link ext4 8
check 'a disk that filled up after the first write is refused the same way' with_state_before
check 'an overwrite in place on a full disk changes nothing' keeps_inode
check 'an update and an append on a full tmpfs change nothing' update_and_append tmpfs 1m
check 'an update and an append on a full ext4 change nothing' update_and_append ext4 8
check 'at every amount of free space the answer agrees with the file' every_free_size
check 'a file system without a free inode is refused, and nothing is lost' no_names
check 'a limit on the size of files leaves the old bytes' file_limit
finish
