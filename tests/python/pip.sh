#!/bin/bash
# pip installs the package as the page says, and what it installs works.
# run: budget 20
set -eu
fail() {
    echo "$*"
    exit 1
}
if [ ! -e "$BUILD/python/untorn" ]; then
    echo 'needs the Python package, which this build does not make (Python.h)'
    exit 77
fi
if ! "$PYTHON" -c 'import setuptools, wheel, pip' 2>/dev/null; then
    echo 'needs pip, setuptools and wheel'
    exit 77
fi
mkdir -p tree/bindings
cp -r "$TESTS/../include" tree
cp -r "$TESTS/../bindings/python" tree/bindings
rm -rf tree/bindings/python/build
cd tree
line=$(sed -n 's/^`pip \(install [^`]*\)`.*/\1/p' bindings/python/README.md)
[ -n "$line" ] || fail 'the page does not say how to install'
# shellcheck disable=SC2086 # words
UNTORN_LIBRARY=$BUILD/libuntorn.a "$PYTHON" -m pip $line --no-deps --no-index \
    --target ../installed >../said 2>&1 || { cat ../said; exit 1; }
grep -q 'cp39-abi3' ../said || fail 'the wheel is not one for all Pythons'
cd ..
for file in "$BUILD"/python/untorn/*; do
    [ -d "$file" ] || [ -e "installed/untorn/${file##*/}" ] || fail "${file##*/} is not installed"
done
PYTHONPATH=installed "$PYTHON" -c '
import untorn
assert untorn.__file__.endswith("/installed/untorn/__init__.py"), untorn.__file__
untorn.write_json("a.json", [1])
untorn.update("a.json", lambda old: old + [2])
assert untorn.read_json("a.json") == [1, 2]
'
[ "$(nm -D --defined-only installed/untorn/_untorn.abi3.so | wc -l)" = 1 ] ||
    fail 'the module exports names of the library'
