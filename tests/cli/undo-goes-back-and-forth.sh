#!/bin/bash
echo one | untorn write file
echo two | untorn write file
untorn undo file && cat file
untorn undo file && cat file
