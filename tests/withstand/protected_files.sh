# The kernel's own protections of shared directories switched on, and off: both have to work.
# run: serial
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

names='protected_regular protected_fifos protected_hardlinks protected_symlinks'
saved=$(cd /proc/sys/fs && for name in $names; do echo "$name=$(cat "$name")"; done)
restore() {
    local line
    rm -rf "$AREA" 2>/dev/null
    [ "$(id -u)" = 0 ] || return
    for line in $saved; do
        echo "${line#*=}" >"/proc/sys/fs/${line%=*}"
    done
}
trap restore EXIT
trap 'exit 1' HUP INT TERM

protect() {
    need_root
    local name value
    for value in "$@"; do
        name=${value%=*}
        { echo "${value#*=}" >"/proc/sys/fs/$name"; } 2>/dev/null || skip "cannot set fs.$name"
    done
}

# Alice's file and Bob's in one sticky directory, root writing both.
sticky() {
    protect "$@"
    mkdir shared
    chmod 1777 shared
    echo one >new
    as $ALICE "$UNTORN" write shared/a new
    as $BOB "$UNTORN" write shared/b new
    "$UNTORN" write shared/r new
    local name
    for name in a b r; do
        echo two | "$UNTORN" write shared/$name
        "$UNTORN" update shared/$name -- sed s/two/three/
        echo four | "$UNTORN" append shared/$name
        holds shared/$name "three
four
"
    done
    same "$(stat -c %u shared/a shared/b shared/r | tr '\n' ' ')" "$ALICE $BOB 0 "
    as $ALICE "$UNTORN" update shared/a -- sed s/three/five/
    as $BOB "$UNTORN" append shared/b <new
    as $ALICE "$UNTORN" lock shared/a -- "$UNTORN" write shared/a new
    holds shared/a "one
"
}

# Two users take turns on one file in a directory of their group.
turns() {
    protect "$@"
    mkdir shared
    chgrp $TEAM shared
    chmod "$directory_mode" shared
    local i
    for i in 1 2 3 4; do
        (umask 002; echo "alice $i" | as $ALICE+$TEAM "$UNTORN" write --mode "$file_mode" shared/f)
        same "$(cat shared/f)" "alice $i"
        (umask 002; echo "bob $i" | as $BOB+$TEAM "$UNTORN" write --mode "$file_mode" shared/f)
        same "$(cat shared/f)" "bob $i"
        as $ALICE+$TEAM "$UNTORN" update shared/f -- sed s/bob/both/
        same "$(cat shared/f)" "both $i"
        echo "root $i" | "$UNTORN" write shared/f
    done
    shows shared f
    tidy shared
}

other_lock() {
    protect "$@"
    mkdir shared
    chmod 1777 shared
    echo old >shared/f
    chown $ALICE shared/f
    as $BOB sh -c 'umask 0; touch shared/lock'
    echo new >new
    # A lock file of Bob's in a sticky directory: with protection its opening may be refused, but
    # then nothing is written.
    local status=0
    as $ALICE "$UNTORN" write --wait 1 --lock-file shared/lock shared/f new 2>"$AREA/err" ||
        status=$?
    case $status in
    0) holds shared/f "new
" ;;
    1) holds shared/f "old
"; says lock ;;
    *) return 1 ;;
    esac
    [ ! -s shared/lock ]
}

all_off='protected_regular=0 protected_fifos=0 protected_hardlinks=0 protected_symlinks=0'
all_on='protected_regular=2 protected_fifos=2 protected_hardlinks=1 protected_symlinks=1'
# shellcheck disable=SC2086
{
    check 'users of a sticky directory keep their files with protection on' sticky $all_on
    check 'users of a sticky directory keep their files with protection off' sticky $all_off
    directory_mode=2775 file_mode=664
    check 'users of a group directory take turns with protection on' turns $all_on
    check 'users of a group directory take turns with protection off' turns $all_off
    directory_mode=777 file_mode=666
    check 'users of an open directory take turns with protection on' turns $all_on
    check 'a lock file of someone else works or is refused with protection on' other_lock $all_on
    check 'a lock file of someone else works or is refused with protection off' other_lock $all_off
}
finish
