#!/bin/bash
echo old | untorn write a
echo old | untorn write b
echo new >1
untorn commit a=1 b=1
for dry in --dry-run ""; do
    untorn undo $dry --if-match "$(echo old | untorn hash -)" a 2>/dev/null
    echo $?
done
cat a b
untorn undo --if-match "$(untorn hash a)" a
cat a b
