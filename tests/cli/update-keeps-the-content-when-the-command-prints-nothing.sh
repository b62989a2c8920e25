#!/bin/bash
echo old >file
untorn update file -- true
status=$?
cat file
exit $status
