#!/bin/bash
# pip installs the package into a virtual environment as the page says, and what it installs works.
# run: budget 30
set -eu
fail() {
    echo "$*"
    exit 1
}
if [ ! -e "$BUILD/python/untorn" ]; then
    echo 'needs the Python package, which this build does not make (Python.h)'
    exit 77
fi
if ! "$PYTHON" -c 'import ensurepip, setuptools, wheel' 2>/dev/null; then
    echo 'needs venv, setuptools and wheel'
    exit 77
fi
mkdir -p tree/bindings
cp -r "$TESTS/../include" tree
cp -r "$TESTS/../bindings/python" tree/bindings
rm -rf tree/bindings/python/build
cd tree
lines=$(sed -n '/^```sh$/,/^```$/p' bindings/python/README.md | grep -v '^```')
[ "$(wc -l <<<"$lines")" = 2 ] || fail 'the page does not say how to install'
# Without a network, and with the archive that is there.
export UNTORN_LIBRARY=$BUILD/libuntorn.a PIP_NO_INDEX=1
python3() {
    "$PYTHON" "$@"
}
eval "set -e; $lines --verbose" >../said 2>&1 || { cat ../said; exit 1; }
grep -q 'cp39-abi3' ../said || fail 'the wheel is not one for all Pythons'
installed=$(env/bin/python -c 'import untorn; print(untorn.__path__[0])')
case $installed in
"$PWD"/env/lib/python3*/site-packages/untorn) ;;
*) fail "installed in $installed" ;;
esac
for file in "$BUILD"/python/untorn/*; do
    [ -d "$file" ] || [ -e "$installed/${file##*/}" ] || fail "${file##*/} is not installed"
done
env/bin/python -c '
import importlib.metadata, untorn
assert importlib.metadata.version("untorn") == untorn.__version__
untorn.write_json("a.json", [1])
untorn.update("a.json", lambda old: old + [2])
assert untorn.read_json("a.json") == [1, 2]
'
[ "$(nm -D --defined-only "$installed"/_untorn.abi3.so | wc -l)" = 1 ] ||
    fail 'the module exports names of the library'
