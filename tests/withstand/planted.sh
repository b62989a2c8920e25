# Another user plants links, folders and journals where untorn will look. No file that is not the
# target is ever written, nothing hangs, and the answer is clear.
# run: budget 30
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# home/ is Alice's own; shared/ is where both may write, with Alice's file f in it.
scene() {
    need_root
    mkdir home shared bobs
    echo precious >home/precious
    echo mine >home/f
    chmod 600 home/precious
    chown -R $ALICE:$ALICE home
    chmod 755 home
    chown $BOB:$BOB bobs
    chgrp $TEAM shared
    chmod "$1" shared
    echo old >shared/f
    chown $ALICE:$TEAM shared/f
    chmod 664 shared/f
    case $1 in
    1*) folder=.untorn-$ALICE ;;
    *) folder=.untorn ;;
    esac
}

bob() {
    as $BOB+$TEAM sh -c "cd shared; umask 0; $1"
}

# Each makes something of Bob's where untorn keeps its own.
plants=(
    'ln -s ../home $folder'
    'ln -s $PWD/../home/precious $folder'
    'ln -s nowhere $folder'
    'mkfifo $folder'
    'touch $folder'
    'mkdir $folder && ln -s ../../home $folder/lock'
    'mkdir $folder && ln -s ../../home $folder/stage'
    'mkdir $folder && ln -s ../../home $folder/inplace'
    'mkdir -p $folder/lock && ln -s ../../../home/precious $folder/lock/f'
    'mkdir -p $folder/lock && ln -s ../../../home/new $folder/lock/f'
    'mkdir -p $folder/lock && mkfifo $folder/lock/f'
    'mkdir -p $folder/lock/f'
    'mkdir -p $folder && ln -s ../../home/precious $folder/.gitignore'
    'mkdir -p $folder && ln -s ../../home/new $folder/.gitignore'
    'mkdir -p $folder/lock $folder/stage $folder/inplace && chmod -R 777 $folder'
    'mkdir -p $folder/inplace && ln -s ../../../home/precious $folder/inplace/f'
    'mkdir -p $folder/inplace && head -c 4096 /dev/urandom >$folder/inplace/f'
    'mkdir -p $folder/inplace/f'
    'mkdir -p $folder/stage && ln -s ../../../home/precious $folder/stage/f.0000000000000000'
    'mkdir -p $folder/stage && touch $folder/stage/f.0123456789abcdef'
)

# Alice, or root, meets what Bob planted.
meets() {
    local victim=$1 plant=$2 status=0 before
    before=$(snapshot home; cat home/precious home/f)
    bob "folder=$folder; $plant"
    case $victim in
    root) timeout 20 "$UNTORN" write --wait 1 shared/f new ;;
    *) timeout 20 setpriv --reuid=$ALICE --regid=$ALICE --groups=$TEAM -- \
        "$UNTORN" write --wait 1 shared/f new ;;
    esac >"$AREA/out" 2>"$AREA/err" || status=$?
    case $status in
    0) holds shared/f "new
" ;;
    1 | 6) holds shared/f "old
"
        says 'shared' ;;
    *) echo "status $status"; cat "$AREA/err"; return 1 ;;
    esac
    same "$(snapshot home; cat home/precious home/f)" "$before"
    [ ! -e home/new ]
    same "$(stat -c '%u %g %a' shared/f)" "$ALICE $TEAM 664"
    answers[status]=$((${answers[status]:-0} + 1))
}

all_plants() {
    local mode=$1 victim=$2 plant answers=()
    echo new >new
    for plant in "${plants[@]}"; do
        rm -rf home shared bobs
        scene "$mode"
        echo "planted: $plant"
        meets "$victim" "$plant"
    done
    echo "    ${#plants[@]} traps: ${answers[0]:-0} times done, ${answers[1]:-0} times refused," \
        "${answers[6]:-0} times no lock"
}

# In a sticky directory the folder itself has to be ours, whatever is in it.
sticky_folder() {
    scene 1777
    echo new >new
    bob "mkdir .untorn-$ALICE; chmod 777 .untorn-$ALICE"
    expect 1 as $ALICE "$UNTORN" write shared/f new
    says 'not safe'
    holds shared/f "old
"
    expect 1 "$UNTORN" write shared/f new
    holds shared/f "old
"
}

# A journal that was true in Bob's own directory, brought here.
copied_journal() {
    need_faultat
    scene 775
    seq 1 3000 >bobs/f
    chown $BOB bobs/f
    seq 7000 9000 >evil
    "$FAULTAT" --only write,pwrite64 --match "$PWD/bobs/f" --unit 512 --tear 1 -- \
        setpriv --reuid=$BOB --regid=$BOB --groups=$TEAM -- \
        "$UNTORN" write --keep-inode bobs/f evil 2>/dev/null || [ $? = 137 ]
    [ -n "$(ls bobs/.untorn/inplace)" ]
    # The target as the journal expects it, so that only its origin can tell.
    cp bobs/f shared/f.2
    cat shared/f.2 >shared/f
    rm shared/f.2
    cp shared/f before
    bob 'cp -rp ../bobs/.untorn .; rm -rf .untorn/lock'
    as $ALICE+$TEAM "$UNTORN" check shared >found 2>&1 || [ $? = 4 ]
    cmp before shared/f
    same "$(as $ALICE+$TEAM "$UNTORN" read shared/f | cksum)" "$(cksum <before)"
    echo new >new
    as $ALICE+$TEAM "$UNTORN" write shared/f new 2>"$AREA/err" || [ $? = 1 ]
    [ "$(cat shared/f)" = new ] || cmp before shared/f
    not grep -q '^8000$' shared/f
}

