# Every allocation of every verb fails once, and all from it on: the answer agrees with the file.
# run: budget 40, timeout 1200
. "$TESTS/withstand/lib.sh"
own_mounts "$@"
"$FAULTAT" --count -- true 2>/dev/null || { echo 'system calls cannot be traced here'; exit 77; }
command -v cc >/dev/null || { echo 'needs cc'; exit 77; }
cc -shared -fPIC -O1 -D_GNU_SOURCE= -o "$AREA/failing_malloc.so" "$TESTS/faults/failing_malloc.c"
"$BUILD/tests/sweep" --command "$UNTORN" --base "$AREA" --faults memory \
    --memory "$AREA/failing_malloc.so"
