#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

long=$(printf 'x%.0s' {1..100000})
expect 1 untorn read "$long"
expect 1 untorn write "$long" < <(echo new)
[ "$(wc -l <err)" = 1 ] && [ "$(wc -c <err)" -lt 10000 ] || fail "$(wc err)"
