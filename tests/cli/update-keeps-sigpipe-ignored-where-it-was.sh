#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

untorn update file -- sh -c "sed -n 's/^SigIgn:.//p' /proc/self/status"
(
    trap '' PIPE
    untorn update ignored -- sh -c "sed -n 's/^SigIgn:.//p' /proc/self/status"
)
[ $((0x$(cat file) & 0x1000)) = 0 ] || fail "ignored: $(cat file)"
[ $((0x$(cat ignored) & 0x1000)) != 0 ] || fail "not ignored: $(cat ignored)"
