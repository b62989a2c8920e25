#!/bin/bash
echo old >a
echo old >b
echo new >n
false | untorn commit a=- b=n
status=$?
cat a b
false | untorn commit --dry-run b=n a=- && exit 99
false | untorn commit --exclusive a=- c=n 2>&1 | grep -c 'exists already'
exit $status
