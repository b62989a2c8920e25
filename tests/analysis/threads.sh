# ThreadSanitizer finds no race in the suites and the storms that use threads. It is a build of its
# own, of what they need.
# run: budget 60, timeout 3600
. "$TESTS/withstand/lib.sh"
own_mounts "$@"
root=$(cd "$TESTS/.." && pwd)
# The child of a fork never joins its parent's threads.
export TSAN_OPTIONS='halt_on_error=1 exitcode=66 report_thread_leaks=0'

# race FLAG...: two threads and one number.
race() {
    need cc
    printf '%s\n' '#include <pthread.h>' '#include <stdatomic.h>' 'static NUMBER number;' \
        'static void *add(void *p) { for (int i = 0; i < 1000; i++) number++; return p; }' \
        'int main(void)' '{' '    pthread_t other;' \
        '    if (pthread_create(&other, 0, add, 0) != 0) return 1;' '    add(0);' \
        '    return pthread_join(other, 0);' '}' >race.c
    cc -O1 -fsanitize=thread "$@" -o race race.c -lpthread 2>said || skip 'no ThreadSanitizer'
    ./race 2>said
}

caught() {
    local status=0
    race -DNUMBER=int || status=$?
    [ $status = 66 ] || [ $status = 77 ]
    [ $status != 77 ] || exit 77
    grep -q 'data race' said
}

# The names of the suites that make threads.
threaded() {
    (cd "$TESTS" && grep -l pthread_create ./*/*_test.c ./*/*/*_test.c 2>/dev/null) |
        grep -v -e '^./windows/' -e '^./crash/' -e '^./sim/' | sed 's,^\./,,; s,\.c$,,; s,/,-,g'
}

build_it() {
    (cd "$root" && tools/build "$BUILD-tsan" -Db_sanitize=thread -Db_lundef=false \
        -Doptimization=1 "$@")
}

# Those of a suite that kill processes leave no report: the others do.
suites_are_clean() {
    local name
    race '-DNUMBER=_Atomic int'
    [ "$(threaded | wc -l)" -gt 4 ]
    # shellcheck disable=SC2046 # words
    build_it $(threaded | sed 's,^,tests/,') >"$AREA/built" 2>&1 || {
        tail -n 20 "$AREA/built"
        return 1
    }
    for name in $(threaded); do
        echo "    $name"
        "$BUILD-tsan/tests/$name" || { echo "$name: status $?"; return 1; }
    done
}

storm_is_clean() {
    race '-DNUMBER=_Atomic int'
    build_it tests/update_storm tests/config_storm >"$AREA/built" 2>&1
    "$BUILD-tsan/tests/update_storm" --untorn "$UNTORN" --file list --scheme library --processes 2 \
        --threads 8 --readers 1 --operations 2000 --seconds 60 | grep -v tally:
    "$BUILD-tsan/tests/config_storm" --processes 1 --threads 8 | grep -v tally:
}

check 'a number that two threads change is caught' caught
check 'a number that two threads change atomically passes' race '-DNUMBER=_Atomic int'
check 'the suites with threads have no race' suites_are_clean
check 'the storms with threads have no race' storm_is_clean
finish
