#!/bin/bash
echo new >1
untorn commit a=1 --if-match b=00000000000000000000000000000000
echo $?
untorn commit a=1 --if-match a=12
echo $?
[ ! -e a ]
