#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
expect 5 untorn write --dry-run --exclusive file < <(echo new)
expect 5 untorn write --dry-run --if-match 00000000000000000000000000000000 file < <(echo new)
expect 5 untorn write --dry-run --if-match 00000000000000000000000000000000 no < <(echo new)
expect 1 untorn write --dry-run file </dev/null
expect 1 untorn update --dry-run file -- true
expect 1 untorn update --dry-run file -- false
expect 5 untorn commit --dry-run --exclusive no=file file=file
expect 5 untorn commit --dry-run --if-match no=00000000000000000000000000000000 no=file file=file
expect 5 untorn commit --dry-run --if-match file=00000000000000000000000000000000 file=file
expect 3 untorn commit --dry-run --remove no file=file
expect 0 untorn commit --dry-run --exclusive no=file
mkdir directory
expect 4 untorn write --dry-run directory < <(echo new)
expect 4 untorn update --dry-run directory -- cat
expect 4 untorn append --dry-run directory < <(echo new)
for name in none/new file/new; do
    expect 3 untorn write --dry-run $name file
    expect 3 untorn set --dry-run $name.json a 1
    expect 3 untorn update --dry-run $name -- cat file
    expect 3 untorn append --dry-run $name <file
    expect 3 untorn commit --dry-run $name=file file=file
done
expect 0 untorn write --dry-run --parents none/new file
expect 3 untorn write --dry-run --parents file/new file
expect 0 untorn commit --dry-run --parents none/new=file file=file
expect 3 untorn commit --dry-run --parents file/new=file file=file
expect 0 untorn write --dry-run --if-match "$(untorn hash file)" file < <(echo new)
[ "$(cat file)" = old ] && [ ! -e .untorn ] || fail "line $LINENO"
