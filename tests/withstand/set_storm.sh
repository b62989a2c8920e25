# Many processes commit overlapping sets in different orders, update single members and read the
# sets, are killed and stopped: no set is torn, no read is mixed or told of an edit that was none,
# nothing acknowledged is lost.
# run: budget 40, timeout 300
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

most=6000 seconds=8
if [ "${UNTORN_LONG:-}" ]; then
    most=2000000 seconds=60
fi

storm() {
    "$BUILD/tests/set_storm" "$@"
}

leaves_nothing() {
    "$UNTORN" commit a=a b=b one/c=one/c two/d=two/d two/e=two/e --keep 0
    tidy . && tidy one && tidy two
}

quiet() {
    storm --operations $((most / 2)) --seconds 60
    leaves_nothing
}

killed() {
    storm --kill-us 3000 --operations $most --seconds $seconds
    leaves_nothing
}

killed_and_stopped() {
    storm --kill-us 5000 --stop-us 4000 --operations $most --seconds $seconds
    leaves_nothing
}

crowded() {
    storm --writers 2 --readers 16 --operations 6000 --seconds 20
}

is_caught() {
    local status=0
    storm "$@" || status=$?
    [ $status = 1 ]
}

check 'overlapping sets committed in different orders: nothing torn, mixed or lost' quiet
check 'the same with writers killed' killed
check 'the same with writers killed and stopped' killed_and_stopped
check 'readers do not starve writers' crowded
check 'members written one after the other are caught' \
    is_caught --scheme one-by-one --kill-us 4000 --operations 3000 --seconds 10
check 'readers who call every set edited are caught' \
    is_caught --claim-edited 1 --operations 1000 --seconds 10
finish
