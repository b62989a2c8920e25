#!/bin/bash
echo one | untorn write file
untorn undo file 2>/dev/null
echo $?
untorn undo missing 2>/dev/null
echo $?
cat file
