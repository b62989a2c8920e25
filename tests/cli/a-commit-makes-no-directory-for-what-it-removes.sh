#!/bin/bash
set -eu
echo new >n
"$UNTORN" commit --parents a/x=n --remove b/y || echo $?
[ ! -e b ] || ls -d b
"$UNTORN" commit --parents a/x=n
ls a
