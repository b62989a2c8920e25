# Untorn's own folder: who may use it, what git sees of it, and how it comes back.
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

git_is_clean() {
    need git
    git init -q repo
    echo x >repo/tracked
    git -C repo add tracked
    git -C repo -c user.name=x -c user.email=x@example.org commit -q -m x
    echo x | "$UNTORN" write repo/tracked
    mkdir repo/sub
    echo y >repo/sub/other
    git -C repo add sub
    git -C repo -c user.name=x -c user.email=x@example.org commit -q -m y
    "$UNTORN" update repo/sub/other -- cat
    same "$(git -C repo status --porcelain --untracked-files=all)" ''
    [ -d repo/.untorn ]
    [ -d repo/sub/.untorn ]
    # Also after it was removed and made again.
    git -C repo clean -q -fdx
    [ ! -e repo/.untorn ]
    echo x | "$UNTORN" write repo/tracked
    same "$(git -C repo status --porcelain --untracked-files=all)" ''
}

# What .untorn and all folders in it have, and what the lock files in it have.
folder_modes() {
    find "$1" -type d -printf '%m %U:%G\n' | sort -u
}
lock_modes() {
    find "$1/lock" -type f -printf '%m %U:%G\n' | sort -u
}

private_parent() {
    mkdir -m 700 d
    (umask 0; echo x | "$UNTORN" write d/f)
    same "$(stat -c %a d/.untorn)" 700
    same "$(find d/.untorn -perm /077)" ''
}

plain_parent() {
    mkdir -m 755 d
    (umask 0; echo x | "$UNTORN" write d/f)
    same "$(stat -c %a d/.untorn)" 755
    same "$(find d/.untorn -perm /022)" ''
}

team_parent() {
    need_root
    mkdir d
    chgrp $TEAM d
    chmod 2775 d
    (umask 077; echo x | as $ALICE+$TEAM "$UNTORN" write --mode 664 d/f)
    same "$(stat -c '%a %g' d/.untorn)" "2775 $TEAM"
    same "$(find d/.untorn ! -group $TEAM)" ''
    same "$(lock_modes d/.untorn)" "660 $ALICE:$TEAM"
    same "$(find d/.untorn -perm /002)" ''
}

team_private_parent() {
    need_root
    mkdir d
    chgrp $TEAM d
    chmod 2770 d
    (umask 0; echo x | as $ALICE+$TEAM "$UNTORN" write --mode 660 d/f)
    same "$(find d/.untorn -perm /007)" ''
    as $BOB+$TEAM "$UNTORN" update d/f -- sed s/x/y/
    holds d/f "y
"
}

acl_parent() {
    need_root
    need setfacl
    mkdir -m 700 d
    setfacl -m u:$ALICE:rwx,u:$BOB:rwx d 2>/dev/null || skip 'no ACLs here'
    (umask 077; echo x | as $ALICE "$UNTORN" write --mode 644 d/f)
    echo y >y
    as $BOB "$UNTORN" write d/g y
    as $BOB "$UNTORN" lock d/f -- true
    expect 1 as 1999 "$UNTORN" lock d/f -- true || expect 101 as 1999 "$UNTORN" lock d/f -- true
}

sticky_parent() {
    need_root
    mkdir -m 1777 d
    echo x >x
    as $ALICE "$UNTORN" write d/a x
    as $BOB "$UNTORN" write d/b x
    same "$(ls -A d | tr '\n' ' ')" ".untorn-$ALICE .untorn-$BOB a b "
    same "$(stat -c '%u' d/.untorn-$ALICE)" $ALICE
    same "$(find d/.untorn-$ALICE -perm /022)" ''
    # Root changes Alice's file in Alice's folder, and she goes on after it.
    echo y | "$UNTORN" write d/a
    same "$(stat -c '%u' d/a)" $ALICE
    as $ALICE "$UNTORN" update d/a -- sed s/y/z/
    holds d/a "z
"
    [ ! -e d/.untorn-0 ]
    expect 1 as $BOB "$UNTORN" write d/a x
    holds d/a "z
"
}

two_users() {
    need_root
    mkdir d
    chgrp $TEAM d
    chmod 2775 d
    local i
    for i in 1 2 3 4 5; do
        (umask 002
            echo "alice $i" | as $ALICE+$TEAM "$UNTORN" write d/f
            as $BOB+$TEAM "$UNTORN" update d/f -- sed s/alice/bob/)
        same "$(cat d/f)" "bob $i"
        (umask 077
            echo more | as $BOB+$TEAM "$UNTORN" append d/f
            echo more | as $ALICE+$TEAM "$UNTORN" append d/f)
        same "$(wc -l <d/f)" 3
    done
    shows d f
    tidy d
    # At the same time.
    : >d/list
    chgrp $TEAM d/list
    chmod 664 d/list
    (for i in $(seq 40); do
        as $ALICE+$TEAM "$UNTORN" update --wait 60 d/list -- sh -c "cat; echo a$i"
    done) &
    for i in $(seq 40); do
        as $BOB+$TEAM "$UNTORN" update --wait 60 d/list -- sh -c "cat; echo b$i"
    done
    wait
    same "$(sort -u d/list | wc -l)" 80
}

after_sudo() {
    need_root
    mkdir d
    chown $ALICE:$ALICE d
    echo root | "$UNTORN" write d/f
    echo x >x
    # Root made the folder first; it belongs to whom the directory belongs to.
    same "$(stat -c %u d/.untorn)" $ALICE
    as $ALICE "$UNTORN" write d/g x
    as $ALICE "$UNTORN" lock d/f -- true
}

moved() {
    mkdir a
    echo x | "$UNTORN" write a/f
    mv a b
    "$UNTORN" update b/f -- sed s/x/y/
    cp -r b c
    "$UNTORN" update c/f -- sed s/y/z/
    holds b/f "y
"
    holds c/f "z
"
    tidy b
    tidy c
}

newer_format() {
    mkdir d
    echo x | "$UNTORN" write d/f
    sed -i -E 's/[0-9]+/99/' d/.untorn/format
    grep -q 99 d/.untorn/format
    echo y >y
    expect 1 "$UNTORN" write d/f y
    says 'newer'
    holds d/f "x
"
}

check 'git sees nothing of it' git_is_clean
check 'in a private directory it is private' private_parent
check 'in a plain directory nobody else may write it' plain_parent
check 'in a directory of a group the group may use it' team_parent
check 'in a private directory of a group nobody else sees it' team_private_parent
check 'the ACL of the directory decides who may use it' acl_parent
check 'in a sticky directory each user has one of his own' sticky_parent
check 'two users of a group directory write the same file by turns and at once' two_users
check 'after root was here first the owner of the directory can go on' after_sudo
check 'a directory that was moved or copied works on' moved
check 'a folder that a newer untorn made is refused' newer_format
finish
