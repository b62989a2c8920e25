# SIGKILL before, after and in the middle of every system call of every verb that changes a file.
# run: budget 30, timeout 600
. "$TESTS/withstand/lib.sh"
no_mounts
"$FAULTAT" --count -- true 2>/dev/null || { echo 'system calls cannot be traced here'; exit 77; }
base=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$base"' EXIT
"$BUILD/tests/sweep" --command "$UNTORN" --base "$base" --faults kill
