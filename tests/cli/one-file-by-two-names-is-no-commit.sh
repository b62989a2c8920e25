#!/bin/bash
echo old | untorn write a
ln -s a link
ln a hard
echo new >1
for words in 'a=1 link=1' 'a=1 ./a=1' 'a=1 hard=1' 'hard=1 --remove a' 'a=1 a=2' \
    'a=1 --remove a'; do
    # shellcheck disable=SC2086
    untorn commit $words 2>/dev/null
    echo $?
done
cat a hard
untorn commit a=1
cat a hard
