#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo 1 >file
for path in file/x file/no/x; do
    for more in '' --parents; do
        expect 3 untorn write $more $path file
        grep -q ": a part of ${path%/x} is not a directory\$" err || fail "$(cat err)"
    done
done