# A journal that fits in every way, but was made by someone who may not write the file.
stranger_journal() {
    need_faultat
    scene 775
    chmod 644 shared/f
    seq 1 3000 >shared/f
    seq 7000 9000 >evil
    "$FAULTAT" --only write,pwrite64 --match "$PWD/shared/f" --kill-before 1 -- \
        "$UNTORN" write --keep-inode shared/f evil 2>/dev/null || [ $? = 137 ]
    chown $BOB:$BOB shared/.untorn/inplace/f
    chmod 666 shared/.untorn/inplace/f
    same "$(as $ALICE "$UNTORN" read shared/f | tail -n 1)" 3000
    echo more >more
    as $ALICE+$TEAM "$UNTORN" append shared/f <more 2>"$AREA/err" || [ $? = 1 ]
    same "$(head -n 3000 shared/f | cksum)" "$(seq 1 3000 | cksum)"
    not grep -q '^8000$' shared/f
}

# A link planted for the file itself, in a directory where everybody may plant one.
planted_link() {
    need_root
    mkdir home shared
    chmod 1777 shared
    chown $ALICE home
    echo precious >home/precious
    chown $ALICE home/precious
    as $BOB ln -s "$PWD/home/precious" shared/f
    as $BOB ln -s "$PWD/home/fresh" shared/g
    echo new >new
    expect 1 as $ALICE "$UNTORN" write shared/f new
    says 'shared/f'
    expect 1 as $ALICE "$UNTORN" write shared/g new
    expect 1 "$UNTORN" write shared/f new
    holds home/precious "precious
"
    [ ! -e home/fresh ]
    # One's own link there is followed.
    as $ALICE ln -s "$PWD/home/precious" shared/own
    as $ALICE "$UNTORN" write shared/own new
    holds home/precious "new
"
}

# A lock file that is another name of Alice's file: no record is written into it.
linked_lock() {
    scene 775
    echo new >new
    mkdir -p shared/.untorn/lock
    chown -R $BOB:$TEAM shared/.untorn
    chmod -R 777 shared/.untorn
    ln home/precious shared/.untorn/lock/f
    local status=0
    as $ALICE+$TEAM "$UNTORN" write --wait 1 shared/f new >"$AREA/out" 2>"$AREA/err" || status=$?
    [ $status = 0 ] || [ $status = 1 ] || [ $status = 6 ]
    status=0
    "$UNTORN" lock --wait 1 shared/f -- true 2>"$AREA/err" || status=$?
    [ $status = 0 ] || [ $status = 101 ] || [ $status = 106 ]
    holds home/precious "precious
"
}

# Bob holds or has left things honestly: work goes on.
honest_neighbour() {
    scene 2775
    as $BOB+$TEAM "$UNTORN" write shared/g "$0"
    echo new >new
    as $ALICE+$TEAM "$UNTORN" write shared/f new
    holds shared/f "new
"
    as $BOB+$TEAM "$UNTORN" update shared/f -- sed s/new/bob/
    holds shared/f "bob
"
}

state_of_others() {
    need_root
    mkdir home state
    chmod 1777 state
    echo old >home/f
    chown -R $ALICE home
    echo precious >home/precious
    chown $ALICE home/precious
    echo new >new
    as $ALICE "$UNTORN" write --state-dir state home/f new 2>/dev/null || :
    local before folder
    before=$(cat home/precious)
    for folder in $(find state -mindepth 1 -maxdepth 1 -printf '%f\n'); do
        rm -rf "state/$folder"
        as $BOB ln -s ../home/precious "state/$folder"
    done
    local status=0
    timeout 20 setpriv --reuid=$ALICE --regid=$ALICE --clear-groups -- \
        "$UNTORN" write --wait 1 --state-dir state home/f "$0" 2>/dev/null || status=$?
    [ $status -lt 7 ]
    same "$(cat home/precious)" "$before"
}

check 'what Bob planted in a sticky directory harms Alice nowhere' all_plants 1777 alice
check 'what Bob planted in a sticky directory harms root nowhere' all_plants 1777 root
check 'what Bob planted in a group directory harms Alice nowhere' all_plants 775 alice
check 'what Bob planted in a group directory harms root nowhere' all_plants 775 root
check 'what Bob planted in a world-writable directory harms Alice nowhere' all_plants 777 alice
check 'a folder of someone else in a sticky directory is not used' sticky_folder
check 'a journal that was brought from another directory is never applied' copied_journal
check 'a journal made by someone who may not write the file is never applied' stranger_journal
check 'a link that someone else planted in a sticky directory is not followed' planted_link
check 'no record is written into a lock file that has a second name' linked_lock
check 'an honest neighbour is worked with' honest_neighbour
check 'a state folder that others can plant in harms nobody' state_of_others
finish
