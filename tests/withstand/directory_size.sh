# What a call does must not grow with the number of files beside its own.
# run: budget 30
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

populate() {
    mkdir "$1"
    (cd "$1" && seq -f 'entry%g' 1 "$2" | xargs -n 5000 touch)
    echo old >"$1/f"
    echo new >new
}

listed() {
    awk -F '\t' '$3 == "getdents64" {bytes += $6} END {print bytes + 0}' log
}

# Calls and the bytes that directory listings gave, of every verb, one after the other.
costs() {
    local verb
    for verb in 'write f new' 'write g new' 'update f -- cat new' 'append f' 'read f' 'hash f' \
        'lock f -- true' 'check f' 'check' 'write --keep-inode f new'; do
        # shellcheck disable=SC2086
        (cd "$1" && cp ../new . && calls_of ../log "$UNTORN" $verb <new >/dev/null 2>&1 && rm new)
        echo "$verb: $(wc -l <log) $(listed)"
    done
}

same_costs() {
    need_faultat
    populate few 10
    populate many 100000
    costs few >few.costs
    costs many >many.costs
    diff few.costs many.costs
    [ "$(wc -l <few.costs)" = 10 ]
    sed 's/^/    calls and listed bytes of /' many.costs
}

# The measure sees a program that does list the directory.
control() {
    need_faultat
    mkdir few many
    touch few/f
    (cd many && seq 1 2000 | xargs touch)
    calls_of log ls few >/dev/null
    few=$(listed)
    calls_of log ls many >/dev/null
    [ "$(listed)" -gt $((few * 100)) ]
}

check 'a directory of 100,000 files costs no more calls than one of 10' same_costs
check 'a program that lists the directory is noticed' control
finish
