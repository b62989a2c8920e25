#!/bin/bash
echo old | untorn write a
echo new >1
untorn commit b=1 a=1 --if-match a=00000000000000000000000000000000
echo $?
untorn commit a=1 --remove gone
echo $?
