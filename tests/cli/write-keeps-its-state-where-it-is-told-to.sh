#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

mkdir state
echo new | untorn write --state-dir state file
[ ! -e .untorn ] || fail '.untorn was made'
echo newer | UNTORN_STATE_DIR=$PWD/state untorn write file
[ ! -e .untorn ] || fail '.untorn was made'
[ "$(cat file)" = newer ]
