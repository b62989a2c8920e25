# clang-tidy finds nothing: the checks of .clang-tidy, on a share of the sources, and with
# UNTORN_LONG on most of them. Not on src/store, src/text and src/txn: there it takes what an
# allocation did not give for used, as it does not know that error_fail never returns 0.
# run: budget 30, timeout 3600
. "$TESTS/withstand/lib.sh"
own_mounts "$@"
root=$(cd "$TESTS/.." && pwd)
share='src/base src/history'
[ -z "${UNTORN_LONG:-}" ] || share='src/base src/combine src/file src/history src/os/unix cli'

clean() {
    need clang-tidy
    local sources
    # shellcheck disable=SC2086 # words
    sources=$("$root/tools/sources" $share | grep -v '^cli/win/')
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

check 'clang-tidy finds nothing' clean
check 'the use of what was freed is caught' caught
finish
