# Locks: nested, inherited, stopped, left to children.
# run: budget 20
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

free() {
    timeout 10 "$UNTORN" lock --wait 0 "$1" -- true
}

nested() {
    echo 0 >f
    local command="$UNTORN write f new" depth
    echo 5 >new
    for depth in 1 2 3 4 5; do
        command="$UNTORN lock f -- $command"
    done
    timeout 10 $command
    holds f "5
"
    timeout 10 "$UNTORN" lock f -- "$UNTORN" update f -- sed s/5/6/
    timeout 10 "$UNTORN" lock f -- "$UNTORN" update f -- \
        sh -ec 'echo other | "$UNTORN" append g; sed s/6/7/'
    holds f "7
"
    holds g "other
"
    free f
}

# Inside one lock, several commands at a time still exclude each other.
inner_exclude() {
    : >f
    timeout 60 "$UNTORN" lock f -- sh -c '
        for i in 1 2 3 4 5 6 7 8; do
            (for j in 1 2 3 4 5; do "$UNTORN" update f -- sh -c "cat; echo $i.$j"; done) &
        done
        wait'
    same "$(sort -u f | wc -l)" 40
    same "$(wc -l <f)" 40
    free f
}

depth_exclude() {
    : >f
    timeout 60 "$UNTORN" lock f -- "$UNTORN" lock f -- "$UNTORN" lock f -- sh -c '
        for i in 1 2 3 4 5 6; do
            "$UNTORN" lock f -- "$UNTORN" lock f -- "$UNTORN" update f -- sh -c "cat; echo $i" &
        done
        wait'
    same "$(sort -u f | wc -l)" 6
    free f
}

outside_waits() {
    : >f
    "$UNTORN" lock f -- sh -c 'touch held; sleep 1; echo inside | "$UNTORN" append f' &
    while [ ! -e held ]; do sleep 0.01; done
    echo outside | "$UNTORN" append f
    wait
    holds f "inside
outside
"
}

# The name of a lock in the environment is no proof: without the handle one is outside.
forged() {
    : >f
    "$UNTORN" lock f -- sh -c 'echo "$UNTORN_LOCK" >value; touch held; sleep 1' &
    while [ ! -e held ]; do sleep 0.01; done
    echo x >new
    UNTORN_LOCK=$(cat value) expect 6 "$UNTORN" write --wait 0.1 f new
    UNTORN_LOCK="$(cat value)" expect 6 "$UNTORN" write --wait 0.1 f new 3</dev/null 4<f 5<value
    UNTORN_LOCK=nonsense expect 6 "$UNTORN" write --wait 0.1 f new
    [ ! -s f ]
    wait
    "$UNTORN" write f new
}

stopped() {
    echo old >f
    "$UNTORN" lock f -- sh -c 'touch held; exec sleep 2' &
    local holder=$! child
    while [ ! -e held ]; do sleep 0.01; done
    child=$(pgrep -P $holder)
    kill -STOP $holder "$child"
    echo new >new
    expect 6 timeout 10 "$UNTORN" write --wait 0.3 f new
    says "$holder"
    expect 6 timeout 10 "$UNTORN" append --wait 0 f <new
    says "$holder"
    expect 0 "$UNTORN" who f
    grep -q "pid $holder" "$AREA/out"
    holds f "old
"
    kill -CONT "$child" $holder
    timeout 10 "$UNTORN" write f new
    holds f "new
"
    wait $holder
}

# A writer stopped in the middle of its work is waited for; afterwards both are there.
stopped_writer() {
    need_faultat
    : >f
    "$UNTORN" update f -- sh -c 'touch held; sleep 0.5; cat; echo first' &
    local writer=$!
    while [ ! -e held ]; do sleep 0.01; done
    kill -STOP $writer
    expect 6 "$UNTORN" update --wait 0.2 f -- sh -c 'cat; echo second'
    kill -CONT $writer
    "$UNTORN" update f -- sh -c 'cat; echo second'
    wait $writer
    holds f "first
second
"
}

child_alive() {
    echo old >f
    "$UNTORN" lock f -- sh -c 'echo $$ >child; touch held; exec sleep 1.5' &
    local holder=$!
    while [ ! -e held ]; do sleep 0.01; done
    kill -KILL $holder
    wait $holder || :
    echo new >new
    expect 6 "$UNTORN" write --wait 0.1 f new
    expect 0 "$UNTORN" who f
    grep -q 'gone' "$AREA/out"
    holds f "old
"
    timeout 10 "$UNTORN" write f new
    not grep -s '^State:.*sleeping' "/proc/$(cat child)/status"
    holds f "new
"
    expect 3 "$UNTORN" who f
}

who_says() {
    echo old >f
    expect 3 "$UNTORN" who f
    "$UNTORN" lock f -- sh -c 'touch held; exec sleep 1' &
    local holder=$!
    while [ ! -e held ]; do sleep 0.01; done
    expect 0 "$UNTORN" who f
    grep -q "pid $holder" "$AREA/out"
    grep -q 'untorn lock f' "$AREA/out"
    grep -q "$(hostname)" "$AREA/out"
    wait
    expect 3 "$UNTORN" who f
}

shared() {
    echo old >f
    "$UNTORN" lock -s f -- sh -c 'touch held; exec sleep 1' &
    while [ ! -e held ]; do sleep 0.01; done
    timeout 5 "$UNTORN" lock -s --wait 0 f -- true
    expect 106 "$UNTORN" lock --wait 0 f -- true
    echo new >new
    expect 6 "$UNTORN" write --wait 0 f new
    wait
    expect 1 timeout 5 "$UNTORN" lock -s f -- "$UNTORN" write --wait 1 f new
    holds f "old
"
    free f
}

# Two lists in opposite order, over and over: nobody waits for ever.
several() {
    local i
    (for i in $(seq 30); do timeout 20 "$UNTORN" lock a b c -- true || exit 1; done) &
    local other=$!
    for i in $(seq 30); do timeout 20 "$UNTORN" lock c b a -- true; done
    wait $other
    timeout 5 "$UNTORN" lock a a ./a -- true
}

passes_on() {
    expect 7 "$UNTORN" lock f -- sh -c 'exit 7'
    expect 137 "$UNTORN" lock f -- sh -c 'kill -9 $$'
    expect 127 "$UNTORN" lock f -- ./missing
    expect 106 "$UNTORN" lock f -- env -u UNTORN_LOCK "$UNTORN" lock --wait 0 f -- true
    expect 102 "$UNTORN" lock f
    free f
}

in_process() {
    "$BUILD/tests/lock_inside" f
    free f
}

check 'locks nest five deep and work goes on inside' nested
check 'commands inside one lock exclude each other' inner_exclude
check 'commands deep inside a lock exclude each other' depth_exclude
check 'whoever is outside waits for the end of the lock' outside_waits
check 'the environment variable alone opens no lock' forged
check 'a stopped holder is waited for, named, and not robbed' stopped
check 'a writer that was stopped loses nothing and takes nothing' stopped_writer
check 'a lock stays with the child of a holder that was killed' child_alive
check 'who tells the pid, the host and the command' who_says
check 'a shared lock admits readers and no writer' shared
check 'lists of locks in any order never wait in a circle' several
check 'lock passes on how its command ended' passes_on
check 'threads, nesting and fork inside one process' in_process
finish
