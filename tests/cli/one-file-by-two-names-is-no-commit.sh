#!/bin/bash
echo old | untorn write a
ln -s a link
echo new >1
untorn commit a=1 link=1 2>/dev/null
echo $?
cat a
