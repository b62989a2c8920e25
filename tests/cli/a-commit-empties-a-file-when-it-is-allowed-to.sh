#!/bin/bash
# An empty file, and none, can have an empty source; so can any file that is named as the source.
echo old >a
echo new >n
: >b
untorn commit --allow-empty a=- b=n </dev/null || exit
[ ! -s a ] && cmp b n || exit
untorn commit a=- c=n </dev/null || exit
untorn commit new=- d=n </dev/null || exit
[ -e new ] && [ ! -s new ] && [ ! -s a ] && cmp d n || exit
: >empty
untorn commit d=empty c=n || exit
[ ! -s d ]
