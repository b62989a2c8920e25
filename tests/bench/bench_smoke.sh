#!/bin/bash
# The bench still works: every row on every file system that can be had here; and its tables say
# what was measured. What the figures are is no matter of a test.
# run: budget 30, timeout 300
set -u
run=$TESTS/../bench/run
passed=0 failed=0 skipped=0
check() { # SENTENCE COMMAND...
    if "${@:2}"; then
        echo "ok  $1"
        passed=$((passed + 1))
    else
        echo "FAIL $1"
        cat printed
        failed=$((failed + 1))
    fi
}
finish() {
    printf '%d passed, %d failed' $passed $failed
    [ $skipped = 0 ] || printf ', %d skipped' $skipped
    echo
    exit $((failed > 0))
}

# A build folder whose programs of rows are scripts.
mkdir -p fake/bench
program() { # NAME LINE...
    printf '#!/bin/sh\n' >"fake/bench/$1"
    printf '%s\n' "${@:2}" >>"fake/bench/$1"
    chmod +x "fake/bench/$1"
}
row() { # NAME UNIT TARGET VALUE CONTROL STEADY
    echo "echo '{\"row\": \"$1\", \"peer\": \"the other\", \"unit\": \"$2\", \"target\": $3," \
        "\"ours_us\": 12.0, \"theirs_us\": 10.0, \"value\": $4, \"low\": 1.1, \"high\": 1.3," \
        "\"control\": $5, \"steady\": $6, \"pairs\": 300, \"runs\": 1}'"
}
on_fake() {
    BUILD=$PWD/fake "$run" --on tree "$@" >printed 2>&1
}
has() { # PATTERN...: each is a line of what was printed
    local pattern
    for pattern; do
        grep -qE -- "$pattern" printed || { echo "not printed: $pattern" && return 1; }
    done
}
has_not() {
    ! has "$1" >missing
}
# No image, mount or loop device, though the kernel may need a moment to let go of the last.
is_clean() { # BUILD [TRIES]
    local left
    for _ in $(seq "${2:-50}"); do
        left=$(ls -d "$1"/bench-area-* 2>/dev/null
            grep -F "$PWD/" /proc/self/mounts
            losetup --list --noheadings --output BACK-FILE 2>/dev/null | grep -F "$PWD/")
        [ -n "$left" ] || return 0
        sleep 0.1
    done
    echo "left: $left"
    return 1
}

program rows "$(row quick-one ratio 1.15 1.15 1.001 true)" \
    "$(row slow-one ratio 1.15 1.16 0.999 true)" \
    "$(row wide-one ratio 0 0.3 1 true)" \
    "$(row shown-one difference 0 31.25 1.021 false)"
on_fake
status=$?
check 'a target that is not met is printed and no failure' [ $status = 0 ]
check 'a result up to the target meets it' \
    has '^quick-one +12\.0 +10\.0 +1\.15 +1\.10 - 1\.30 +1\.001 +300 +<= 1\.15 +met$'
check 'a result above the target does not' has '^slow-one .* 0\.999 +300 +<= 1\.15 +NOT met$'
check 'a row without a target is only shown' has '^shown-one .* \+31\.2 us .* 300  -$'
check 'a noisy row is marked' has '^shown-one .* 1\.021! '
check 'a row with a wide spread is marked' has '^wide-one .* 1\.000~ ' '^wide-one +- +0\.30~$'
check 'the summary marks and counts what was met' \
    has '^quick-one +<= 1\.15 +1\.15$' '^slow-one +<= 1\.15 +1\.16\*$' \
    '^shown-one +- +\+31\.2 us!$' '^1 of 2 targets met$'
check 'the peer of each row is named' has '^slow-one +the other$'
check 'the file system and its options are named' has '^tree: .+ \(r[wo],.*\); load '
check 'the machine-readable copy has every row' "$PYTHON" -c '
import json
rows = json.load(open("fake/bench.json"))["tables"][0]["rows"]
assert [row["met"] for row in rows] == [True, False, None, None], rows'

