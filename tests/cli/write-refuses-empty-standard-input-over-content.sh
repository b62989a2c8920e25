#!/bin/bash
echo old >file
untorn write file </dev/null
status=$?
cat file
exit $status
