#!/bin/bash
# The same status as the restore itself, and no diff.
set -eu
echo one | "$UNTORN" write f
echo two | "$UNTORN" write f
wrong=00000000000000000000000000000000
for how in --dry-run ''; do
    status=0
    "$UNTORN" restore $how --if-match $wrong f 1 2>/dev/null || status=$?
    echo "status $status"
done
"$UNTORN" restore --dry-run --if-match "$("$UNTORN" hash f | cut -c 1-32)" f 1
cat f
