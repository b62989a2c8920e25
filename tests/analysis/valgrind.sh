# Valgrind finds nothing: a share of the suites and of the verbs, and with UNTORN_LONG those of four
# folders. The others take it more than an hour, and are left to the sanitizers.
# run: budget 60, timeout 3600
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

watched() {
    valgrind --quiet --error-exitcode=66 "$@"
}

without_leaks() {
    watched --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite "$@"
}

verbs() {
    need valgrind
    local untorn="without_leaks $UNTORN"
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
    expect 3 $untorn write missing/f f
}

# Where only the owner may do what is asked for.
refused() {
    need valgrind
    need_root
    mkdir -m 777 d
    echo old >d/f
    chmod 666 d/f
    chown $BOB d/f
    echo new >new
    expect 1 as $ALICE valgrind --quiet --error-exitcode=66 "$UNTORN" write --keep-inode \
        --mode 600 d/f new
    holds d/f "old
"
}

# Whether a suite passes does not count here: where allocations are to fail, Valgrind's own do not.
# Nor do leaks: processes of a suite end anywhere, and the sanitized suites look for them.
suites() {
    need valgrind
    local name found
    for name; do
        watched --log-file="$AREA/log.%p" "$BUILD/tests/$name" >"$AREA/out" 2>&1 || :
        grep -q ' passed, ' "$AREA/out" || return 1
        cat "$AREA"/log.* >"$AREA/told"
        found=$(grep -E -A 9 'Invalid|uninitialised|overlap' "$AREA/told") || :
        rm "$AREA"/log.*
        same "$name: $found" "$name: " || return 1
    done
    echo "    $# suites"
}

suite_is_caught() {
    need valgrind
    need cc
    mkdir tests
    printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' 'int main(void)' \
        '{ char *p = malloc(8); p[8] = 0; puts("1 passed, 0 failed"); return 0; }' >bad.c
    cc -O0 -g -o tests/bad bad.c
    BUILD=$PWD not suites bad
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

short='base-error_test txn-commit_test'
long=$(cd "$BUILD/tests" && ls -d base-*_test file-*_test history-*_test combine-*_test 2>/dev/null)

check 'a read behind the end is caught' caught
check 'a suite that writes behind the end is caught' suite_is_caught
check 'every verb is clean' verbs
check 'what is refused to a user is clean' refused
# shellcheck disable=SC2086 # words
if [ "${UNTORN_LONG:-}" ]; then
    check 'the suites are clean' suites $long
else
    check 'a share of the suites is clean' suites $short
fi
finish
