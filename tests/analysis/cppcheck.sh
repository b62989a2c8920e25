# cppcheck finds nothing in what is installed.
# run: budget 40, timeout 600
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# uninitvar: of six that it told of all were false (a pointer to a local that is not yet set, chosen
# by ?:, counts as a use); the compilers, clang-tidy and Valgrind look for the same.
# The simulated disk is a part of the tests: its panics, which do not return, are not seen to.
flags='--enable=warning,performance,portability --suppress=uninitvar --inline-suppr --std=c11
    --error-exitcode=1'

clean() {
    need cppcheck
    cd "$TESTS/.."
    local status=0
    # shellcheck disable=SC2086 # words
    cppcheck $flags -j 2 --project="$BUILD/compile_commands.json" --file-filter='*src/*' \
        --file-filter='*cli/*' --suppress='*:*src/os/sim/*' >"$AREA/checked" \
        2>"$AREA/found" || status=$?
    cat "$AREA/found"
    [ $status = 0 ]
    [ "$(grep -c '^Checking .*c \.\.\.' "$AREA/checked")" -gt 150 ]
}

caught() {
    need cppcheck
    echo 'int main(void) { int few[2] = {0, 0}; return few[2]; }' >bad.c
    # shellcheck disable=SC2086 # words
    not cppcheck $flags bad.c 2>said
    grep -q arrayIndexOutOfBounds said
}

check 'cppcheck finds nothing in the library and the command' clean
check 'an index out of bounds is caught' caught
finish
