#!/bin/bash
printf '%s\n' one two three four five six seven eight nine ten >file
sed 's/five/FIVE/' file | untorn write --dry-run file
[ ! -e .untorn ] && sed -n 5p file
