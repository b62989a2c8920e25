# Many processes and threads write one configuration in all its scopes at once, by program and by
# command, nested and not, while others list it: nothing is lost, every list is consistent, nobody
# waits for ever. The same judge notices writers without a lock.
# run: budget 30, timeout 300
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

storm() {
    timeout 120 "$BUILD/tests/config_storm" "$@"
}

# caught WORDS OPTION...: it ends with 1 and says so.
caught() {
    local words=$1 status=0
    shift
    storm "$@" >"$AREA/out" || status=$?
    cat "$AREA/out"
    [ $status = 1 ]
    grep -q "$words" "$AREA/out"
}

check 'sixteen processes of a hundred updates each' storm
check 'sixteen threads of a hundred updates each' storm --processes 1 --threads 16
check 'four processes of four threads' storm --processes 4 --threads 4 --readers 4
check 'sixteen processes of the command' \
    storm --command "$UNTORN" --operations 100
check 'writers without a lock are caught' caught ' [1-9][0-9]* lost$' \
    --broken --readers 0
check 'scopes that are written one after the other are caught' \
    caught 'broken: a list has one side of a commit' --apart
finish
