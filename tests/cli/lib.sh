# shellcheck shell=bash
# For the scripts beside it: source "$TESTS/cli/lib.sh".

fail() {
    echo "$*"
    exit 1
}

# expect STATUS COMMAND...: what it prints is in ./out and ./err afterwards.
expect() {
    local wanted=$1 status=0
    shift
    "$@" >out 2>err || status=$?
    [ "$status" = "$wanted" ] || fail "status $status, not $wanted: $*" "$(cat out err)"
}

# For a script that checks many things: check SENTENCE COMMAND..., and summary at the end.
passed=0 failed=0 skipped=0
check() {
    local sentence=$1
    shift
    if "$@" >check.out 2>&1; then
        passed=$((passed + 1))
        echo "ok  $sentence"
    else
        failed=$((failed + 1))
        echo "FAIL $sentence"
        cat check.out
    fi
}

skip() {
    skipped=$((skipped + 1))
    echo "skip $1: $2"
}

summary() {
    echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
    [ $failed = 0 ]
}

# Waits until a command succeeds, ten seconds at most.
await() {
    local i
    for ((i = 0; i < 1000; i++)); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.01
    done
    fail "still not: $*"
}

verbs='set unset ensure apply edit write update append commit get read hash config'
verbs+=' log show diff restore undo lock who probe check'
