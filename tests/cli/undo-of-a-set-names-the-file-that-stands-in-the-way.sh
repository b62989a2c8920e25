#!/bin/bash
mkdir sub
echo new >1
untorn commit a=1 sub/b=1
echo newer >1
untorn commit a=1 sub/b=1
for change in 'echo edited >sub/b' 'rm sub/b'; do
    eval "$change"
    for dry in --dry-run ""; do
        untorn undo $dry a 2>&1 |
            sed 's/^untorn: \([^:]*\):.*\(untorn restore takes a single file back\).*/\1: \2/'
    done
done
cat a
untorn restore a 1
cat a
