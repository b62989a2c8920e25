# The same life of a file on every file system that this machine can mount, and whether `probe` told
# beforehand what it can do.
# run: budget 20
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# All verbs, in a fresh directory $1.
life() {
    local d=$1 about names='f g'
    echo one | "$UNTORN" write "$d/f"
    echo two | "$UNTORN" write "$d/f"
    "$UNTORN" update "$d/f" -- sed s/two/three/
    echo four | "$UNTORN" append "$d/f"
    holds "$d/f" "three
four
"
    chmod 640 "$d/f" 2>/dev/null || : # not everywhere are there modes
    about=$(stat -c '%i %a' "$d/f")
    seq 1 20000 | "$UNTORN" write --keep-inode "$d/f"
    same "$(stat -c '%i %a' "$d/f")" "$about"
    same "$("$UNTORN" read "$d/f" | cksum)" "$(seq 1 20000 | cksum)"
    expect 5 "$UNTORN" write --exclusive "$d/f" "$0"
    "$UNTORN" write --exclusive "$d/g" "$0"
    expect 5 "$UNTORN" write --if-match 00000000000000000000000000000000 "$d/f" "$0"
    "$UNTORN" write --if-match "$("$UNTORN" hash "$d/f")" "$d/f" "$0"
    "$UNTORN" lock "$d/f" "$d/g" -- "$UNTORN" write "$d/g" "$d/f"
    expect 106 "$UNTORN" lock "$d/f" -- \
        env -u UNTORN_LOCK "$UNTORN" lock --wait 0 "$d/f" -- true
    if ln -s f "$d/link" 2>/dev/null; then
        names='f g link'
        echo five | "$UNTORN" write "$d/link"
    else
        echo five | "$UNTORN" write "$d/f"
    fi
    holds "$d/f" "five
"
    echo six | "$UNTORN" commit --report "$d/f=-" "$d/g=$d/f" >report
    holds "$d/f" "six
"
    holds "$d/g" "five
"
    if [ -n "${keeps_no_versions:-}" ]; then
        grep -q history-lost report
    else
        "$UNTORN" undo "$d/f"
        holds "$d/f" "five
"
    fi
    shows "$d" $names
    tidy "$d"
}

# What `probe` says is what the system calls do.
told() {
    "${PYTHON:-/usr/bin/python3}" "$TESTS/withstand/capabilities.py" "$UNTORN" "$1"
}

# A writer killed at the rename and one killed in the middle of an overwrite.
death() {
    local d=$1
    can_trace || return 0
    seq 1 5000 >"$d/k"
    seq 3000 9000 >new
    expect 137 "$FAULTAT" --only renameat,renameat2,rename --match "$PWD/$d" --kill-before 1 -- \
        "$UNTORN" write "$d/k" new
    same "$(cksum <"$d/k")" "$(seq 1 5000 | cksum)"
    expect 137 "$FAULTAT" --only write,pwrite64 --match "$PWD/$d/k" --unit 512 --tear 1 -- \
        "$UNTORN" write --keep-inode "$d/k" new
    "$UNTORN" read "$d/k" >seen
    cmp seen new || [ "$(cksum <seen)" = "$(seq 1 5000 | cksum)" ]
    echo next | "$UNTORN" write "$d/k"
    holds "$d/k" "next
"
    tidy "$d"
}

# image TYPE MIB COMMAND...: a file system in a file, mounted at ./m.
image() {
    local type=$1 size=$2
    shift 2
    need_mounts
    need "$1"
    truncate -s "${size}M" image
    "$@" image >/dev/null
    mkdir m
    mount -o loop -t "$type" image m || skip "cannot mount $type here"
}

made() {
    mkdir m/d
    told m/d
    life m/d
    death m/d
}

on_ext4() { image ext4 16 mkfs.ext4 -q && made; }
on_ext4_writeback() {
    need_mounts
    truncate -s 16M image
    mkfs.ext4 -q image
    mkdir m
    mount -o loop,data=writeback,noauto_da_alloc image m
    made
}
on_ext2() { image ext2 16 mkfs.ext2 -q && made; }
on_xfs() { image xfs 320 mkfs.xfs -q && made; }
on_btrfs() { image btrfs 128 mkfs.btrfs -q && made; }

on_ramfs() {
    need_mounts
    mkdir m
    mount -t ramfs none m
    made
    "$UNTORN" probe --report m/d | grep -q '"full_flush":false'
}

# The file comes from the lower layer of a container: the first change copies it up.
on_overlay() {
    need_mounts
    mkdir lower upper work m lower/d
    seq 1 100 >lower/d/old
    chmod 640 lower/d/old
    mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay m ||
        skip 'no overlay here'
    "$UNTORN" update m/d/old -- sed s/100/hundred/
    same "$(tail -n 1 m/d/old)" hundred
    same "$(tail -n 1 lower/d/old)" 100
    same "$(stat -c %a m/d/old)" 640
    "$UNTORN" write --keep-inode m/d/old "$0"
    cmp m/d/old "$0"
    rm m/d/old
    told m/d
    life m/d
    death m/d
}

