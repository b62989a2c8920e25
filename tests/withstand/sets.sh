# Several files at once, in every situation that we could think of: all of them are new, or none is,
# and whatever was interrupted is finished by the next command.
# run: budget 40, timeout 300
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# Files of the names given, old; and sources beside them, new.
begin() {
    local name
    for name in "$@"; do
        mkdir -p "$(dirname "$name")"
        echo old | "$UNTORN" write "$name"
    done
    echo new >"$AREA/new"
}

commit() {
    "$UNTORN" commit "${@/%/=$AREA/new}"
}

# Kills a commit of the files when it counts already: before a file g is put in place.
commit_killed() {
    need_faultat
    local status=0
    "$FAULTAT" --only rename,renameat,renameat2 --match /g --kill-before 1 -- \
        "$UNTORN" commit "${@/%/=$AREA/new}" 2>/dev/null || status=$?
    same $status 137
}

all_hold() {
    local wanted=$1 name
    shift
    for name in "$@"; do holds "$name" "$wanted
"; done
}

# ---- finishing ----

next_command_finishes() {
    local verb
    for verb in "lock f -- true" "lock -s g -- true" "write f $AREA/third" "update g -- cat" \
        "append d/h" "check . d --repair" "commit k=$AREA/new"; do
        rm -rf f g d k .untorn
        begin f g d/h k
        echo third >"$AREA/third"
        : >"$AREA/nothing"
        commit_killed f g d/h
        # shellcheck disable=SC2086 # words
        "$UNTORN" $verb <"$AREA/nothing" >/dev/null
        same "$("$UNTORN" read g)$("$UNTORN" read d/h)" newnew
        "$UNTORN" check . d --repair
        all_hold new g d/h
        tidy . && tidy d
    done
}

readers_see_it() {
    begin f g d/h
    commit_killed f g d/h
    same "$("$UNTORN" read f)$("$UNTORN" read g)$("$UNTORN" read d/h)" newnewnew
    expect 4 "$UNTORN" check . d
    "$UNTORN" check . d --repair
    all_hold new f g d/h
}

# Before it counts: nothing has happened.
killed_early() {
    need_faultat
    begin f g d/h
    local position status=0
    for position in $(seq 1 7 60); do
        "$FAULTAT" --kill-before "$position" -- \
            "$UNTORN" commit {f,g,d/h}="$AREA/new" 2>/dev/null || status=$?
        same "$("$UNTORN" read f)" "$("$UNTORN" read g)"
        same "$("$UNTORN" read g)" "$("$UNTORN" read d/h)"
    done
    "$UNTORN" commit {f,g,d/h}="$AREA/new"
    all_hold new f g d/h
    tidy . && tidy d
}

# ---- members of every kind ----

through_links() {
    begin real/f g
    mkdir home
    ln -s ../real/f home/f
    commit home/f g
    all_hold new real/f g
    [ -L home/f ]
    shows home f
    tidy real && tidy .
}

mounted_file() {
    need_mounts
    begin f g
    echo old >source
    touch mounted
    mount --bind source mounted
    commit f mounted g
    all_hold new f g mounted source
    tidy .
}

mounted_file_killed() {
    need_mounts
    begin f g
    echo old >source
    touch mounted
    mount --bind source mounted
    commit_killed f mounted g
    "$UNTORN" lock mounted -- true
    "$UNTORN" lock f -- true
    all_hold new f g mounted
    tidy .
}

new_and_gone() {
    begin f g
    "$UNTORN" commit made="$AREA/new" f="$AREA/new" --remove g
    all_hold new f made
    [ ! -e g ]
    shows . f made
    "$UNTORN" undo f
    all_hold old f g
    [ ! -e made ]
    tidy .
}

# A file that was to be new, or to go, and exactly that was interrupted.
new_and_gone_killed() {
    begin f g
    need_faultat
    local position status
    for position in $(seq 1 40); do
        rm -rf f g made .untorn
        begin f g
        status=0
        "$FAULTAT" --only rename,renameat,renameat2,unlink,unlinkat,fsync,fdatasync \
            --kill-before "$position" -- \
            "$UNTORN" commit made="$AREA/new" f="$AREA/new" --remove g 2>/dev/null || status=$?
        [ $status = 137 ] || break
        "$UNTORN" lock f -- true
        "$UNTORN" check . --repair
        case $(cat f) in
        old) holds g "old
" && [ ! -e made ] ;;
        new) holds made "new
" && [ ! -e g ] ;;
        esac
        tidy .
    done
    same $status 0
}

wrong_members() {
    begin f
    mkdir folder
    ln -s nowhere/at/all dangling
    expect 4 commit f folder
    expect 3 commit f nowhere/g
    expect 3 "$UNTORN" commit f="$AREA/new" --remove missing
    ln -s f same
    expect 2 commit f same
    says same
    expect 2 commit f ./f
    all_hold old f
    shows . f folder dangling same
    tidy .
}

