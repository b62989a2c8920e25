# The fault driver and the judge, tried on programs whose faults are known.
# run: budget 20
. "$TESTS/withstand/lib.sh"
own_mounts "$@"
sweep=$BUILD/tests/sweep toy=$BUILD/tests/toy

counts() {
    need_faultat
    printf 'one' >f
    "$FAULTAT" --trace log -- cat f >/dev/null
    [ "$(awk -F '\t' -v f="$PWD/f" '$3 == "openat" && $4 == f' log | wc -l)" = 1 ]
    # The positions are one row of numbers, and what the loader opens is not among them.
    awk -F '\t' '$1 != NR {exit 1}' log
    not grep -q 'libc\.so' log
}

passes_status() {
    need_faultat
    local status=0
    "$FAULTAT" --count -- sh -c 'exit 42' 2>/dev/null || status=$?
    same $status 42
    status=0
    "$FAULTAT" --count -- sh -c 'kill -TERM $$' 2>/dev/null || status=$?
    same $status 143
}

# dd without a status line: open the input, open the output, read, write, and so on.
kills() {
    need_faultat
    printf '123456789' >in
    local status=0
    "$FAULTAT" --only write --kill-before 1 -- dd if=in of=out bs=9 status=none 2>err || status=$?
    same $status 137
    [ -e out ]
    [ ! -s out ]
    grep -q 'call 1.write' err
    "$FAULTAT" --only write --kill-after 1 -- dd if=in of=out bs=9 status=none 2>err || :
    holds out 123456789
    "$FAULTAT" --only write --tear 1 --unit 2 -- dd if=in of=out bs=9 status=none 2>err || :
    holds out 1234
}

fails() {
    need_faultat
    printf '123456789' >in
    not "$FAULTAT" --only write --fail 1 --errno ENOSPC -- dd if=in of=out bs=9 status=none 2>err
    grep -q 'No space left' err
    not "$FAULTAT" --match "$PWD/in" --only openat --fail 1 --errno EMFILE -- \
        dd if=in of=out status=none 2>err
    grep -q 'Too many open files' err
    # Once: the second try of the shell works. For ever: it does not.
    "$FAULTAT" --only mkdir --fail 1 --errno EIO -- sh -c 'mkdir a || mkdir a' 2>err
    [ -d a ]
    not "$FAULTAT" --only mkdir --fail 1 --errno EIO --for-ever -- sh -c 'mkdir b || mkdir b' 2>err
    [ ! -d b ]
    # Done, and yet an error.
    not "$FAULTAT" --only mkdir --fail-after 1 --errno EIO -- mkdir c 2>err
    [ -d c ]
}

shortens() {
    need_faultat
    printf '123456789' >in
    "$FAULTAT" --only write --shorten 1 -- cat in >out 2>err
    holds out 123456789
}

follows() {
    need_faultat
    "$FAULTAT" --only mkdir --trace log -- sh -c 'mkdir a & (mkdir b; sh -c "mkdir c") & wait'
    same "$(wc -l <log)" 3
    "$FAULTAT" --main-only --only openat --match "$PWD/x" --trace log -- \
        sh -c ': >x; sh -c ": >x; : >x"'
    same "$(wc -l <log)" 1
}

# SIGKILL to the one that made the call, or to all of them.
kills_whom() {
    need_faultat
    "$FAULTAT" --only mkdir --caller-only --kill-before 1 -- sh -c 'mkdir a; echo on >alive' \
        2>/dev/null
    [ -e alive ]
    [ ! -e a ]
    rm alive
    "$FAULTAT" --only mkdir --kill-before 1 -- sh -c 'mkdir a; echo on >alive' 2>/dev/null || :
    [ ! -e alive ]
}

ends_what_hangs() {
    need_faultat
    local status=0
    "$FAULTAT" --seconds 1 -- sleep 60 2>err || status=$?
    same $status 137
    grep -q 'too long' err
}

judged() {
    need_faultat
    local variant=$1 wanted=$2 text=$3 status=0
    mkdir base
    TOY=$variant "$sweep" --command "$toy" --base "$PWD/base" --scenario write $4 \
        >said || status=$?
    if [ $status != "$wanted" ] || ! grep -q "$text" said; then
        cat said
        return 1
    fi
}

# As judged, but what fails are allocations.
lacking() {
    need cc
    cc -shared -fPIC -O1 -D_GNU_SOURCE= -o lack.so "$TESTS/faults/failing_malloc.c"
    judged "$1" "$2" "$3" "--faults memory --memory $PWD/lack.so"
}

# swept NAME... <LIST: each name is in the list.
swept() {
    local name missing=0
    sort -u >listed
    for name; do
        grep -qx "$name" listed || { echo "no scenario for $name"; missing=1; }
    done
    return $missing
}

all_swept() {
    local verbs examples
    verbs=$(sed -n '/^static/,/^const/p' "$TESTS/../cli/verbs.c" | grep -o '&verb_[a-z]*' |
        sed 's/.*_//')
    examples=$(cd "$TESTS/../examples" && ls ./*.c | sed 's,^./,,; s/\.c$//')
    [ "$(echo "$verbs" | wc -l)" -gt 20 ]
    [ "$(echo "$examples" | wc -l)" -gt 9 ]
    # shellcheck disable=SC2086 # words
    "$sweep" --list | swept $verbs $examples
    "$sweep" --list | not swept set unheard-of
    "$sweep" --list | grep -vx undo | not swept set undo
}

check 'every verb and every example is swept' all_swept
check 'every call is counted once, and those of the loader are not' counts
check 'the status of the program passes through' passes_status
check 'a program is killed before, after and in the middle of its N-th call' kills
check 'a call fails once or for ever, undone or done' fails
check 'a program whose write comes up short gets along' shortens
check 'programs that are started are followed' follows
check 'a kill hits the caller alone or all' kills_whom
check 'what hangs is ended' ends_what_hangs
check 'a right way of saving passes the sweep' judged right 0 'all'
check 'truncating the file first is caught' judged truncates-first 1 'neither old nor new'
check 'trusting that a write is complete is caught' judged trusts-the-count 1 'neither old nor new'
check 'a second flush after a failed one is caught' judged flushes-again 1 'flushes a file again'
check 'ignoring a failed flush is caught' judged ignores-the-flush 1 'says done although'
check 'calling it failed after the rename is caught' judged calls-it-failed 1 'says failed'
check 'believing that a rename that failed was not done is caught' \
    judged believes-the-error 1 'says failed'
check 'leaving stages behind is caught' judged leaves-litter 1 'left over'
check 'never giving up is caught' judged never-gives-up 1 hangs '--seconds 2 --long'
check 'failing without a word is caught' judged says-nothing 1 'says nothing'
check 'a right way of saving passes where memory is short' lacking right 0 'tally: failed alloc'
check 'calling it done where memory is short is caught' \
    lacking forgets-the-memory 1 'says done, but'
finish