on_vfat() { image vfat 16 mkfs.vfat && made; }
on_f2fs() { image f2fs 64 mkfs.f2fs -q && made; }
on_jfs() { image jfs 20 mkfs.jfs -q && made; }
on_minix() {
    image minix 16 mkfs.minix -3
    keeps_no_versions=yes # names of at most 60 bytes
    made
}

# A server on this machine, of a file system in a file.
served() {
    image ext4 16 mkfs.ext4 -q
    mkdir client
}

on_nfs() {
    need rpc.mountd
    grep -q nfsd /proc/filesystems || skip 'no server of NFS here'
    served
    mount -t tmpfs none /var/lib/nfs
    mkdir -p /var/lib/nfs/v4recovery /var/lib/nfs/rpc_pipefs /run/rpcbind
    mount -t nfsd nfsd /proc/fs/nfsd
    touch /var/lib/nfs/etab /var/lib/nfs/rmtab
    exportfs -o rw,no_root_squash,insecure,fsid=0,no_subtree_check "127.0.0.1:$PWD/m"
    rpc.nfsd --no-nfs-version 3 --grace-time 10 --lease-time 10 1
    rpc.mountd --no-nfs-version 3
    mount -t nfs -o vers=4.2 127.0.0.1:/ client
    mkdir client/d
    told client/d
    life client/d
    grep -q '"network":true' <<<"$("$UNTORN" probe --report client/d)"
}

on_9p() {
    need diod
    grep -q 9p /proc/filesystems || skip 'no 9p here'
    served
    diod --no-auth --export "$PWD/m" --listen 127.0.0.1:5640 --foreground &
    sleep 1
    mount -t 9p -o "trans=tcp,port=5640,version=9p2000.L,access=client,aname=$PWD/m" \
        127.0.0.1 client
    mkdir client/d
    told client/d
    life client/d
    kill %1
}

on_fuse() {
    need bindfs
    served
    bindfs m client || skip 'FUSE cannot be mounted here'
    mkdir client/d
    told client/d
    life client/d
}

# A file of the lower layer that is first locked, then changed by two at once.
overlay_locks() {
    need_mounts
    mkdir lower upper work m
    : >lower/f
    mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay m ||
        skip 'no overlay here'
    local i j
    for i in 1 2 3 4; do
        (for j in $(seq 10); do "$UNTORN" update m/f -- sh -c "cat; echo $i.$j"; done) &
    done
    wait
    same "$(sort -u m/f | wc -l)" 40
}

on_read_only() {
    image ext4 16 mkfs.ext4 -q
    echo old >m/f
    mount -o remount,ro m
    echo new >new
    expect 1 "$UNTORN" write m/f new
    says '[Rr]ead-only'
    expect 1 "$UNTORN" append m/f <new
    expect 1 "$UNTORN" write m/g new
    same "$("$UNTORN" read m/f)" old
    "$UNTORN" check m
    "$UNTORN" probe m >/dev/null
    holds m/f "old
"
}

# Errors that the kernel remembers: the file system was shut down under us.
shut_down() {
    image ext4 16 mkfs.ext4 -q -E lazy_itable_init=0
    echo old | "$UNTORN" write m/f
    need "${PYTHON:-/usr/bin/python3}"
    "${PYTHON:-/usr/bin/python3}" -c '
import fcntl, os, struct
fcntl.ioctl(os.open("m", os.O_RDONLY), 0x8004587d, struct.pack("I", 1))' ||
        skip 'cannot shut a file system down'
    echo new >new
    local status=0
    timeout 20 "$UNTORN" write m/f new 2>"$AREA/err" || status=$?
    [ $status = 1 ]
    [ -s "$AREA/err" ]
    umount m
    mount -o loop -t ext4 image m
    holds m/f "old
"
    "$UNTORN" write m/f new
    holds m/f "new
"
}

check 'a file lives on ext4' on_ext4
check 'a file lives on ext4 without ordered data' on_ext4_writeback
check 'a file lives on ext2' on_ext2
check 'a file lives on xfs' on_xfs
check 'a file lives on btrfs' on_btrfs
check 'a file lives on ramfs, which has no attributes' on_ramfs
check 'a file lives on an overlay and leaves the lower layer alone' on_overlay
check 'a file lives on vfat, which has no modes and no links' on_vfat
check 'a file lives on f2fs' on_f2fs
check 'a file lives on jfs' on_jfs
check 'a file lives on minix' on_minix
check 'a file lives behind FUSE' on_fuse
check 'a file lives on NFS 4' on_nfs
check 'a file lives on 9p' on_9p
check 'a file of the lower layer has one lock' overlay_locks
check 'a read-only file system is told as such' on_read_only
check 'a file system that broke down is told as failed' shut_down
finish
