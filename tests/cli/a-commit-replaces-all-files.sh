#!/bin/bash
mkdir sub
echo new a >1 && echo new b >2
echo old | untorn write a
untorn commit a=1 sub/b=2
cat a sub/b
