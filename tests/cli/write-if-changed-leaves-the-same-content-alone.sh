#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo same >file
before=$(stat -c %i file)
untorn write --if-changed file file
[ "$(stat -c %i file)" = "$before" ] || fail 'replaced'
echo other | untorn write --if-changed file
[ "$(stat -c %i file)" != "$before" ] || fail 'not replaced'
