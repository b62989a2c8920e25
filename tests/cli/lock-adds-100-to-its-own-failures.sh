#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 103 untorn lock no/such/directory/file -- true
mkdir directory
expect 102 untorn lock --nonsense file -- true
expect 102 untorn lock - -- true
expect 0 untorn lock --help