thousand() {
    mkdir -p many
    local names=() i
    for i in $(seq 1 1000); do names+=("many/$i"); done
    echo new >"$AREA/new"
    (ulimit -n 1024; commit "${names[@]}")
    same "$(cat many/* | sort | uniq -c | tr -d ' ')" 1000new
    echo newer >"$AREA/new"
    (ulimit -n 1024; commit "${names[@]}")
    same "$(cat many/* | sort | uniq -c | tr -d ' ')" 1000newer
    tidy many
}

# A descriptor for each lock and each directory: more than the usual number, which the command
# raises as far as it may. Where it may not, that is told, and nothing is changed.
hundred_directories() {
    local names=() i
    for i in $(seq 1 1000); do
        mkdir -p "many/$((i % 100))"
        names+=("many/$((i % 100))/$i")
    done
    echo new >"$AREA/new"
    (ulimit -n 1024; expect 1 commit "${names[@]}" && says 'ulimit -n')
    same "$(find many -type f ! -path '*/.untorn/*' | wc -l)" 0
    (ulimit -Sn 1024; commit "${names[@]}")
    same "$(cat many/*/* | sort | uniq -c | tr -d ' ')" 1000new
    (ulimit -Sn 1024; "$UNTORN" undo many/7/7 >undone)
    same "$(wc -l <undone)" 1000
}

thousand_killed() {
    need_faultat
    mkdir -p many
    local names=() i status=0
    for i in $(seq 1 1000); do names+=("many/$i"); done
    echo old >"$AREA/new"
    commit "${names[@]}"
    echo new >"$AREA/new"
    "$FAULTAT" --seconds 120 --only renameat2 --kill-before 500 -- \
        "$UNTORN" commit "${names[@]/%/=$AREA/new}" 2>/dev/null || status=$?
    same $status 137
    (ulimit -n 1024; "$UNTORN" lock many/7 -- true)
    same "$(cat many/* | sort | uniq -c | tr -d ' ')" 1000new
    tidy many
}

two_file_systems() {
    tmpfs p 2m
    ext4 q 8
    begin p/f q/g
    commit_killed p/f q/g
    same "$("$UNTORN" read p/f)$("$UNTORN" read q/g)" newnew
    "$UNTORN" lock q/g -- true
    "$UNTORN" lock p/f -- true
    all_hold new p/f q/g
    tidy p && tidy q
}

# ---- a directory that is not there when it is needed ----

# Of two directories one knows whether the commit counts. With that one away the other is in doubt
# and says so; with the other one away it goes on by itself.
directory_away() {
    local away here doubts=0
    for away in p q; do
        here=$([ $away = p ] && echo q/g || echo p/f)
        rm -rf p q away
        begin p/f q/g
        commit_killed p/f q/g
        mv $away away
        local status=0
        echo third | "$UNTORN" write $here 2>"$AREA/err" || status=$?
        case $status in
        0) holds $here "third
" ;;
        1)
            doubts=$((doubts + 1))
            says "$away"
            holds $here "old
"
            expect 4 "$UNTORN" check "$(dirname $here)"
            # Back again: it is decided.
            mv away $away
            "$UNTORN" lock $here -- true
            all_hold new p/f q/g
            mv $away away
            ;;
        *) cat "$AREA/err"; return 1 ;;
        esac
        mv away $away
        "$UNTORN" lock p/f -- true
        "$UNTORN" lock q/g -- true
        "$UNTORN" check p q --repair
        tidy p && tidy q
    done
    same $doubts 1
}

given_up() {
    local away here
    for away in p q; do
        here=$([ $away = p ] && echo q/g || echo p/f)
        rm -rf p q
        begin p/f q/g
        commit_killed p/f q/g
        rm -rf $away
        local status=0
        echo third | "$UNTORN" write $here 2>"$AREA/err" || status=$?
        [ $status = 1 ] || continue
        expect 4 "$UNTORN" check "$(dirname $here)" --repair
        # Given up it is still kept aside, and only then gone.
        "$UNTORN" check "$(dirname $here)" --repair --abandon
        "$UNTORN" check "$(dirname $here)" --repair --abandon
        echo third | "$UNTORN" write $here
        holds $here "third
"
        tidy "$(dirname $here)"
        return 0
    done
    echo 'no directory was missed'
    return 1
}

# ---- others ----

without_the_right_to_write() {
    need_root
    begin f g
    chmod 644 f g
    commit_killed f g
    local before
    before=$(snapshot .)
    same "$(as $ALICE "$UNTORN" read f)$(as $ALICE "$UNTORN" read g)" newnew
    expect 1 as $ALICE "$UNTORN" write f "$AREA/new"
    same "$(snapshot .)" "$before"
    "$UNTORN" lock f -- true
    all_hold new f g
}

