# clang-tidy finds nothing: the checks of .clang-tidy, on a share of the sources, and with
# UNTORN_LONG on all of them but those for Windows, which it could only read with its headers.
# run: budget 50, timeout 3600
. "$TESTS/withstand/lib.sh"
own_mounts "$@"
root=$(cd "$TESTS/.." && pwd)
share='src/base src/os/unix src/txn'
[ -z "${UNTORN_LONG:-}" ] || share='src cli'

clean() {
    need clang-tidy
    local sources
    # shellcheck disable=SC2086 # words
    sources=$("$root/tools/sources" $share | grep -v -e '^cli/win/' -e '^src/os/win/')
    [ "$(wc -l <<<"$sources")" -gt 8 ]
    cd "$root"
    xargs -P 2 -n 4 clang-tidy -p "$BUILD" --quiet <<<"$sources" 2>/dev/null
}

caught() {
    need clang-tidy
    cp "$root/.clang-tidy" .
    printf '%s\n' '#include <stdlib.h>' 'int main(void)' '{' \
        '    int *gone = malloc(sizeof *gone);' '    free(gone);' '    return gone[0];' '}' >bad.c
    not clang-tidy --quiet bad.c -- >said 2>&1
    cat said
}

# memory WHAT-FOLLOWS: a function whose allocation may fail, which it reports.
memory() {
    need clang-tidy
    cp "$root/.clang-tidy" .
    printf '%s\n' '#include <stdlib.h>' '#include "base/error.h"' \
        'int make(struct untorn_error *error, int **ret_made);' \
        'int make(struct untorn_error *error, int **ret_made)' '{' \
        '    *ret_made = malloc(sizeof **ret_made);' \
        '    int rc = *ret_made ? 0 : error_fail(error, UNTORN_NO_MEMORY, NULL);' \
        "    $1" '        **ret_made = 1;' '    return rc;' '}' >make.c
    clang-tidy --quiet make.c -- -I"$root/include" -I"$root/src" >said 2>&1
}

unasked() {
    local status=0
    memory 'if (rc <= 0)' || status=$?
    cat said
    [ $status = 1 ]
    grep -q 'clang-analyzer-core.NullDereference' said
}

check 'clang-tidy finds nothing' clean
check 'the use of what was freed is caught' caught
check 'the use of memory that there is not is caught' unasked
check 'a failure is not taken for success' memory 'if (rc == 0)'
finish
