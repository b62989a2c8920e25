#!/bin/bash
set -u
. "$TESTS/cli/lib.sh"

echo old | untorn write a
echo new >1
for words in "a=1 b=missing" "a=1 --remove missing" "a=1 no/where=1" \
    "a=1 --if-match a=00000000000000000000000000000000"; do
    # shellcheck disable=SC2086 # words
    untorn commit $words 2>/dev/null && fail "$words: done"
    [ "$(cat a)" = old ] || fail "$words: a changed"
    [ ! -e b ] || fail "$words: b was made"
done
