# A file one may write in a directory one may not: refused with the way out, which then works.
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# closed/f belongs to Alice, closed/ to root.
closed_directory() {
    need_root
    mkdir closed state
    echo old >closed/f
    chown $ALICE:$ALICE closed/f state
    chmod 755 closed
    echo new >new
}

fails_closed() {
    closed_directory
    local before verb
    before=$(snapshot closed)
    for verb in write append; do
        expect 1 as $ALICE "$UNTORN" $verb closed/f <new
        says '--state-dir'
    done
    expect 1 as $ALICE "$UNTORN" update closed/f -- cat new
    says '--state-dir'
    expect 101 as $ALICE "$UNTORN" lock closed/f -- true
    says '--state-dir'
    same "$(snapshot closed)" "$before"
    same "$(as $ALICE "$UNTORN" read closed/f)" old
}

with_state() {
    closed_directory
    [ -z "$1" ] || { tmpfs other 4m; chown $ALICE other; rm -r state; ln -s other state; }
    expect 0 as $ALICE "$UNTORN" write --report --state-dir state closed/f new
    grep -q '"in-place"' "$AREA/out"
    holds closed/f "new
"
    shows closed f
    [ ! -e closed/.untorn ]
    as $ALICE "$UNTORN" update --state-dir state closed/f -- sed s/new/newer/
    as $ALICE env UNTORN_STATE_DIR=state "$UNTORN" append closed/f <new
    holds closed/f "newer
new
"
    as $ALICE "$UNTORN" lock --state-dir state closed/f -- \
        "$UNTORN" write --state-dir state closed/f new
    expect 106 as $ALICE "$UNTORN" lock --state-dir state closed/f -- \
        env -u UNTORN_LOCK "$UNTORN" lock --wait 0 --state-dir state closed/f -- true
    same "$(stat -c '%u %a' closed/f)" "$ALICE 644"
    as $ALICE "$UNTORN" check --state-dir state closed/f
}

new_file() {
    closed_directory
    expect 1 as $ALICE "$UNTORN" write closed/g new
    expect 1 as $ALICE "$UNTORN" write --state-dir state closed/g new
    shows closed f
}

# Two names of one file through the folder of state exclude each other.
one_key() {
    closed_directory
    ln -s closed alias
    expect 106 as $ALICE "$UNTORN" lock --state-dir state closed/f -- \
        env -u UNTORN_LOCK "$UNTORN" lock --wait 0 --state-dir state alias/f -- true
    mkdir other
    echo x >other/f
    chown $ALICE other/f
    as $ALICE "$UNTORN" lock --state-dir state closed/f -- \
        env -u UNTORN_LOCK "$UNTORN" lock --wait 0 --state-dir state other/f -- true
}

killed() {
    closed_directory
    need_faultat
    seq 1 3000 >closed/f
    seq 5000 9000 >new
    expect 137 "$FAULTAT" --only write,pwrite64 --match "$PWD/closed/f" --unit 512 --tear 1 -- \
        setpriv --reuid=$ALICE --regid=$ALICE --clear-groups -- \
        "$UNTORN" write --state-dir state closed/f new
    as $ALICE "$UNTORN" read --state-dir state closed/f >seen
    cmp seen new || [ "$(cat seen)" = "$(seq 1 3000)" ]
    echo next | as $ALICE "$UNTORN" write --state-dir state closed/f
    holds closed/f "next
"
    as $ALICE "$UNTORN" check --state-dir state closed/f
}

read_only_mount() {
    need_mounts
    mkdir ro state
    echo old >ro/f
    mount --bind ro ro
    mount -o remount,bind,ro ro
    echo new >new
    expect 1 "$UNTORN" write ro/f new
    grep -q -e 'read-only' -e '--state-dir' "$AREA/err"
    expect 1 "$UNTORN" write --state-dir state ro/f new
    says 'read-only'
    holds ro/f "old
"
}

foreign_state() {
    closed_directory
    mkdir bobs
    chown $BOB bobs
    expect 1 as $ALICE "$UNTORN" write --state-dir bobs closed/f new
    holds closed/f "old
"
    expect 1 as $ALICE "$UNTORN" write --state-dir missing/deep closed/f new ||
        expect 3 as $ALICE "$UNTORN" write --state-dir missing/deep closed/f new
    holds closed/f "old
"
}

check 'in a directory one may not write, nothing is written and the option is named' fails_closed
check 'with a state folder on the same file system a file there can be changed' with_state ''
check 'with a state folder on another file system too' with_state other
check 'no file is created where one may not create' new_file
check 'a state folder knows a file by where it really lies' one_key
check 'an overwrite through a state folder that was killed is finished by the next call' killed
check 'a read-only mount stays read-only' read_only_mount
check 'a state folder that is not ours is refused' foreign_state
finish
