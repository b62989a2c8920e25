#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

head -c 700000 /dev/urandom >source
for verb in "write file source" "update file -- cat"; do
    # shellcheck disable=SC2086 # words
    set -- $verb
    hash=$(untorn "$1" --report "${@:2}" | jq -r .hash)
    [ "$hash" = "$(untorn hash file)" ] || fail "$verb: $hash"
done
