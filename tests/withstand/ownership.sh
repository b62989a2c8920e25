# Owner, group, mode, ACL, attributes and capabilities: what a file has, it keeps.
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# A directory of the team that Alice and Bob work in, without the set-group-id bit unless asked.
team_directory() {
    need_root
    mkdir "$1"
    chgrp $TEAM "$1"
    chmod "$2" "$1"
}

foreign_writable() {
    team_directory d 775
    echo old >d/f
    chown $BOB:$TEAM d/f
    chmod 664 d/f
    local inode
    inode=$(stat -c %i d/f)
    echo new >new
    expect 0 as $ALICE+$TEAM "$UNTORN" write --report d/f new
    holds d/f "new
"
    grep -q '"in-place"' "$AREA/out"
    same "$(stat -c '%u %g %a %i' d/f)" "$BOB $TEAM 664 $inode"
    as $ALICE+$TEAM "$UNTORN" update d/f -- sed s/new/newer/
    as $BOB+$TEAM "$UNTORN" append d/f <new
    holds d/f "newer
new
"
    same "$(stat -c '%u %g %a' d/f)" "$BOB $TEAM 664"
    tidy d
}

# Only its owner may change the mode: who asks for another one is refused before anything changes.
foreign_mode() {
    team_directory d 775
    echo old >d/f
    chown $BOB:$TEAM d/f
    chmod 664 d/f
    echo new >new
    expect 1 as $ALICE+$TEAM "$UNTORN" write --keep-inode --mode 600 d/f new
    says 'd/f'
    says 'not permitted'
    holds d/f "old
"
    same "$(stat -c '%u %g %a' d/f)" "$BOB $TEAM 664"
    as $BOB+$TEAM "$UNTORN" write --keep-inode --mode 600 d/f new
    same "$(stat -c '%u %g %a' d/f)" "$BOB $TEAM 600"
    tidy d
}

foreign_closed() {
    team_directory d 775
    echo old >d/f
    chown $BOB:$TEAM d/f
    chmod 644 d/f
    echo new >new
    expect 1 as $ALICE+$TEAM "$UNTORN" write d/f new
    says 'd/f'
    grep -q -i -e owner -e permission -e denied "$AREA/err"
    holds d/f "old
"
    same "$(stat -c '%u %g %a' d/f)" "$BOB $TEAM 644"
    shows d f
}

own_but_read_only() {
    need_root
    mkdir d
    chown $ALICE d
    echo old >d/f
    chown $ALICE:$ALICE d/f
    chmod 444 d/f
    echo new >new
    # The directory is hers: replacing is her right, and the mode stays.
    as $ALICE "$UNTORN" write d/f new
    holds d/f "new
"
    same "$(stat -c '%u %a' d/f)" "$ALICE 444"
}

root_keeps_owner() {
    need_root
    mkdir d
    echo old >d/f
    chown $ALICE:$TEAM d/f
    chmod 2750 d/f
    echo new | "$UNTORN" write d/f
    same "$(stat -c '%u %g %a' d/f)" "$ALICE $TEAM 2750"
    chmod 4711 d/f
    echo newer | "$UNTORN" write d/f
    same "$(stat -c '%u %g %a' d/f)" "$ALICE $TEAM 4711"
}

setgid_directory() {
    team_directory d 2775
    echo new >new
    as $ALICE+$TEAM "$UNTORN" write d/f new
    same "$(stat -c '%u %g %a' d/f)" "$ALICE $TEAM 644"
    # One that was moved in from elsewhere keeps its own group.
    echo old >d/g
    chown $ALICE:$ALICE d/g
    as $ALICE+$TEAM "$UNTORN" write d/g new
    same "$(stat -c '%u %g %a' d/g)" "$ALICE $ALICE 644"
    as $ALICE+$TEAM "$UNTORN" write --parents d/sub/h new
    same "$(stat -c '%g' d/sub/h)" "$TEAM"
}

default_acl() {
    need setfacl
    local kind=$1
    [ "$kind" = tmpfs ] || ext4 disk 8
    [ "$kind" = ext4 ] || mkdir disk
    mkdir disk/d
    echo old >disk/d/f
    setfacl -d -m u:$BOB:rw,g::r,o::- disk/d 2>/dev/null || skip 'no ACLs here'
    getfacl -c disk/d/f >before
    echo new | "$UNTORN" write disk/d/f
    getfacl -c disk/d/f | diff before -
    echo new | "$UNTORN" write disk/d/g
    touch disk/d/reference
    getfacl -c disk/d/reference >before
    grep -q "user:$BOB:rw" before
    getfacl -c disk/d/g | diff before -
    # A mode that was asked for is not widened by the directory's ACL.
    echo new | "$UNTORN" write --mode 600 disk/d/secret
    same "$(stat -c %a disk/d/secret)" 600
    if [ "$(id -u)" = 0 ]; then
        chmod 755 disk disk/d
        as $BOB cat disk/d/g >/dev/null
        not as $BOB cat disk/d/secret
    fi
}

