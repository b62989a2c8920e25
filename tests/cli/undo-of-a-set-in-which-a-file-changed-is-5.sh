#!/bin/bash
echo old a | untorn write a
echo old b | untorn write b
echo new a >1 && echo new b >2
untorn commit a=1 b=2
echo edited | untorn write b
untorn undo a 2>/dev/null
echo $?
cat a b