# A member that only its owner may write: nothing changes, and nothing is left that would have to be
# finished. [TXN-8]
of_another() {
    need_root
    mkdir d
    chmod 777 d
    cd d
    begin f g
    chown $ALICE f
    chown $BOB g
    chmod 644 f g
    expect 1 as $ALICE "$UNTORN" commit f="$AREA/new" g="$AREA/new"
    says g
    all_hold old f g
    as $ALICE "$UNTORN" write f "$AREA/new"
    all_hold new f
    as $BOB "$UNTORN" check --repair .
    all_hold old g
    tidy .
}

marked_directory() {
    need chattr
    ext4 disk 8
    begin disk/p/f disk/q/g
    chattr +i disk/q || skip 'files cannot be marked here'
    expect 1 commit disk/p/f disk/q/g
    says immutable
    expect 1 "$UNTORN" commit disk/p/f="$AREA/new" --remove disk/q/g
    says immutable
    all_hold old disk/p/f disk/q/g
    chattr -i disk/q
    commit disk/p/f disk/q/g
    all_hold new disk/p/f disk/q/g
    tidy disk/p && tidy disk/q
}

# It fails, and leaves all as it was.
fails_whole() {
    local before
    before=$(ls disk/q)
    expect 1 "$@"
    all_hold old disk/p/f disk/q/g
    same "$(ls disk/q)" "$before"
}

marked_file() {
    need chattr
    local mark
    ext4 disk 8
    begin disk/p/f disk/q/g
    for mark in i a; do
        chattr +$mark disk/q/g || skip 'files cannot be marked here'
        fails_whole "$UNTORN" commit disk/p/f="$AREA/new" disk/q/g="$AREA/new"
        fails_whole "$UNTORN" commit --keep 0 disk/p/f="$AREA/new" disk/q/g="$AREA/new"
        fails_whole "$UNTORN" commit disk/p/f="$AREA/new" --remove disk/q/g
        chattr -$mark disk/q/g
    done
}

# In a directory that is only append-only a new file has its place.
new_in_marked_directory() {
    need chattr
    ext4 disk 8
    begin disk/p/f disk/q/g
    mkdir disk/s
    chattr +i disk/q || skip 'files cannot be marked here'
    fails_whole "$UNTORN" commit disk/p/f="$AREA/new" disk/q/new="$AREA/new"
    says immutable
    fails_whole "$UNTORN" commit --state-dir disk/s disk/p/f="$AREA/new" disk/q/new="$AREA/new"
    chattr -i disk/q
    chattr +a disk/q disk/q/.untorn/stage
    fails_whole "$UNTORN" commit disk/p/f="$AREA/new" disk/q/new="$AREA/new"
    says append-only
    chattr -a disk/q/.untorn/stage
    commit disk/p/f disk/q/new
    all_hold new disk/p/f disk/q/new
    chattr -a disk/q
}

# Our folder in it is open to who may not change the directory itself, or lies elsewhere.
closed_directory() {
    need_root
    begin disk/p/f disk/q/g
    mkdir disk/s
    chown -R $ALICE:$ALICE disk
    chmod 555 disk/q
    fails_whole as $ALICE "$UNTORN" commit disk/p/f="$AREA/new" disk/q/new="$AREA/new"
    fails_whole as $ALICE "$UNTORN" commit disk/p/f="$AREA/new" disk/q/g="$AREA/new"
    fails_whole as $ALICE "$UNTORN" commit disk/p/f="$AREA/new" --remove disk/q/g
    fails_whole as $ALICE "$UNTORN" commit --state-dir disk/s \
        disk/p/f="$AREA/new" disk/q/new="$AREA/new"
    fails_whole as $ALICE "$UNTORN" commit --state-dir disk/s \
        disk/p/f="$AREA/new" --remove disk/q/g
    chown $BOB disk/q/g
    chown root disk/q
    chmod 1777 disk/q
    fails_whole as $ALICE "$UNTORN" commit --state-dir disk/s \
        disk/p/f="$AREA/new" --remove disk/q/g
    chown $ALICE disk/q/g
    chmod 755 disk/q
    as $ALICE "$UNTORN" commit --state-dir disk/s disk/p/f="$AREA/new" disk/q/g="$AREA/new"
    all_hold new disk/p/f disk/q/g # in place
}

