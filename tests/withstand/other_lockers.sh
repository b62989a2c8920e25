# flock(1) and Python's filelock on the same lock file: all exclude each other.
# run: budget 20
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

python=${PYTHON:-/usr/bin/python3}

need_filelock() {
    "$python" -c 'import filelock' 2>/dev/null || skip 'needs the Python package filelock'
}

flock_blocks_us() {
    echo old >f
    flock l sh -c 'touch held; sleep 0.7' &
    while [ ! -e held ]; do sleep 0.01; done
    echo new >new
    expect 6 "$UNTORN" write --wait 0.1 --lock-file l f new
    expect 106 "$UNTORN" lock --wait 0 --lock-file l f -- true
    wait
    "$UNTORN" write --wait 1 --lock-file l f new
    holds f "new
"
}

we_block_flock() {
    "$UNTORN" lock --lock-file l f -- sh -c 'touch held; sleep 0.7' &
    while [ ! -e held ]; do sleep 0.01; done
    expect 1 flock --nonblock l true
    wait
    flock --nonblock l true
}

filelock_both_ways() {
    need_filelock
    echo old >f
    "$python" - <<'END' &
import filelock, pathlib, time
with filelock.FileLock("l"):
    pathlib.Path("held").touch()
    time.sleep(0.7)
END
    while [ ! -e held ]; do sleep 0.01; done
    echo new >new
    expect 6 "$UNTORN" write --wait 0.1 --lock-file l f new
    wait
    rm held
    "$UNTORN" lock --lock-file l f -- sh -c 'touch held; sleep 0.7' &
    while [ ! -e held ]; do sleep 0.01; done
    "$python" - <<'END'
import filelock
try:
    filelock.FileLock("l", timeout=0.1).acquire()
except filelock.Timeout:
    pass
else:
    raise SystemExit("filelock got a lock that is held")
END
    wait
}

# Whatever we do with it, a lock file that is not ours stays as it is.
never_written() {
    echo 'not yours' >l
    chmod 640 l
    local before
    before=$(snapshot l)
    echo x | "$UNTORN" write --lock-file l f
    "$UNTORN" update --lock-file l f -- sed s/x/y/
    "$UNTORN" lock --lock-file l f -- "$UNTORN" who --lock-file l f >/dev/null
    same "$(snapshot l)" "$before"
    holds l "not yours
"
    echo x | "$UNTORN" write --lock-file fresh f
    [ -e fresh ]
    [ ! -s fresh ]
}

# A counter that all three add one to: not one is lost.
counter_stress() {
    echo 0 >n
    local each=60 i pids=() loops=0
    need_filelock
    for i in 1 2; do
        (for _ in $(seq $each); do
            flock l sh -c 'v=$(cat n); echo $((v + 1)) >n.$$; mv n.$$ n'
        done) &
        pids+=($!)
        (for _ in $(seq $each); do
            "$UNTORN" update --wait 60 --lock-file l n -- sh -c 'read v; echo $((v + 1))'
        done) &
        pids+=($!)
        "$python" - $each <<'END' &
import filelock, os, sys
lock = filelock.FileLock("l")
for _ in range(int(sys.argv[1])):
    with lock:
        value = int(open("n").read())
        with open("n.py", "w") as file:
            file.write(f"{value + 1}\n")
        os.replace("n.py", "n")
END
        pids+=($!)
    done
    for i in "${pids[@]}"; do wait "$i"; done
    same "$(cat n)" $((6 * each))
    echo "    $((6 * each)) additions by flock(1), filelock and untorn"
}

# Without the common lock the same loops lose some: the stress is one.
stress_control() {
    echo 0 >n
    local i
    for i in 1 2 3 4; do
        (for _ in $(seq 100); do
            flock l$i sh -c 'v=$(cat n); echo $((v + 1)) >n.$$; mv n.$$ n'
        done) &
    done
    wait
    [ "$(cat n)" -lt 400 ]
}

check 'flock(1) keeps us out' flock_blocks_us
check 'we keep flock(1) out' we_block_flock
check 'filelock keeps us out, and we keep it out' filelock_both_ways
check 'a lock file that is shared with others is never written' never_written
check 'a counter that flock(1), filelock and untorn add to loses nothing' counter_stress
check 'the same loops under different locks lose additions' stress_control
finish