access_acl() {
    need setfacl
    mkdir d
    echo old >d/f
    setfacl -m u:$BOB:rw,g:$TEAM:r d/f 2>/dev/null || skip 'no ACLs here'
    getfacl d/f >before
    echo new | "$UNTORN" write d/f
    getfacl d/f | diff before -
    echo new | "$UNTORN" write --keep-inode d/f
    getfacl d/f | diff before -
    "$UNTORN" update d/f -- sed s/new/newer/
    getfacl d/f | diff before -
}

attributes() {
    need setfattr
    ext4 disk 8
    echo old >disk/f
    setfattr -n user.note -v 'kept as it is' disk/f
    setfattr -n user.empty disk/f
    setfattr -n trusted.mine -v 0x00ff01 disk/f
    getfattr -d -m - -e hex disk/f >before
    same "$(grep -c = before)" 3
    echo new | "$UNTORN" write disk/f
    getfattr -d -m - -e hex disk/f | diff before -
    holds disk/f "new
"
}

capability() {
    need setcap
    ext4 disk 8
    cp /bin/true disk/f
    setcap cap_net_raw+ep disk/f 2>/dev/null || skip 'no file capabilities here'
    getcap disk/f >before
    cp /bin/false new
    "$UNTORN" write disk/f new
    getcap disk/f | diff before -
    cmp new disk/f
    same "$(stat -c %a disk/f)" 755
}

immutable() {
    need chattr
    local flag
    ext4 disk 8
    rmdir disk/lost+found
    echo new >new
    for flag in i a; do
        echo old >disk/f
        chattr +$flag disk/f || skip 'no such flag here'
        expect 1 "$UNTORN" write disk/f new
        says 'disk/f'
        grep -q -i -e immutable -e 'append-only' -e unchangeable "$AREA/err"
        holds disk/f "old
"
        shows disk f
        tidy disk
        chattr -$flag disk/f
        "$UNTORN" write disk/f new
        rm disk/f
    done
}

immutable_directory() {
    need chattr
    ext4 disk 8
    mkdir disk/d
    echo old >disk/d/f
    echo new >new
    chattr +i disk/d || skip 'no such flag here'
    expect 1 "$UNTORN" write disk/d/f new
    holds disk/d/f "old
"
    chattr -i disk/d
    shows disk/d f
}

modes() {
    local mode
    echo new >new
    for mode in 400 600 640 755 1644 000; do
        echo old >f
        chmod $mode f
        if [ "$(id -u)" = 0 ] || [ $mode != 000 ]; then
            "$UNTORN" write f new
            same "$(stat -c %a f)" "$(printf '%o' 0$mode)"
        fi
        rm -f f
    done
    (umask 027; "$UNTORN" write g new)
    same "$(stat -c %a g)" 640
    (umask 077; "$UNTORN" write --mode 664 h new)
    same "$(stat -c %a h)" 664
    "$UNTORN" write --mode 600 g new
    same "$(stat -c %a g)" 600
}

check 'a file of someone else that we may write keeps its owner' foreign_writable
check 'the mode of a file of someone else is not changed, and neither is the file' foreign_mode
check 'a file of someone else that we may not write is refused clearly' foreign_closed
check 'a read-only file of our own is replaced and stays read-only' own_but_read_only
check 'root replaces a file and its owner, group and set-id bits stay' root_keeps_owner
check 'a new file takes the group of a set-group-id directory, an old one keeps its own' \
    setgid_directory
check 'a default ACL reaches new files and no others (tmpfs)' default_acl tmpfs
check 'a default ACL reaches new files and no others (ext4)' default_acl ext4
check 'the ACL of a file is kept' access_acl
check 'the extended attributes of a file are kept' attributes
check 'the capabilities of a program are kept' capability
check 'an immutable or append-only file is refused clearly' immutable
check 'a file in an immutable directory is refused' immutable_directory
check 'the mode is kept, and for a new file it is what the umask leaves' modes
finish
