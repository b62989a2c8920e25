#!/bin/bash
# Without Python.h everything else is built, and it is said that the Python package is not.
# run: budget 20
set -eu
folders=$(dirname /usr/include/python3*/Python.h)
if ! unshare -m true 2>/dev/null || [ ! -d "${folders%%$'\n'*}" ]; then
    echo 'needs Python.h, and the right to hide it'
    exit 77
fi
mkdir tree
tar -c -C "$TESTS/.." --exclude='./build*' --exclude=./.git . | tar -x -C tree
cd tree
fail() {
    echo "$*"
    cat ../printed
    exit 1
}
# The target build.ninja is the configuration alone: nothing is compiled.
export folders
unshare -m sh -eu -c '
    for folder in $folders; do mount -t tmpfs none "$folder"; done
    tools/build out build.ninja' >../printed 2>&1 || fail 'the build could not be configured'
grep -q '^untorn: no Python package: Python.h is missing (.*python3-dev' ../printed ||
    fail 'it is not said that there is no Python package'
grep -q '^build untorn:' out/build.ninja || fail 'the command is not built'
! grep -q '_untorn' out/build.ninja || fail 'the Python package is built without Python.h'

# As soon as it is there, so is the package.
tools/build out build.ninja >../printed 2>&1
! grep -q 'no Python package' ../printed || fail 'Python.h is not found where it is'
grep -q '_untorn.abi3.so' out/build.ninja || fail 'the Python package is not built'
