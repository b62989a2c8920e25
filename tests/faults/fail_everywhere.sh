# Every plausible error of every system call of every verb, once and for ever.
# run: budget 60, timeout 1800
. "$TESTS/withstand/lib.sh"
no_mounts
"$FAULTAT" --count -- true 2>/dev/null || { echo 'system calls cannot be traced here'; exit 77; }
base=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$base"' EXIT
"$BUILD/tests/sweep" --command "$UNTORN" --base "$base" --faults error ${UNTORN_LONG:+--long}
