#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 3 untorn read $'two\nlines \033[31m \302\233 \177 \r\t'
grep -qF 'untorn: two\nlines \x1b[31m \xc2\x9b \x7f \r\t: no such file' err || fail "$(cat err)"
[ "$(wc -l <err)" = 1 ] || fail "$(cat err)"
