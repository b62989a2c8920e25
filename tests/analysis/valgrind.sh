# Valgrind finds nothing: a share of the suites and of the verbs, and with UNTORN_LONG all of those
# that meet the real disk.
# run: budget 60, timeout 3600
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

watched() {
    valgrind --quiet --error-exitcode=66 --leak-check=full --show-leak-kinds=definite \
        --errors-for-leak-kinds=definite "$@"
}

verbs() {
    need valgrind
    local untorn="watched $UNTORN"
    echo '{"a": 1, "b": [1, 2]}' >f.json
    printf '# kept\n[t]\na = 1\n' >f.toml
    echo text | $untorn write f
    echo more | $untorn append f
    $untorn update f -- sed s/text/word/
    $untorn set f.json a 2 'b[+]' 3
    $untorn set f.toml t.a 2
    $untorn unset f.toml t.a
    $untorn ensure f.json --uuid c
    $untorn apply f.json --merge-patch '{"a": null, "d": {"e": 1}}'
    EDITOR=true $untorn edit f.json
    $untorn commit f=f.json g=f.toml
    $untorn undo f
    $untorn log f
    $untorn show f
    $untorn diff f
    $untorn restore f 1
    $untorn get f.json d
    $untorn config --app x --file project=f.toml set --scope project t.b 1
    $untorn config --app x --file project=f.toml list
    $untorn lock f -- true
    $untorn check .
    expect 1 $untorn write missing/f f
}

# The suites that take longest without it are left out: tests/run.py runs them sanitized anyhow.
suites() {
    need valgrind
    local name
    for name; do
        watched "$BUILD/tests/$name" >"$AREA/out" 2>"$AREA/err" || {
            echo "$name: status $?"
            tail -n 40 "$AREA/out" "$AREA/err"
            return 1
        }
    done
    echo "    $# suites"
}

caught() {
    need valgrind
    need cc
    printf '%s\n' '#include <stdlib.h>' 'int main(int n, char **v)' \
        '{ char *p = malloc(8); (void)v; return p[n + 8] != 0; }' >bad.c
    cc -O0 -g -o bad bad.c
    local status=0
    watched ./bad 2>said || status=$?
    same $status 66
}

short='base-error_test base-utf8_test text-json_plan_test file-lock_test txn-commit_test'
long=$(cd "$BUILD/tests" && ls -d base-*_test text-*_test file-*_test txn-*_test store-*_test \
    history-*_test combine-*_test 2>/dev/null | grep -v -e properties -e suite)

check 'a read behind the end is caught' caught
check 'every verb is clean' verbs
# shellcheck disable=SC2086 # words
if [ "${UNTORN_LONG:-}" ]; then
    check 'the suites are clean' suites $long
else
    check 'a share of the suites is clean' suites $short
fi
finish
