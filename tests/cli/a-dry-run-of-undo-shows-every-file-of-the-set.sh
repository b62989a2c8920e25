#!/bin/bash
mkdir sub
echo old a | untorn write a
echo old b | untorn write sub/b
echo gone | untorn write d
echo new a >1 && echo new b >2 && echo new c >3
untorn commit a=1 sub/b=2 c=3 --remove d
for from in a sub/b d; do
    untorn undo --dry-run $from >shown-from-${from##*/}
    cmp shown-from-a shown-from-${from##*/}
done
cat shown-from-a
cat a sub/b c
[ ! -e d ]
echo another >sub/b
untorn undo --dry-run a 2>err
echo $?
grep -c "^untorn: sub/b: .*changed since the commit" err
