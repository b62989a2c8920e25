#!/bin/bash
echo old >file
untorn update file -- sh -c "echo new; exit 3"
status=$?
cat file
exit $status
