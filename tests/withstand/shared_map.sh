# One JSON file maps targets to names, and eight processes register 25 targets each at the same
# time: all 200 are there, whether by the library or by the command. Load, change and save without
# a lock loses some.
# run: budget 15, timeout 120
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

map() {
    "$BUILD/tests/shared_map" "$@"
}

by_library() {
    map edit investigations.json
    tidy .
    shows . investigations.json
}

register() {
    local target
    for target in $(seq 0 24); do
        "$UNTORN" set -k investigations.json "/srv/$1/target-$target" "name-$1-$target"
    done
}

register_all() {
    local process children=()
    for process in $(seq 0 7); do
        register "$process" &
        children+=($!)
    done
    for process in "${children[@]}"; do
        wait "$process"
    done
}

by_command() {
    register_all
    map check investigations.json
    tidy .
    shows . investigations.json
}

at_once() {
    map edit investigations.json &
    local child=$!
    register_all
    wait "$child"
    map check investigations.json
}

is_caught() {
    local status=0
    map "$@" || status=$?
    [ $status = 1 ]
}

check 'of 200 mappings that eight programs register at once none is lost' by_library
check 'of 200 mappings that eight shells register at once none is lost' by_command
check 'programs and shells that register the same 200 at once end with these 200' at_once
check 'load, change and save without a lock is caught' is_caught load-and-save investigations.json
finish
