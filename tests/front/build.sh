#!/bin/bash
# tools/build configures again exactly when sources or options changed.
set -eu
mkdir tree
cd "$TESTS/.."
tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$OLDPWD/tree"
cd "$OLDPWD/tree"
fail() {
    echo "$*"
    exit 1
}
# The target build.ninja is the configuration alone: nothing is compiled.
configure() {
    tools/build out "$@" build.ninja >/dev/null
}
# The change of its time is what shows that Meson ran.
mark() {
    touch -d '2001-01-01' out/.output
}
ran() {
    [ "$(date -r out/.output +%Y)" != 2001 ]
}

configure -Dwerror=true
mark
configure
ran && fail 'configured again although nothing changed'
configure -Dwerror=true
ran && fail 'configured again although the option has that value'

mkdir -p tests/planted
cp tests/harness/self_test.c tests/planted/new_test.c
configure
ran || fail 'a new source was not noticed'
grep -q '^build tests/planted-new_test:' out/build.ninja || fail 'a new test is not built'
grep -q 'ARGS = .*-Werror' out/build.ninja || fail 'an option was forgotten'

mark
rm tests/planted/new_test.c
configure -Dwerror=false
ran || fail 'a new value of an option was not noticed'
grep -q 'planted-new_test' out/build.ninja && fail 'a test that is gone is still built'
grep -q 'ARGS = .*-Werror ' out/build.ninja && fail 'the new value of an option was not used'

# A peer of the bench that was installed later is linked.
headers=$(grep -o "'<[a-z0-9]*\.h>'" bench/meson.build | tr -d "'<>")
[ -n "$headers" ] || fail 'the peers of the bench are not found'
for header in $headers; do
    grep -q "/usr/include/$header\b" tools/build || fail "$header may come unnoticed"
done

sed -i 's/^project(/projekt(/' meson.build
mark
if tools/build out -Dwerror=true build.ninja >printed 2>&1; then
    fail 'a configuration that fails is a success'
fi
grep -q 'make setup' printed || fail 'a failure does not say what to do'
