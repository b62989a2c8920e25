# Many processes ask for keys of one map at once: of those who ask for the same key one creates it,
# and all get its value; whatever becomes of the map, it is never replaced by an empty one.
# run: budget 20, timeout 180
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

value() {
    "$BUILD/tests/one_value" "$@"
}

ensure_uuid() { # KEY
    "$UNTORN" ensure -k investigations.json --uuid "$1"
}

each_by_library() {
    "$BUILD/tests/shared_map" ensure investigations.json
    tidy .
    shows . investigations.json
}

register() { # PROCESS
    local target
    for target in $(seq 0 24); do
        ensure_uuid "/srv/$1/target-$target"
    done
}

each_by_command() {
    local process children=()
    for process in $(seq 0 7); do
        register "$process" >"got-$process" &
        children+=($!)
    done
    for process in "${children[@]}"; do
        wait "$process"
    done
    [ "$(cat got-* | sort -u | wc -l)" = 200 ]
    [ "$(jq length investigations.json)" = 200 ]
    [ "$(jq -r '.[]' investigations.json | sort)" = "$(cat got-* | sort)" ]
}

# $1 asks; prints how many different answers 64 processes got.
ask_at_once() {
    local child children=()
    for child in $(seq 64); do
        "$1" /srv/target >"one-$child" &
        children+=($!)
    done
    for child in "${children[@]}"; do
        wait "$child"
    done
    cat one-* | sort -u | wc -l
}

one_by_command() {
    [ "$(ask_at_once ensure_uuid)" = 1 ]
    [ "$(cat one-1)" = "$("$UNTORN" get -k investigations.json /srv/target)" ]
}

# What a script does that knows no better.
get_or_set() {
    "$UNTORN" get -k investigations.json "$1" 2>/dev/null && return
    local uuid
    uuid=$(cat /proc/sys/kernel/random/uuid)
    sleep 0.1
    "$UNTORN" set -k investigations.json "$1" "$uuid"
    echo "$uuid"
}

is_caught_by_command() {
    [ "$(ask_at_once get_or_set)" -gt 1 ]
}

is_caught() {
    local status=0
    value "$@" || status=$?
    [ $status = 1 ]
}

damaged_stays() {
    local content child children=() status
    for content in '' '{"/srv/a": "b"' 'nonsense'; do
        printf %s "$content" >investigations.json
        for child in $(seq 8); do
            ensure_uuid /srv/target 2>/dev/null &
            children+=($!)
        done
        for child in "${children[@]}"; do
            status=0
            wait "$child" || status=$?
            [ $status = 4 ]
        done
        children=()
        [ "$(cat investigations.json)" = "$content" ]
    done
}

check 'eight programs get or create 25 targets each, and all 200 are there' each_by_library
check 'eight shells get or create 25 targets each, and all 200 are there' each_by_command
check '64 programs that ask for one target get one UUID' value ensure investigations.json 64
check '64 shells that ask for one target get one UUID' one_by_command
check 'a map that does not parse stays as it is, whoever asks' damaged_stays
check 'a folder removed underneath leaves a whole map or none, and nobody hangs' value removed map 2
check 'a program that looks and then sets is caught' is_caught get-then-set investigations.json 64
check 'a script that looks and then sets is caught' is_caught_by_command
finish
