#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

head -c 3000000 /dev/urandom >file
cp file wanted
head -c 3000000 /dev/zero >>wanted
untorn update file -- sh -c 'head -c 3000000 /dev/zero; cat' || fail 'failed'
[ "$(stat -c %s file)" = 6000000 ]
[ "$(tail -c 3000000 file | untorn hash -)" = "$(head -c 3000000 wanted | untorn hash -)" ]
