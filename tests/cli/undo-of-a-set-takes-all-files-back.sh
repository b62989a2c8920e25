#!/bin/bash
mkdir sub
echo old a | untorn write a
echo old b | untorn write sub/b
echo new a >1 && echo new b >2
untorn commit a=1 sub/b=2
untorn undo sub/b | sort
cat a sub/b
untorn undo a >/dev/null
cat a sub/b
