# The helpers of these scripts can fail: each is shown something that is wrong.
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# A case of its own that has to come out as failed.
caught() {
    local status=0
    (set -e; "$@") >caught.said 2>&1 &
    wait $! || status=$?
    [ $status != 0 ]
    [ $status != 77 ]
}

second_command() {
    false
    true
}

wrong_status() { expect 0 false; }
wrong_message() {
    expect 1 sh -c 'echo one >&2; exit 1'
    says two
}
wrong_content() {
    echo a >f
    holds f b
}
missing_newline() {
    printf a >f
    holds f 'a
'
}
wrong_names() {
    mkdir -p d
    touch d/extra
    shows d f
}
left_stage() {
    mkdir -p d/.untorn/stage
    touch d/.untorn/stage/f.1
    tidy d
}
touched() {
    echo a >f
    local before
    before=$(snapshot f)
    chmod 600 f
    same "$(snapshot f)" "$before"
}
did_not_fail() { not true; }

all_caught() {
    local name
    for name in second_command wrong_status wrong_message wrong_content missing_newline \
        wrong_names left_stage touched did_not_fail; do
        echo "$name:"
        caught $name
    done
}

# What is right passes the same helpers.
all_right() {
    expect 3 sh -c 'echo one >&2; exit 3'
    says one
    printf 'a\n' >f
    holds f 'a
'
    mkdir d
    touch d/f
    shows d f
    tidy d
    not false
    same a a
}

check 'every helper notices what is wrong' all_caught
check 'every helper passes what is right' all_right
finish
