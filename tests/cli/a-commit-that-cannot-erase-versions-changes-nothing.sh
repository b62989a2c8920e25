#!/bin/bash
# A folder under the name of a version cannot be removed as one.
echo old >a
echo old >c
echo older >b
echo same | untorn write b
echo same >same
echo new >new
mkdir ".untorn/history/b/$(printf '%016x.%032x.%016x' 9 9 9)"
untorn commit --keep 0 --if-changed a=new c=new b=same && exit 1
cat a b c
untorn commit --keep 0 --if-changed a=new b=same && exit 1
cat a b
