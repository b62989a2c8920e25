#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo text >file
expect 3 untorn check file no/such .
expect 0 untorn check file .
printf '{"n":' >log.jsonl
echo 1 | untorn append log.jsonl
expect 4 untorn check file log.jsonl
expect 3 untorn check no/such log.jsonl
expect 3 untorn check log.jsonl no/such