check 'a target for journaled file systems is none without a journal' "$PYTHON" -B - "$run" <<'END'
import importlib.machinery, importlib.util, os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))  # what it imports lies beside it
loader = importlib.machinery.SourceFileLoader("run", sys.argv[1])
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)
rows = [{"target": 1, "journaled": True}, {"target": 1, "journaled": False}, {"target": 1},
        {"target": 1, "ext4_target": 2}]
assert [run.target_on(row, "tree", ["no journal"]) for row in rows] == [0, 1, 1, 1]
assert [run.target_on(row, "xfs", ["loop image, direct I/O"]) for row in rows] == [1, 1, 1, 1]
assert [run.target_on(row, "ext4", []) for row in rows] == [1, 1, 1, 2]
END

on_fake --quick
check 'quick judges nothing' has '^0 of 0 targets met$' '^quick-one .* <= 1\.15$'
program rows "echo '{\"row\": \"peerless\", \"skipped\": \"git is missing\"}'"
on_fake
check 'a row without its peer is skipped by name' \
    has '^peerless +skipped: git is missing$'
program rows "$(row one ratio 0 1 1 true)" 'exit 3'
on_fake
status=$?
check 'a program that fails is a failure and is named' \
    eval '[ $status = 1 ] && has "^rows +FAILED: ended with status 3$" "^one "'
program rows 'echo rubbish'
on_fake
check 'a program that prints no rows is a failure' [ $? = 1 ]
program rows "$(row one ratio 0 1 1 true)"
mkdir broken
printf '#!/bin/sh\necho worn out >&2\nexit 1\n' >broken/mkfs.xfs
chmod +x broken/mkfs.xfs
BUILD=$PWD/fake PATH=$PWD/broken:$PATH "$run" --on tree --on xfs >printed 2>&1
status=$?
check 'a file system that cannot be made is skipped by name' \
    eval '[ $status = 0 ] && has "^skipped: xfs: (needs root|mkfs\.xfs: worn out)$" "^one "'
check 'what it had prepared is gone' is_clean fake

program rows 'touch started' 'sleep 60'
BUILD=$PWD/fake "$run" --on ext4 >printed 2>&1 &
measuring=$!
while [ ! -e started ] && kill -0 $measuring 2>/dev/null; do
    sleep 0.1
done
if [ -e started ]; then
    check 'while it measures there is something to leave' eval '! is_clean fake 1 >seen'
    kill $measuring
fi
wait $measuring
check 'ended in the middle, it leaves nothing' is_clean fake
rm fake/bench/rows
on_fake
status=$?
check 'nothing to run is a failure that says what to do' \
    eval '[ $status = 1 ] && has "nothing to run in .*make bench builds it"'

# The real rows.
if ! "$TESTS/../tools/build" "$BUILD" bench >printed 2>&1; then
    check 'the bench builds' false
    finish
fi
mkdir real
ln -s "$BUILD/bench" "$BUILD/untorn" real
BUILD=$PWD/real "$run" --quick >printed 2>&1
status=$?
check 'every row works' eval '[ $status = 0 ] && has_not "FAILED"'
check 'nothing of it is left behind' is_clean real
for filesystem in tree ext4 xfs btrfs; do
    reason=$(sed -n "s/^skipped: $filesystem: //p" printed)
    sentence="it measures on $filesystem"
    if [ -n "$reason" ]; then
        echo "skip $sentence: $reason"
        skipped=$((skipped + 1))
    else
        check "$sentence" has "^$filesystem: .*\(rw"
    fi
done

"$BUILD/bench/replace" --quick /dev/null >printed 2>&1
status=$?
check 'a row that cannot work is a failure' eval '[ $status = 1 ] && has "failed: Not a directory"'
mkdir -p blocked/ours/.untorn/lock/state.json
"$BUILD/bench/replace" --quick blocked >printed 2>&1
status=$?
check 'a call of untorn that fails is a failure' \
    eval '[ $status = 1 ] && has "untorn_write failed"'
finish
