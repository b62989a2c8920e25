# Many writers at once, killed, stopped, and with untorn's folder removed under them: nothing that
# was acknowledged is lost. The same judge catches four common ways of losing it.
# run: budget 50, timeout 300
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

long=${UNTORN_LONG:+yes}
storm() {
    "$BUILD/tests/update_storm" --untorn "$UNTORN" --file list "$@"
}

quiet() {
    storm --scheme library --processes 16 --readers 2 --operations ${long:+2}3000 --seconds 60
    tidy .
    shows . list
}

threads() {
    storm --scheme library --processes 2 --threads 8 --readers 1 --operations 2000 --seconds 60
    tidy .
}

one_process() {
    storm --scheme library --processes 1 --threads 2 --operations 1000 --seconds 60
}

commands() {
    storm --scheme command --processes 16 --operations ${long:+4}600 --seconds 60
    tidy .
    shows . list
}

killed() {
    storm --scheme library --processes 8 --readers 2 --kill-us 2000 --operations 40000 \
        --seconds ${long:+6}4
    "$UNTORN" update list -- cat
    tidy .
    shows . list
}

killed_commands() {
    storm --scheme command --processes 8 --kill-us 7000 --operations 2000 --seconds ${long:+6}4
    "$UNTORN" update list -- cat
    tidy .
    shows . list
}

stopped() {
    storm --scheme library --processes 8 --stop-us 4000 --kill-us 5000 --operations 20000 \
        --seconds 3
}

in_place() {
    storm --scheme library --in-place --processes 8 --readers 3 --operations 3000 --seconds 60
    tidy .
}

# The list at the end is what the library shows: the last one may have died in the middle.
in_place_killed() {
    storm --scheme library --in-place --processes 8 --readers 3 --kill-us 3000 \
        --operations 20000 --seconds ${long:+6}4
    "$UNTORN" update list -- cat
    tidy .
    shows . list
}

removed() {
    # What is removed while it is being removed is complained about.
    storm --scheme "$1" --processes 16 --rinse "$2" --operations "$3" --seconds ${long:+6}4 \
        2>"$AREA/complaints"
    "$UNTORN" update list -- cat
}

removed_and_killed() {
    storm --scheme library --processes 8 --rinse 'rm -rf .untorn' --kill-us 5000 \
        --operations 20000 --seconds ${long:+6}4 2>"$AREA/complaints"
    "$UNTORN" update list -- cat
}

cleaned() {
    need git
    git init -q .
    git -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m x
    # The list itself is tracked, so that the cleaning spares it.
    touch list
    git add list
    removed "$1" 'git clean -q -fdx' "$2"
}

is_caught() {
    local status=0
    storm --scheme "$@" || status=$?
    [ $status = 1 ]
}

check 'sixteen processes update one file and lose nothing' quiet
check 'threads of several processes update one file and lose nothing' threads
check 'two threads of one process update one file and lose nothing' one_process
check 'sixteen commands at a time update one file and lose nothing' commands
check 'updates that are killed leave the rest whole' killed
check 'commands that are killed leave the rest whole' killed_commands
check 'updates that are stopped and killed leave the rest whole' stopped
check 'updates in place lose nothing, and readers see whole lists' in_place
check 'updates in place that are killed lose nothing' in_place_killed
check 'with the folder removed over and over the library loses nothing' \
    removed library 'rm -rf .untorn' 20000
check 'with the folder removed over and over the command loses nothing' \
    removed command 'rm -rf .untorn' 4000
check 'with git clean over and over the library loses nothing' cleaned library 20000
check 'with git clean over and over the command loses nothing' cleaned command 4000
check 'with the folder removed and writers killed nothing is lost' removed_and_killed
check 'a lock that is looked at only once loses when its folder is removed' \
    is_caught one-check --processes 16 --rinse 'rm -rf .untorn' --operations 20000 --seconds 4
check 'a lock file that is never removed passes the same judge' \
    storm --scheme separate-lock --processes 8 --readers 2 --kill-us 4000 --operations 5000
check 'a lock on the file that is replaced is caught' \
    is_caught lock-on-the-data --processes 8 --readers 2 --operations 3000
check 'a lock file that is removed after use is caught' \
    is_caught unlinked-lock --processes 8 --readers 2 --operations 3000
check 'a second look before the rename is caught' \
    is_caught second-look --processes 8 --readers 2 --operations 3000
check 'the breaking of locks by their age is caught' \
    is_caught stale-lock --processes 8 --stop-us 4000 --operations 4000
finish
