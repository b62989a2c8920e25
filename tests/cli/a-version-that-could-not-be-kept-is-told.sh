#!/bin/bash
# And not where none was asked for.
set -eu
echo one >f
"$UNTORN" write f </dev/null --allow-empty
rm -r .untorn/history
: >.untorn/history
echo two | "$UNTORN" write f
rm .untorn/history
echo three | "$UNTORN" write --keep 0 f
cat f