copied() {
    begin t/f t/g
    commit_killed t/f t/g
    cp -a t copy
    local f g
    f=$(cat copy/f) g=$(cat copy/g)
    echo third | "$UNTORN" write copy/k
    "$UNTORN" lock copy/f -- true
    same "$(cat copy/f)$(cat copy/g)" "$f$g"
    expect 4 "$UNTORN" check copy
    grep '^copy/g: from before a commit' "$AREA/out"
    "$UNTORN" lock t/f -- true
    all_hold new t/f t/g
    same "$(cat copy/f)$(cat copy/g)" "$f$g"
    expect 4 "$UNTORN" check copy --repair --abandon # the last time that this is known
    grep '^copy/g: from before a commit' "$AREA/out"
    "$UNTORN" check copy
    tidy t
}

restored() {
    need tar
    begin t/f t/g
    commit_killed t/f t/g
    tar -cf t.tar t
    "$UNTORN" lock t/f -- true
    echo later | "$UNTORN" write t/f
    echo later | "$UNTORN" write t/g
    local f g
    tar -xf t.tar
    f=$(cat t/f) g=$(cat t/g)
    "$UNTORN" lock t/f -- true
    same "$(cat t/f)$(cat t/g)" "$f$g"
    echo third | "$UNTORN" write t/f
    holds t/f "third
"
    same "$(cat t/g)" "$g"
}

# Somebody who knows nothing of untorn writes over a file in the middle.
meddled() {
    begin f g
    commit_killed f g
    echo foreign >g
    "$UNTORN" lock f -- true
    holds f "new
"
    holds g "foreign
"
    expect 4 "$UNTORN" check .
    echo third | "$UNTORN" write g
    holds g "third
"
    "$UNTORN" check . --repair --abandon
    tidy .
}

every_free_size() {
    local free done=0 refused=0 status
    ext4 disk 8
    seq 1 3000 >"$AREA/old"
    seq 1 9000 >"$AREA/new"
    for free in $(seq 0 12 480); do
        rm -rf disk/* disk/.untorn
        cp "$AREA/old" disk/f
        cp "$AREA/old" disk/g
        dd if=/dev/zero of=disk/FILLER bs=1024 2>/dev/null || :
        truncate -s "$(($(stat -c %s disk/FILLER) - free * 1024))" disk/FILLER
        status=0
        "$UNTORN" commit disk/{f,g}="$AREA/new" 2>"$AREA/err" || status=$?
        case $status in
        0) cmp "$AREA/new" disk/f && cmp "$AREA/new" disk/g && done=$((done + 1)) ;;
        1)
            cmp "$AREA/old" disk/f && cmp "$AREA/old" disk/g
            says 'no space'
            refused=$((refused + 1))
            ;;
        7) ;;
        *) echo "status $status with $free KiB free"; return 1 ;;
        esac
        rm disk/FILLER
        "$UNTORN" commit disk/{f,g}="$AREA/new"
        cmp "$AREA/new" disk/f && cmp "$AREA/new" disk/g
        tidy disk
    done
    [ $done -gt 0 ]
    [ $refused -gt 0 ]
    echo "    $refused amounts of free space refused, $done sufficed"
}

# A program that opens the live file to write it does not reach what was kept.
kept_stays() {
    begin f
    commit f
    echo over >f
    same "$("$UNTORN" show f)" old
    "$UNTORN" restore f 1
    echo foreign >f
    not grep -rqx foreign .untorn/history
    "$UNTORN" undo f
    echo again >f
    not grep -rqx again .untorn/history
}

check 'a killed commit is finished by the next command of any kind' next_command_finishes
check 'a killed commit that counts is what readers see' readers_see_it
check 'a commit that is killed before it counts has not happened' killed_early
check 'members behind links' through_links
check 'a member that is a mount point' mounted_file
check 'a member that is a mount point, killed' mounted_file_killed
check 'a file that is new and one that goes' new_and_gone
check 'a file that is new and one that goes, killed at every step' new_and_gone_killed
check 'members that are no files, missing, or one file twice' wrong_members
check 'a thousand files, with the usual number of descriptors' thousand
check 'a thousand files in a hundred directories' hundred_directories
check 'a thousand files, killed in the middle' thousand_killed
check 'members on two file systems, killed' two_file_systems
check 'a directory that is away puts the other in doubt, or not' directory_away
check 'a commit that nobody can decide any more is given up when told to' given_up
check 'a killed commit met by somebody who may only read' without_the_right_to_write
check 'a file that only another may write fails the commit' of_another
check 'a directory that is marked immutable fails the commit' marked_directory
check 'so does one that a file would be new in' new_in_marked_directory
check 'so does a file that is marked' marked_file
check 'so does a directory that we may not change' closed_directory
check 'a killed commit that was copied is never applied to the copy' copied
check 'a killed commit that comes back from a backup is never applied' restored
check 'a file that was written over meanwhile is kept as it is' meddled
check 'at every amount of free space the answer agrees with the files' every_free_size
check 'what was kept is out of reach of who writes the live file' kept_stays
finish
