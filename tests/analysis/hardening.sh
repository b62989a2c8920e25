# What the compiler and the linker can do against a bug of ours is in what is installed: command,
# library and Python module.
# run: budget 15
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

case $(uname -m) in x86_64) has_cet=yes ;; *) has_cet= ;; esac

# lacks FILE: prints what it lacks, a word each; nothing if it has all.
lacks() {
    local header dynamic segments symbols
    header=$(readelf -W -h "$1") || return 1
    dynamic=$(readelf -W -d "$1")
    segments=$(readelf -W -l "$1")
    symbols=$(readelf -W --dyn-syms "$1")
    grep -q 'Type: *DYN' <<<"$header" || echo pie
    grep -q GNU_RELRO <<<"$segments" || echo relro
    grep -q BIND_NOW <<<"$dynamic" || grep -q 'Flags:.* NOW' <<<"$dynamic" || echo now
    grep -q 'GNU_STACK.* RW ' <<<"$segments" || echo stack
    ! grep -q 'LOAD.* RWE ' <<<"$segments" || echo writable-code
    ! grep -q TEXTREL <<<"$dynamic" || echo relocated-code
    grep -q '__stack_chk_fail' <<<"$symbols" || echo protector
    grep -q '__[a-z]*_chk@' <<<"${symbols//__stack_chk_fail/}" || echo fortify
    [ -z "$has_cet" ] || readelf -n "$1" | grep -q 'IBT, SHSTK' || echo cet
}

hardened() {
    need readelf
    local file
    for file; do
        [ -e "$file" ]
        echo "    $(basename "$file")"
        same "$(lacks "$file")" ''
    done
}

python_module() {
    local module
    module=$(find "$BUILD/python" -name '_untorn*.so' 2>/dev/null | head -n 1)
    [ -n "$module" ] || skip 'this build has no Python package'
    hardened "$module"
}

all='-O2 -fPIE -pie -fstack-protector-all -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
    -Wl,-z,relro,-z,now,-z,noexecstack'
guard=${has_cet:+-fcf-protection=full -Wl,-z,ibt,-z,shstk}

# caught WORD FLAG...: a program that was built so lacks just that.
caught() {
    local word=$1
    shift
    need readelf
    need cc
    printf '#include <string.h>\n%s\n' 'int main(int n, char **v)
        { char text[8]; strcpy(text, v[n - 1]); return text[0]; }' >program.c
    # shellcheck disable=SC2086 # words
    cc $all $guard "$@" -o program program.c
    same "$(lacks program | tr '\n' ' ')" "$word"
}

unguarded() {
    guard=-fcf-protection=none
    caught 'cet '
}

check 'the command is hardened' hardened "$BUILD/untorn"
check 'the library is hardened' hardened "$BUILD/libuntorn.so.0"
check 'the Python module is hardened' python_module
check 'a program with everything passes' caught ''
check 'a program at a fixed address is caught' caught 'pie ' -fno-pie -no-pie
check 'a program whose tables stay writable is caught' caught 'relro ' -Wl,-z,norelro
check 'a program that is bound lazily is caught' caught 'now ' -Wl,-z,lazy
check 'a program with an executable stack is caught' caught 'stack ' -Wl,-z,execstack
check 'a program without guarded stack frames is caught' \
    caught 'protector ' -fno-stack-protector
check 'a program without checked copies is caught' caught 'fortify ' -U_FORTIFY_SOURCE
[ -z "$has_cet" ] ||
    check 'a program without guarded jumps is caught' unguarded
finish
