# What the script tests of withstand/ and faults/ share: cases, users, file systems, faults.
#
#     . "$TESTS/withstand/lib.sh"
#     own_mounts "$@"                 # first: goes on in a mount namespace of its own, if it can
#     check 'a sentence' function     # each in an empty directory and a subshell with set -e
#     finish
#
# A function fails by any failing command that stands alone (not by one before && or after !), and
# skips by `skip REASON`. In it: $PWD is its own
# directory, open to every user, on the file system of $AREA (in memory where possible, for speed).

passed=0 failed=0 skipped=0 case_number=0
ALICE=1201 BOB=1202 TEAM=1300
export LC_ALL=C GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
unset UNTORN_LOCK UNTORN_STATE_DIR
umask 022

# In its own namespace nothing that is mounted is seen by others or outlives the script.
own_mounts() {
    if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS:-}" ] &&
        unshare --mount --propagation private true 2>/dev/null; then
        exec unshare --mount --propagation private env OWN_MOUNTS=1 bash "$0" "$@"
    fi
    if [ -n "${OWN_MOUNTS:-}" ]; then
        local point=/mnt
        case $BUILD:$TESTS: in */mnt/*) point=/srv ;; esac # not over the project itself
        mount -t tmpfs -o size=1g,mode=755 untorn $point ||
            { echo 'nothing can be mounted here'; exit 77; }
        AREA=$point/area BIN=$point/bin
        mkdir "$AREA" "$BIN"
        mount --bind "$BUILD" "$BIN"
    else
        BIN=$BUILD
        AREA=$(mktemp -d -p /dev/shm untorn-XXXXXX 2>/dev/null || mktemp -d)
        trap 'rm -rf "$AREA"' EXIT
    fi
    UNTORN=$BIN/untorn
    FAULTAT=$BIN/tests/faultat
    PATH=$BIN:$PATH
    export UNTORN PATH
}

check() {
    local sentence=$1 status
    shift
    case_number=$((case_number + 1))
    local place=$AREA/$case_number
    mkdir "$place"
    (set -eE; trap 'said_where $LINENO' ERR; cd "$place"; "$@") >"$AREA/said" 2>&1
    status=$?
    if [ $status = 0 ]; then
        passed=$((passed + 1))
        echo "ok  $sentence"
        grep '^    ' "$AREA/said" || :
    elif [ $status = 77 ]; then
        skipped=$((skipped + 1))
        echo "skip $sentence: $(tail -n 1 "$AREA/said")"
    else
        failed=$((failed + 1))
        echo "FAIL $sentence (status $status)"
        sed 's/^/    /' "$AREA/said" | tail -n 40
    fi
    leave "$place"
}

said_where() {
    echo "failed at line $1 of $(basename "$0")"
}

# Takes away what a case mounted in its place, then the place.
leave() {
    local point
    awk -v place="$1/" 'index($5, place) == 1 {print $5}' /proc/self/mountinfo | sort -r |
        while read -r point; do umount "$(printf '%b' "$point")" 2>/dev/null; done
    rm -rf "$1" 2>/dev/null || { chattr -R -ia "$1"; chmod -R u+rwx "$1"; rm -rf "$1"; } 2>/dev/null
}

finish() {
    if [ $skipped -gt 0 ]; then
        echo "$passed passed, $failed failed, $skipped skipped"
    else
        echo "$passed passed, $failed failed"
    fi
    [ $failed = 0 ]
    exit
}

skip() {
    echo "$*"
    exit 77
}

need_root() {
    [ "$(id -u)" = 0 ] || skip 'needs root, to act as several users'
}

need_mounts() {
    [ -n "${OWN_MOUNTS:-}" ] || skip 'needs root and a mount namespace of its own'
}

# A kernel may let itself be asked and yet show no call.
can_trace() {
    "$FAULTAT" --count -- cat "$0" 2>&1 >/dev/null | grep -q ': [1-9][0-9]* calls'
}

need_faultat() {
    can_trace || skip 'system calls cannot be traced here'
}

need() {
    command -v "$1" >/dev/null || skip "needs $1"
}

# ---- expectations ----

# expect STATUS COMMAND...: runs it; what it printed is in ./out and ./err of $AREA.
expect() {
    local wanted=$1 status=0
    shift
    "$@" >"$AREA/out" 2>"$AREA/err" || status=$?
    if [ "$status" != "$wanted" ]; then
        echo "expected status $wanted, got $status: $*"
        cat "$AREA/out" "$AREA/err"
        return 1
    fi
}

# not COMMAND...: it has to fail. (set -e would not mind a failing `! COMMAND`.)
not() {
    if "$@"; then
        echo "should have failed: $*"
        return 1
    fi
}

# The last command's message has this text.
says() {
    grep -q -e "$1" "$AREA/err" || {
        echo "expected a message with: $1"
        cat "$AREA/err"
        return 1
    }
}

# holds FILE TEXT: the file is exactly this.
holds() {
    [ "$(cat -- "$1"; echo x)" = "$2"x ] || {
        echo "$1 should hold: $2"
        head -c 500 -- "$1"
        return 1
    }
}

same() {
    [ "$1" = "$2" ] || {
        printf 'expected: %s\n     got: %s\n' "$2" "$1"
        return 1
    }
}

# shows DIRECTORY NAME...: nothing but these and untorn's own folder.
shows() {
    local directory=$1
    shift
    same "$(ls -A "$directory" | grep -v -e '^\.untorn$' -e '^\.untorn-[0-9]*$' | sort)" \
        "$(printf '%s\n' "$@" | sort)"
}

# tidy DIRECTORY: no stage is left in untorn's folders in it, and check finds nothing unfinished.
tidy() {
    local left
    left=$(find "$1" -path '*/.untorn*/stage/*' ! -path '*/history/*')
    same "$left" ''
    "$UNTORN" check "$1"
}

# What a file is, beside its content: type and mode, owner, group.
about() {
    stat -c '%f %u:%g' -- "$1"
}

# Everything about a tree, to see whether anything in it was touched.
snapshot() {
    find "$1" -printf '%p %y %m %U:%G %s %i %T@ %l\n' | sort
}

# ---- users ----

# as USER COMMAND...: as that user, in its own group only. as USER+GROUP COMMAND...: also in GROUP.
as() {
    local user=${1%%+*} groups=--clear-groups
    case $1 in *+*) groups=--groups=${1#*+} ;; esac
    shift
    setpriv --reuid="$user" --regid="$user" "$groups" -- "$@"
}

# ---- file systems ----

# tmpfs DIRECTORY SIZE: a small one.
tmpfs() {
    need_mounts
    mkdir -p "$1"
    mount -t tmpfs -o size="$2",mode=755 small "$1"
}

# ext4 DIRECTORY MIB [OPTION...]: a small one in a file.
ext4() {
    local directory=$1 size=$2
    shift 2
    need_mounts
    need mkfs.ext4
    mkdir -p "$directory"
    truncate -s "${size}M" "$directory.image"
    mkfs.ext4 -q -m 0 "$@" "$directory.image"
    mount -o loop "$directory.image" "$directory" || skip 'no loop device'
}

# Fills a file system to the last byte, with a file FILLER in it.
fill() {
    dd if=/dev/zero of="$1/FILLER" bs=64k 2>/dev/null || :
    dd if=/dev/zero of="$1/FILLER.2" bs=512 2>/dev/null || :
}

# ---- faults ----

# The calls of a command, as faultat logs them: position, pid, name, path, argument, result.
calls_of() {
    local log=$1
    shift
    "$FAULTAT" --trace "$log" -- "$@"
}
