# A secret is never readable for others, not for a moment; and the umask is never touched.
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# Every file made under the directory is made private and never widened. Prints what breaks this.
# Lock files, .gitignore and untorn's folders hold none of the user's bytes.
too_open() {
    awk -F '\t' -v place="$2" '
        index($4, place) != 1 || $6 < 0 {next}
        $4 ~ /\/lock\/|\.gitignore|\/format|\/version/ {next}
        $4 ~ /\/\.untorn$|\/\.untorn\/[a-z]*$/ {next}
        $3 == "openat" && $5 ~ /,create,/ && $5 !~ /,create,0[0-7]00$/ {print}
        $3 ~ /^fchmod/ && $5 !~ /^0[0-7]00$/ && $4 !~ /history\/[a-z]*$/ {print} # a folder
        $3 ~ /^(fsetxattr|chmod)$/ {print}
    ' "$1"
}

private_calls() {
    need_faultat
    mkdir d
    echo old >d/f
    chmod 600 d/f
    local verb
    for verb in 'write d/f' 'update d/f -- cat' 'append d/f' 'write --keep-inode d/f' \
        'write --mode 600 d/new' 'append --mode 600 d/log' 'write --mode 600 --parents d/x/y'; do
        # shellcheck disable=SC2086
        echo secret | (umask 0; calls_of log "$UNTORN" $verb)
        too_open log "$PWD/d" >wide
        [ ! -s wide ] || { echo "$verb:"; cat wide; return 1; }
        grep -q openat log
    done
    same "$(stat -c %a d/f d/new d/log d/x/y d/x | tr '\n' ' ')" '600 600 600 600 700 '
}

# The check above sees a program that makes its file first and closes it to others afterwards.
control() {
    need_faultat
    mkdir d
    (umask 0; calls_of log sh -c 'echo secret >d/f; chmod 600 d/f')
    too_open log "$PWD/d" >wide
    [ -s wide ]
}

# Narrowing a file that was open: the new content is never in a file that others can read.
narrowing() {
    need_faultat
    mkdir d
    echo old >d/f
    chmod 644 d/f
    echo secret | (umask 0; calls_of log "$UNTORN" write --mode 600 d/f)
    too_open log "$PWD/d" >wide
    [ ! -s wide ] || { cat wide; return 1; }
    same "$(stat -c %a d/f)" 600
}

# Looking all the time while secrets are written: nothing that others can read ever holds one.
polled() {
    mkdir d
    echo secret >d/f
    chmod 600 d/f
    "$BUILD/tests/mode_watch" d >watched &
    local watcher=$! i
    for i in $(seq 60); do
        (umask 0; echo "secret $i" | "$UNTORN" write d/f
            echo "secret $i" | "$UNTORN" write --keep-inode d/f
            echo "secret $i" | "$UNTORN" write --mode 600 "d/n$i")
    done
    kill -TERM $watcher
    wait $watcher
    grep -q '^looked' watched
    not grep -v '^looked' watched
    sed 's/^/    /' watched
}

# The watcher does see a file that is open for a moment.
polled_control() {
    mkdir d
    "$BUILD/tests/mode_watch" d >watched &
    local watcher=$! i
    for i in $(seq 60); do
        (umask 0; echo secret >d/f; chmod 600 d/f; rm d/f)
    done
    kill -TERM $watcher
    wait $watcher
    grep -v '^looked' watched >seen
    [ -s seen ]
}

no_umask() {
    need_faultat
    local verb
    echo old >f
    for verb in 'write f' 'write --mode 600 g' 'write h' 'update f -- cat' 'append f' \
        'write --keep-inode f' 'lock f -- true' 'write --parents a/b/c' 'read f' 'check .' \
        'probe .'; do
        # shellcheck disable=SC2086
        echo new | "$FAULTAT" --main-only --only umask --trace log -- "$UNTORN" $verb >/dev/null
        [ ! -s log ] || { echo "$verb calls umask"; return 1; }
    done
    # The trace would show it.
    "$FAULTAT" --only umask --trace log -- bash -c 'umask 077'
    [ -s log ]
}

parents_private() {
    (umask 0; echo secret | "$UNTORN" write --mode 600 --parents a/b/token
        echo plain | "$UNTORN" write --parents c/d/page)
    same "$(stat -c %a a a/b a/b/token c c/d c/d/page | tr '\n' ' ')" '700 700 600 777 777 666 '
}

check 'a private file is made private from its first byte' private_calls
check 'a file that is closed to others only afterwards is noticed' control
check 'content that narrows a file is never readable under the old mode' narrowing
check 'whoever looks all the time never sees a secret open' polled
check 'a file that is open for a moment is seen by that look' polled_control
check 'the umask is never touched' no_umask
check 'directories made above a secret are private' parents_private
finish
