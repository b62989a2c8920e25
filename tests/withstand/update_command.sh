# A command that fails, prints nothing, is killed or cannot run changes nothing.
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

unchanged_by() {
    local wanted=$1 before
    shift
    echo old >f
    before=$(snapshot f)
    expect "$wanted" timeout 20 "$UNTORN" update f -- "$@"
    same "$(snapshot f)" "$before"
    [ -s "$AREA/err" ]
    tidy .
    shows . f
}

fails() {
    unchanged_by 1 false
    unchanged_by 1 sh -c 'echo new; exit 3'
    unchanged_by 1 sh -c 'cat; echo more; exit 1'
}

prints_nothing() {
    unchanged_by 1 true
    unchanged_by 1 sh -c 'cat >/dev/null'
    "$UNTORN" update --allow-empty f -- true
    [ -e f ]
    [ ! -s f ]
}

is_killed() {
    unchanged_by 1 sh -c 'echo new; kill -9 $$'
    unchanged_by 1 sh -c 'echo new; kill -TERM $$'
}

not_there() {
    unchanged_by 127 ./no-such-command
    touch plain
    echo old >f
    expect 126 "$UNTORN" update f -- ./plain
    holds f "old
"
}

closes_early() {
    seq 1 300000 >f
    "$UNTORN" update f -- head -n 3
    holds f "1
2
3
"
    seq 1 300000 >f
    "$UNTORN" update f -- echo short
    holds f "short
"
}

# It reads the whole of what it gets only after it printed more than a pipe holds.
prints_before_it_reads() {
    seq 1 200000 >f
    timeout 20 "$UNTORN" update f -- sh -c 'seq 1 200000; cat'
    same "$(wc -l <f)" 400000
}

no_file() {
    expect 0 "$UNTORN" update g -- sh -c 'cat; echo made'
    holds g "made
"
    expect 1 "$UNTORN" update h -- false
    [ ! -e h ]
    expect 3 "$UNTORN" update h -- true
    [ ! -e h ]
}

# A program that knows nothing of untorn replaces the file while the command runs.
replaced_meanwhile() {
    echo old >f
    "$UNTORN" update f -- sh -c '
        [ -e once ] || { touch once; echo foreign >f.new; mv f.new f; }
        cat; echo mine'
    holds f "foreign
mine
"
    tidy .
}

# One that does so each time is not fought for ever.
replaced_always() {
    echo old >f
    expect 1 timeout 60 "$UNTORN" update f -- sh -c 'cat; echo foreign >f.new; mv f.new f'
    holds f "foreign
"
    tidy .
}

# untorn itself killed or asked to end while the command runs.
interrupted() {
    local signal pid
    for signal in KILL TERM INT HUP; do
        rm -f started
        echo old >f
        (exec "$UNTORN" update f -- sh -c 'cat; echo new; touch started; exec sleep 3' \
            2>/dev/null) &
        pid=$!
        while [ ! -e started ]; do sleep 0.01; done
        kill -$signal $pid
        wait $pid || :
        holds f "old
"
        sleep 0.05
        timeout 10 "$UNTORN" update f -- sed s/old/next/
        holds f "next
"
        tidy .
    done
}

check 'a command that fails changes nothing' fails
check 'a command that prints nothing changes nothing, unless that is allowed' prints_nothing
check 'a command that is killed changes nothing' is_killed
check 'a command that cannot be run changes nothing' not_there
check 'a command need not read what it gets' closes_early
check 'a command may print before it reads' prints_before_it_reads
check 'a missing file is made by the command or not at all' no_file
check 'a file that someone replaces meanwhile is read again' replaced_meanwhile
check 'a file that is replaced again and again is given up' replaced_always
check 'an update that is ended while its command runs changes nothing' interrupted
finish
