#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
for words in 'write file' 'append file' 'read -' 'write -' 'hash -' 'update - -- cat' \
    'write --dry-run file'; do
    # shellcheck disable=SC2086 # words
    expect 1 untorn $words <&-
    grep -q '^untorn: standard input: Bad file descriptor' err || fail "$words: $(cat err)"
done
mkdir directory
expect 1 untorn write file <directory
[ "$(cat err)" = 'untorn: standard input: Is a directory (file is unchanged)' ] || fail "$(cat err)"
[ "$(cat file)" = old ]
