#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 3 untorn write a/b/file < <(echo new)
[ ! -e a ] || fail 'a directory was made'
echo new | untorn write --parents a/b/file
[ "$(cat a/b/file)" = new ]
