#!/bin/bash
echo old | untorn write a
echo gone | untorn write c
echo new >1
untorn commit --dry-run a=1 b=1 --remove c
cat a c
[ ! -e b ]
