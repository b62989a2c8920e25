# Many unrelated processes make declarative updates of the same documents at once, are killed,
# stopped, forked, kept out by foreign locks, and have untorn's folder removed under them: each
# update is there exactly once if it was acknowledged and not at all if it failed. The same judge
# (tests/driver/edit_judge.h) names the rule that each of many broken ways breaks.
# run: budget 60, timeout 600
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# In the short run seconds decide, in the long one how much was done.
long=${UNTORN_LONG:+yes}

storm() {
    "$BUILD/tests/edit_storm" --untorn "$UNTORN" "$@"
}

# storm_for SECONDS UPDATES KILLS OPTION...: until so long or, in the long run, so much.
storm_for() {
    local seconds=$1 updates=$2 kills=$3
    shift 3
    if [ "$long" ]; then
        storm --operations "$updates" --kills "$kills" --seconds 3600 "$@"
    else
        storm --operations 1000000 --seconds "$seconds" "$@"
    fi | tee -a "$AREA/figures"
    [ "${PIPESTATUS[0]}" = 0 ]
}

# On the file system of the temporary files, which may be a disk.
on_disk() {
    local place
    place=$(mktemp -d)
    cd "$place"
    storm_for "$@"
    cd /
    rm -rf "$place"
}

# caught RULE OPTION...: it is broken, and the storm names this rule (or one of [RULES]).
caught() {
    local rule=$1 status=0
    shift
    storm --operations 4000 --epoch 800 --seconds 60 "$@" >"$AREA/out" || status=$?
    cat "$AREA/out"
    [ $status = 1 ]
    grep -q "^    broken: rule $rule," "$AREA/out"
}

fault() {
    local rule=$1 name=$2
    shift 2
    caught "$rule" --scheme separate-lock --fault "$name" "$@"
}

# Mistakes that only a kill between two steps brings out, or a wait that ends between them: as long
# as it takes.
combiner() {
    local rule=$1 name=$2
    shift 2
    caught "$rule" --scheme combine --fault "$name" --kill-us 1500 --impatient 20 --readers 2 \
        --operations 1000000 "$@"
}

totals() {
    awk '{
        for (i = 2; i <= NF; i++) {
            if ($i == "updates") updates += $(i - 1)
            if ($i == "kills") kills += $(i - 1)
            if ($i == "reads,") reads += $(i - 1)
        }
    }
    END {
        printf "    in all %d updates, %d reads, %d kills\n", updates, reads, kills
        exit !(updates > 0 && kills > 0 && (!long || (updates >= 1000000 && kills >= 20000)))
    }' long="${long:+1}" "$AREA/figures"
}

rinse='rm -rf .untorn 2>/dev/null'

check 'sixteen processes' storm_for 2 400000 0 --processes 16 --readers 2
check 'sixty-four processes on three files, with kills and foreign locks' \
    storm_for 3 120000 1000 --processes 64 --files 3 --kill-us 5000 --foreign 2
check 'two processes, killed' storm_for 2 60000 4000 --processes 2 --kill-us 1500
check 'eight processes, killed' storm_for 3 120000 7000 --kill-us 1500 --readers 2
check 'killed and stopped, with forked children and foreign locks, many impatient' \
    storm_for 3 80000 3000 --kill-us 3000 --stop-us 3000 --forks 10 --foreign 2 --impatient 40 \
    --files 2
check 'threads that fork, killed' \
    storm_for 2 80000 2000 --processes 4 --threads 4 --forks 10 --kill-us 3000
check 'every level at once, killed' storm_for 2 60000 2000 --level mixed --kill-us 3000 --files 2
check 'durable updates beside the temporary files, killed' \
    on_disk 3 20000 1000 --level durable --kill-us 4000
check 'commands only' storm_for 2 20000 500 --scheme command --kill-us 8000
check 'programs and commands, killed' storm_for 2 40000 2000 --scheme both --kill-us 3000
check 'with the folder removed over and over' \
    storm_for 2 40000 0 --processes 16 --rinse "$rinse"
check 'with the folder removed and processes killed and stopped' \
    storm_for 2 40000 1000 --rinse "$rinse" --kill-us 5000 --stop-us 5000
check 'so much was tried' totals

check 'a lock file that is never removed passes the same judge' \
    storm --scheme separate-lock --kill-us 4000 --operations 2000 --epoch 800
check 'a lock on the file that is replaced is caught' caught 1 --scheme lock-on-the-data
check 'a lock file that is removed after use is caught' caught 1 --scheme unlinked-lock
check 'a second look before the rename is caught' caught 1 --scheme second-look
check 'the breaking of locks by their age is caught' \
    caught 1 --scheme stale-lock --stop-us 4000
check 'an update that is acknowledged and forgotten is caught' fault 1 forget
check 'an update that is applied twice is caught' fault 1 twice
check 'an update that is given up and yet applied is caught' fault 2 late
check 'a function that sees another list than the one it changes is caught' fault 3 other-past
check 'two updates of one process in the wrong order are caught' fault 4 swap
check 'a document that is written in place is caught' fault 5 tear --readers 2
check 'a reader who is shown an old version is caught' fault 6 old-read --readers 4
check 'a good update that fails with a bad one is caught' fault 7 shared-fate
check 'an update that does not wait for its time is caught' fault 7 impatient
check 'an update that is left in doubt without need is caught' fault 7 needless
check 'an update of which one edit is missing is caught' fault 8 half
check 'a stage that is left over is caught' fault 9 litter
check 'an update that never returns is caught' \
    fault 10 hang --wait-ms 1000 --grace-ms 1000
check 'a process that ends by itself is caught' fault 10 crash
check 'a combiner that settles what the dead left passes the same judge' \
    storm --scheme combine --kill-us 2000 --stop-us 5000 --forks 5 --files 2 --impatient 20 \
    --operations ${long:+20}5000 --seconds 120
check 'a combiner that applies again what the dead had applied is caught' combiner 1 repeat
check 'a combiner that believes what the dead intended is caught' combiner 1 trust
check 'a combiner that reports before it has applied is caught' combiner '[16]' forestall
check 'a combiner that turns away what it has taken is caught' combiner 2 turn-away
finish
