#!/bin/bash
# The bench of many writers still works: every scheme, and whoever loses an update is caught. What
# the figures are is no matter of a test.
# run: budget 15, timeout 300
set -u
run=$TESTS/../bench/run
writers=$BUILD/bench/writers
passed=0 failed=0
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
    printf '%d passed, %d failed\n' $passed $failed
    exit $((failed > 0))
}
has() { # PATTERN...: each is a line of what was printed
    local pattern
    for pattern; do
        grep -qE -- "$pattern" printed || { echo "not printed: $pattern" && return 1; }
    done
}
has_scheme() { # NAME GROUP: it was measured, unless it is skipped by name
    has "\"row\": \"writers: $1\", \"skipped\"" >missing ||
        has "\"row\": \"writers: $2\".*\"scheme\": \"$1\".*\"rate\": [1-9]"
}
measure() { # ARGUMENT...
    rm -rf area && mkdir area
    UNTORN=$UNTORN "$writers" --quick "$@" area >printed 2>&1
}

if ! "$TESTS/../tools/build" "$BUILD" bench >printed 2>&1; then
    check 'the bench builds' false
    finish
fi

measure
status=$?
check 'no scheme loses an update' [ $status = 0 ]
for scheme in untorn again recipe python sqlite lmdb; do
    check "processes are measured with $scheme" has_scheme "$scheme" 4
done
check 'the job is the same for all who are fast enough' \
    eval '[ "$(grep "\"row\": \"writers: 4\"" printed | grep -v python |
        grep -o "\"updates\": [0-9]*" | sort -u)" = "\"updates\": 80" ]'
for scheme in 'untorn set' 'set again' 'git config' crudini; do
    check "commands in loops are measured with $scheme" has_scheme "$scheme" '2 commands'
done
check 'one that is alone is measured against the plain path' \
    has '"row": "writers: 1 against the plain path"'
check 'a scheme that is wrong is measured only if it is asked for' \
    eval '! has unlocked >missing'

# The negative control: the recipe without its lock.
measure --only 'writers: 4' --scheme unlocked
status=$?
check 'a lost update is a failure that says whose it is' \
    eval '[ $status = 1 ] && has "^unlocked: lost an update: writer [0-3] of 4 was told that "'
measure --only 'writers: 4' --scheme recipe
check 'the same with its lock loses nothing' [ $? = 0 ]

rm -rf area && mkdir -p area/hand/state.json.lock
"$writers" --quick --scheme recipe area >printed 2>&1
status=$?
check 'a writer that fails is a failure' \
    eval '[ $status = 1 ] && has "lock a file failed: Is a directory"'
mkdir empty
rm -rf area && mkdir area
PATH=$PWD/empty "$writers" --quick --only commands area >printed 2>&1
check 'a scheme without its program is skipped by name' \
    has '"row": "writers: git config", "skipped": "git is missing"' \
    '"row": "writers: crudini", "skipped": "crudini is missing"'

without_databases() {
    sed 's:<sqlite3.h>:<no/sqlite3.h>:; s:<lmdb.h>:<no/lmdb.h>:' "$TESTS/../bench/databases.c" |
        cc -std=c11 -Wall -Wextra -Werror -I "$TESTS/../include" -I "$TESTS/../bench" -x c -c \
            -o databases.o - >printed 2>&1
}
check 'it builds where there is no database, too' \
    eval 'without_databases && grep -q "libsqlite3-dev is missing" databases.o'

# A build folder in which the program is a script.
mkdir -p fake/bench
sample() { # SCHEME RATE P99
    echo "echo '{\"row\": \"writers: 64\", \"round\": 0, \"writers\": 64, \"commands\": false," \
        "\"scheme\": \"$1\", \"peer\": \"what $1 does\", \"rate\": $2, \"p50_us\": 10," \
        "\"p99_us\": $3, \"updates\": 64}'"
}
fake() { # LINE...
    printf '%s\n' '#!/bin/sh' "$@" >fake/bench/writers
    chmod +x fake/bench/writers
    BUILD=$PWD/fake "$run" --on tree --only writers --draw drawing.svg >printed 2>&1
}
fake "$(sample untorn 9000 100)" "$(sample again 9000 100)" "$(sample lmdb 900 100)" \
    "$(sample recipe 900 490)"
check 'a rate is judged by how many times the peer it reaches' \
    has '^writers: 64 against lmdb .* 10\.0 x .* >= 10 x +met$' \
    '^writers: 64 against recipe .* 10\.0 x .* >= 15 x +NOT met$'
check 'a p99 is judged by its part of the peer' \
    has '^writers: 64, p99 against recipe .* 0\.20 .* <= 0\.2 +NOT met$'
check 'the summary has them' \
    has '^writers: 64 against lmdb +>= 10 x +10\.0 x$' '^1 of 3 targets met$'
check 'the peers are named' has '^writers: 64 against lmdb +what lmdb does$'
check 'the tables have every scheme' \
    has '^ *writers +untorn +recipe +lmdb$' '^ +64 +9000 ±0 % +900 ±0 %'
check 'it draws the lines' grep -q '^<polyline class="lmdb line"' drawing.svg
check 'the machine-readable copy has every point' "$PYTHON" -c '
import json
points = json.load(open("fake/bench.json"))["tables"][0]["many_writers"]
assert [point["rate"] for point in points] == [9000, 900, 900], points'
rm drawing.svg
fake "$(sample untorn 9000 100)" 'exit 1'
status=$?
check 'a run that lost an update is a failure, and not drawn' \
    eval '[ $status = 1 ] && has "^writers +FAILED: ended with status 1$" && [ ! -e drawing.svg ]'
fake "echo '{\"row\": \"writers: lmdb\", \"skipped\": \"liblmdb-dev is missing\"}'"
status=$?
check 'without a sample there is nothing to draw' \
    eval '[ $status = 1 ] && has "nothing to draw$" "^writers: lmdb +skipped: liblmdb-dev is miss"'
finish
