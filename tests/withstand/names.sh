# Names of any length and any bytes, and names that untorn itself uses in its own folder.
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# All that can be done with a name: created, changed, appended to, locked, overwritten, read.
lives_as() {
    local name=$1
    echo one | "$UNTORN" write -- "./$name"
    "$UNTORN" update "./$name" -- sed s/one/two/
    echo three | "$UNTORN" append "./$name"
    holds "./$name" "two
three
"
    echo four | "$UNTORN" write --keep-inode "./$name"
    "$UNTORN" lock "./$name" -- "$UNTORN" write "./$name" "$0"
    "$UNTORN" read "./$name" | cmp - "$0"
    expect 106 "$UNTORN" lock "./$name" -- \
        env -u UNTORN_LOCK "$UNTORN" lock --wait 0 "./$name" -- true
    same "$(find . -mindepth 1 -maxdepth 1 ! -name .untorn -printf x)" x
    cmp "./$name" "$0"
    tidy .
    rm "./$name"
}

long_names() {
    local length
    for length in 200 $(seq 230 255); do
        lives_as "$(printf "%${length}s" | tr ' ' n)"
    done
    # Two long names that differ in the last byte only are two files.
    local stem
    stem=$(printf '%254s' | tr ' ' n)
    echo a | "$UNTORN" write "${stem}a"
    echo b | "$UNTORN" write "${stem}b"
    "$UNTORN" lock "${stem}a" -- env -u UNTORN_LOCK "$UNTORN" lock --wait 0 "${stem}b" -- true
    holds "${stem}a" "a
"
    holds "${stem}b" "b
"
}

too_long() {
    local name
    name=$(printf '%256s' | tr ' ' n)
    echo x >x
    expect 1 "$UNTORN" write "$name" x
    shows . x
}

our_names() {
    local name
    for name in journal lock stage inplace inner kept history set version x.y .lock .gitignore \
        format ..data ... .untorn- untorn .untornx; do
        lives_as "$name"
    done
}

our_folder() {
    local name
    echo x >x
    expect 1 "$UNTORN" write .untorn x
    says .untorn
    expect 1 "$UNTORN" write --parents .untorn/f x
    says .untorn
    [ ! -e .untorn ]
    expect 0 "$UNTORN" write f x
    local before
    before=$(snapshot .untorn)
    for name in .untorn .untorn/.gitignore .untorn/new .untorn/stage/x .untorn/lock/f; do
        expect 1 "$UNTORN" write $name x
        says .untorn
        expect 101 "$UNTORN" lock $name -- true
    done
    ln -s .untorn alias
    expect 1 "$UNTORN" write alias/f x
    same "$(snapshot .untorn)" "$before"
    echo y | "$UNTORN" write f
    holds f "y
"
}

odd_bytes() {
    lives_as -n
    lives_as --wait
    lives_as -
    lives_as $'new\nline'
    lives_as $'not \xff\xfe UTF-8'
    lives_as $'\e[31m red \t tab'
    lives_as ' blank '
    lives_as '*?[a]$HOME`id`"'"'"
    lives_as 'ä 語 🙂'
}

# Messages and reports about such names stay one line of text.
odd_messages() {
    mkdir $'d\n\e[31m'
    expect 4 "$UNTORN" read $'d\n\e[31m'
    same "$(wc -l <"$AREA/err")" 1
    not grep -q $'\e' "$AREA/err"
    expect 0 "$UNTORN" write --report $'f\n\xff' "$0"
    same "$(wc -l <"$AREA/out")" 1
    "${PYTHON:-/usr/bin/python3}" -c 'import json, sys; json.load(sys.stdin)' <"$AREA/out"
}

dash_operand() {
    echo x >x
    expect 0 "$UNTORN" write -- -n x
    holds ./-n "x
"
    same "$("$UNTORN" read -- -n)" x
}

dots() {
    local name
    echo x >x
    for name in . .. x/ / '' x/.. ; do
        "$UNTORN" write "$name" x 2>err && { echo "accepted: '$name'"; return 1; }
        [ -s err ]
    done
    shows . x err
    mkdir d
    echo y | "$UNTORN" write d/../x
    holds x "y
"
    [ ! -e d/.untorn ]
}

check 'names of 200 and of 230 to 255 bytes work in every way' long_names
check 'a name longer than the file system takes is refused' too_long
check 'names that untorn uses in its own folder work in every way' our_names
check 'the folder of untorn itself is refused as a target' our_folder
check 'names with dashes, newlines and bytes that are no text work in every way' odd_bytes
check 'messages about such names stay one line of plain text' odd_messages
check 'a name that begins with a dash works behind two dashes' dash_operand
check 'paths that name no file are refused' dots
finish
