#!/bin/bash
echo one >file
untorn update --dry-run file -- sed s/one/two/
cat file
