#!/bin/bash
echo one | untorn write file
untorn show file 0
echo $?
untorn restore file last
echo $?
untorn restore file
echo $?
