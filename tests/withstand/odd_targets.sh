# What is not a regular file is refused at once; links are followed all the way.
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

refused() {
    local target=$1 before after
    before=$(about "$target")
    echo new >new
    expect 4 timeout 5 "$UNTORN" write "$target" new
    says "$target"
    expect 4 timeout 5 "$UNTORN" append "$target" <new
    expect 4 timeout 5 "$UNTORN" update "$target" -- cat new
    expect 4 timeout 5 "$UNTORN" read "$target"
    expect 4 timeout 5 "$UNTORN" hash "$target"
    expect 4 timeout 5 "$UNTORN" write --keep-inode "$target" new
    after=$(about "$target")
    same "$after" "$before"
    tidy .
}

a_directory() {
    mkdir target
    touch target/inside
    refused target
    shows target inside
    [ ! -e target/.untorn ]
}

a_fifo() {
    mkfifo target
    refused target
}

a_socket() {
    "${PYTHON:-/usr/bin/python3}" -c \
        'import socket; socket.socket(socket.AF_UNIX).bind("target")'
    refused target
}

a_device() {
    need_root
    mknod target c 1 3 2>/dev/null || skip 'cannot make a device'
    refused target
    mknod block b 7 200 || skip 'cannot make a block device'
    refused block
}

through_link() {
    mkfifo fifo
    ln -s fifo target
    refused target
    [ -L target ]
}

loops() {
    ln -s b a
    ln -s a b
    ln -s self self
    echo new >new
    local name
    for name in a self; do
        expect 1 timeout 5 "$UNTORN" write $name new
        says 'too many symbolic links'
        expect 1 timeout 5 "$UNTORN" read $name
        expect 101 timeout 5 "$UNTORN" lock $name -- true
    done
    shows . a b self new
}

dangling() {
    mkdir real
    ln -s real/missing link
    expect 3 "$UNTORN" read link
    echo new | "$UNTORN" write link
    [ -L link ]
    holds real/missing "new
"
    shows . link real
    [ ! -e .untorn ]
    ln -s nowhere/missing far
    echo new >new
    expect 3 "$UNTORN" write far new
    [ ! -e nowhere ]
    "$UNTORN" write --parents far new
    holds nowhere/missing "new
"
}

# Links over directories, relative to where they lie, through a linked directory too.
chains() {
    mkdir -p home/conf store/v1/etc deep/er
    echo old >store/v1/etc/app
    ln -s v1 store/current
    ln -s ../../store/current/etc/app home/conf/app
    ln -s ../../home/conf/app deep/er/app
    ln -s deep/er/app top
    ln -s home/conf elsewhere
    echo new | "$UNTORN" write top
    holds store/v1/etc/app "new
"
    echo newer | "$UNTORN" write elsewhere/app
    holds store/v1/etc/app "newer
"
    same "$(readlink top home/conf/app deep/er/app store/current | tr '\n' ' ')" \
        'deep/er/app ../../store/current/etc/app ../../home/conf/app v1 '
    same "$(find . -name .untorn)" ./store/v1/etc/.untorn
    # All names of the one file have one lock.
    expect 106 "$UNTORN" lock top -- \
        env -u UNTORN_LOCK "$UNTORN" lock --wait 0 elsewhere/app -- true
}

long_chain() {
    local i
    echo old >f0
    for i in $(seq 1 39); do ln -s f$((i - 1)) f$i; done
    echo new | "$UNTORN" write f39
    holds f0 "new
"
    for i in $(seq 40 60); do ln -s f$((i - 1)) f$i; done
    echo x >x
    expect 1 "$UNTORN" write f60 x
    says 'too many symbolic links'
}

absolute() {
    mkdir a
    echo old >a/f
    ln -s "$PWD/a/f" link
    echo new | "$UNTORN" write link
    holds a/f "new
"
}

policies() {
    mkdir a
    echo old >a/f
    ln -s a/f link
    echo new >new
    expect 1 "$UNTORN" write --symlink refuse link new
    says 'symbolic link'
    expect 1 "$UNTORN" append --symlink refuse link <new
    expect 1 "$UNTORN" update --symlink refuse link -- cat new
    holds a/f "old
"
    "$UNTORN" write --symlink refuse a/f new
    echo old >a/f
    "$UNTORN" write --symlink replace link new
    [ ! -L link ]
    holds link "new
"
    holds a/f "old
"
    ln -s nowhere dangling
    "$UNTORN" write --symlink replace dangling new
    [ -f dangling ]
    [ ! -L dangling ]
    [ ! -e nowhere ]
}

other_device() {
    tmpfs disk 2m
    mkdir disk/d home
    echo old >disk/d/f
    ln -s ../disk/d home/d
    echo new | "$UNTORN" write home/d/f
    holds disk/d/f "new
"
    [ -d disk/d/.untorn ]
    [ ! -e home/.untorn ]
    tidy disk/d
    ln -s ../disk/d/f home/g
    echo newer | "$UNTORN" write home/g
    holds disk/d/f "newer
"
}

# Two hard links are two files: the other name keeps the old version.
hard_links() {
    echo old >a
    ln a b
    echo new | "$UNTORN" write a
    holds a "new
"
    holds b "old
"
    ln -f a b
    echo newer | "$UNTORN" write --keep-inode a
    holds b "newer
"
}

vanishing() {
    mkdir d
    echo new >new
    expect 3 "$UNTORN" write d/e/f new
    expect 3 "$UNTORN" read d/f
    rmdir d
    expect 3 "$UNTORN" write d/f new
    shows . new
    expect 1 "$UNTORN" write new/f new || expect 3 "$UNTORN" write new/f new ||
        expect 4 "$UNTORN" write new/f new
}

check 'a directory is refused as a target' a_directory
check 'a FIFO is refused without waiting for its other end' a_fifo
check 'a socket is refused' a_socket
check 'a device is refused' a_device
check 'a link to what is not a file is refused and stays' through_link
check 'a loop of links is refused' loops
check 'a dangling link has its target created' dangling
check 'a chain of relative links over directories leads to the real file' chains
check 'forty links are followed, more are refused' long_chain
check 'an absolute link is followed' absolute
check 'links are replaced or refused when that is asked for' policies
check 'a directory on another device is worked in, not copied from' other_device
check 'of two hard links only the one named changes, unless in place' hard_links
check 'a directory that is missing is an answer of its own' vanishing
finish
