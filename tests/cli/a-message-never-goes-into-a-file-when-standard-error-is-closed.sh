#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
untorn write file missing 2>&- || true
[ "$(cat file)" = old ] || fail "a message was written into the file: $(cat file)"
[ "$(ls)" = file ] || fail "something else was made: $(ls)"
