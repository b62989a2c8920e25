#!/bin/bash
echo text >file
untorn read file
untorn hash file >/dev/null
untorn who file 2>/dev/null
untorn check
ls -A
