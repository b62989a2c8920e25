#!/bin/bash
echo old >file
untorn update file -- sh -c 'echo new; kill -KILL $$'
status=$?
cat file
exit $status
