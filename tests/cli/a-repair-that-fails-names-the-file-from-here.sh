#!/bin/bash
mkdir x
echo 1 | "$UNTORN" write x/a
echo torn >x/.untorn/stage/a.0123456789abcdef
rm x/.untorn/lock/a
mkdir x/.untorn/lock/a
for path in x x/ x/a ./x; do
    "$UNTORN" check --repair $path 2>&1 >/dev/null | cut -d : -f 2
done
cd x
"$UNTORN" check --repair . 2>&1 >/dev/null | cut -d : -f 2
