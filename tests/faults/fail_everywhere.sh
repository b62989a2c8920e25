# Every plausible error of every system call of every verb, once and for ever.
# run: budget 120, timeout 3600
. "$TESTS/withstand/lib.sh"
own_mounts "$@"
"$FAULTAT" --count -- true 2>/dev/null || { echo 'system calls cannot be traced here'; exit 77; }
"$BUILD/tests/sweep" --command "$UNTORN" --base "$AREA" --faults error ${UNTORN_LONG:+--long}
