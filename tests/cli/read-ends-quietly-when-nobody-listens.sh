#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

head -c 3000000 /dev/zero | tr '\0' x >file
set +e
for words in "read file" "read -" "write -"; do
    # shellcheck disable=SC2086 # words
    yes | untorn $words 2>err | head -c 5 >out
    status=${PIPESTATUS[1]}
    [ "$status" = 1 ] || fail "$words: status $status"
    [ ! -s err ] || fail "$words: $(cat err)"
done
