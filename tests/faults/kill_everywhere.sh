# SIGKILL before, after and in the middle of every system call of every verb that changes a file.
# run: budget 90, timeout 1200
. "$TESTS/withstand/lib.sh"
own_mounts "$@"
"$FAULTAT" --count -- true 2>/dev/null || { echo 'system calls cannot be traced here'; exit 77; }
"$BUILD/tests/sweep" --command "$UNTORN" --base "$AREA" --faults kill ${UNTORN_LONG:+--long}
