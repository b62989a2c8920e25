#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

head -c 1000000 /dev/urandom >file
cp file wanted
untorn write file file
cmp file wanted
untorn write --keep-inode file file
cmp file wanted
